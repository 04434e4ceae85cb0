# SPDX-License-Identifier: MIT
"""bellwether report: a page that stands alone, says what the records say, and loads in a browser."""
import html
import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import command_test

MACHINE = pathlib.Path(__file__).parents[1] / "models" / "machines" / "tsubame2.0.json"
BROWSERS = ["chromium-headless-shell", "chromium", "google-chrome"]


class Page(html.parser.HTMLParser):
    """Tables as lists of rows of cells, headings, and whether every element that opens is closed."""
    EMPTY = {"meta", "link", "br", "img"}

    def __init__(self, text):
        super().__init__()
        self.tables, self.headings, self.open, self.references = [], [], [], []
        self.cell = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.references += [value for key, value in attributes if key in ("src", "href")]
        if tag in self.EMPTY:
            return
        self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag in ("td", "th", "h1", "h2", "title"):
            self.cell = ""

    def handle_startendtag(self, tag, attributes):
        self.references += [value for key, value in attributes if key in ("src", "href")]

    def handle_data(self, data):
        if self.cell is not None:
            self.cell += data

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
        if tag in ("td", "th"):
            self.tables[-1][-1].append(self.cell.strip())
        if tag in ("h1", "h2"):
            self.headings.append(self.cell)
        if tag in ("td", "th", "h1", "h2", "title"):
            self.cell = None


def seconds(text):
    number, unit = text.split()
    return float(number) * {"s": 1, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}[unit]


class Drawn(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib.figure, jinja2"],
                          capture_output=True, check=False).returncode != 0:
            self.skipTest("no Python has matplotlib and jinja2")


class Functions(Drawn):
    """Of the page's program, without a run."""

    def computed(self, program, given):
        """What a program prints, a document a line, that has the page's modules and a document as its input."""
        done = subprocess.run(["/usr/bin/python3", "-c", program], input=json.dumps(given), text=True,
                              capture_output=True, check=True,
                              cwd=pathlib.Path(__file__).parent / "command" / "report")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_sentence_in_its_colour_comes_first(self):
        program = """
import json, sys, types
import report_cases
for answers, not_run, acceptances, history in json.load(sys.stdin):
    cases = [types.SimpleNamespace(name=f"case {i}", answer=answer, right=answer != "wrong result",
                                   best_error=-0.1 * i) for i, answer in enumerate(answers)]
    print(json.dumps(report_cases.answer_of(cases, not_run, acceptances, history)))
"""
        good, bad = ({"colour": colour, "suite": "quick", "word": word}
                     for colour, word in (("good", "pass"), ("bad", "fail")))
        slower = {"name": "lbm", "host": "node1", "answer": "slower", "levels": [
            {"since": "2026-03-29T02:00:00Z", "change": {"relative": {"value": 0.05}}}]}
        expected = [
            ((["normal", "faster", "cannot tell"], [], [], []), "good",
             "3 of 3 results are right, and 2 took as long as they should, or less; for 1 it cannot be told."),
            ((["normal", "slower", "slower"], [], [good], [slower]), "off",
             "2 of 3 cases took longer than they should, most of all case 2: -20.0 % error of its prediction."),
            ((["wrong result", "slower"], [], [], []), "bad", "1 of 2 results are wrong, the first of case 0."),
            ((["normal", "slower"], ["hpl: why"], [], []), "bad", "1 of 3 cases did not run."),
            ((["cannot tell", "not predicted"], [], [], []), "dim",
             "2 of 2 results are right; whether they took as long as they should cannot be told."),
            ((["normal"], [], [], [slower, slower]), "off",
             "lbm on node1 has taken 5.0 % longer since 2026-03-29 (2 cases became slower)."),
            ((["normal"], [], [good, bad], []), "bad", "Acceptance by suite quick: fail."),
            ((["cannot tell"], [], [good], []), "good", "Acceptance by suite quick: pass."),
            (([], [], [], [{**slower, "answer": "steady"}]), "good", "None of 1 cases became slower.")]
        found = self.computed(program, [given for given, _, _ in expected] + [([], [], [], [])])
        self.assertEqual(found, [{"colour": colour, "sentence": sentence} for _, colour, sentence in expected]
                         + [None])

    def test_the_parts_of_a_measured_bar_end_at_the_measured_total(self):
        program = """
import json, sys, types
import case_pictures
for terms in json.load(sys.stdin):
    case = types.SimpleNamespace(
        total={"median": 10, "low": 9, "high": 11},
        terms={name: {"median": seconds} for name, seconds in zip("ab", terms)})
    print(json.dumps(list(case_pictures.times_of(case, "measured")[0].values())))
"""
        self.assertEqual(self.computed(program, [[3, 4], [8, 12], [4, 6]]), [[3, 4, 3], [4, 6], [4, 6, 0]])


class Report(Drawn):
    def setUp(self):
        super().setUp()
        self.expect_success("run", "diffusion", "--cells", 17, 13, 11, "--steps", 50, "--machine",
                            MACHINE, "--probe", "-o", "results.jsonl", ranks=2)
        self.expect_success("run", "lbm", "--cells", 12, 12, 12, "--steps", 20, "--overlap", "off",
                            "-o", "results.jsonl")
        shutil.copy(MACHINE, self.folder / "machine.json")
        (self.folder / "scaling.json").write_text(self.expect_success(
            "predict", "diffusion", "--cells", 256, 256, 256, "--machine", MACHINE,
            "--ranks", "1:64", "--json"))

    def records(self):
        return [json.loads(line)
                for line in (self.folder / "results.jsonl").read_text().splitlines()]

    def page(self, *words):
        self.assertEqual(self.expect_success("report", *words, "-o", "page.html"),
                         "report: page.html\n")
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        page = Page(text)
        self.assertEqual(page.open, [])
        return text, page

    def test_says_what_the_records_say(self):
        text, page = self.page("results.jsonl", "machine.json", "scaling.json")
        # Nothing comes from elsewhere: references lead within the page or are data themselves.
        for reference in page.references:
            self.assertRegex(reference, r"^(#|data:)")
        self.assertNotRegex(text, r"url\((?!#)|@import|<script[^>]|fetch\(|XMLHttp")
        # Who cannot see a picture hears what it is; heads say of what they are.
        pictures = re.findall(r"<svg[^>]*>(?:<title>[^<]+</title>)?", text)
        self.assertGreater(len(pictures), 4)
        for picture in pictures:
            self.assertRegex(picture, r'role="img" aria-label="[^"]+".*<title>')
        self.assertNotRegex(text, r"<th>|<th [^>]*></th>")
        # Pictures take the page's colours, light or dark, in place of those that they were drawn in.
        self.assertNotIn("#01234", text)
        self.assertRegex(text, r"<svg[\s\S]*currentColor[\s\S]*var\(--paper\)[\s\S]*</svg>")
        records = self.records()
        rows = page.tables[0][1:]
        self.assertEqual(len(rows), len(records))
        for row, record in zip(rows, records):
            self.assertEqual(row[0].split()[0], record["app"])
            measured = record["measured"]["total_s"]["median"]
            self.assertAlmostEqual(seconds(row[2]) / measured, 1, delta=0.006)
            if "refined" in record.get("predicted", {}):
                predicted = record["predicted"]["refined"]
                self.assertAlmostEqual(seconds(row[3]) / predicted["total_s"], 1, delta=0.006)
                error = record["error"]["refined"]
                self.assertEqual(row[1], record["verdict"]["answer"])
                self.assertAlmostEqual(float(row[4].split()[0]), 100 * error, delta=0.051)
            else:
                self.assertEqual(row[1], "not predicted")
        # Every term of every case stands in the tables beneath the pictures.
        terms = {(row[0].split()[0], row[1]) for table in page.tables[1:3] for row in table[1:]}
        for record in records:
            for name in record["measured"]["terms"]:
                self.assertIn((record["app"], name), terms)
        for heading in ["diffusion: predicted beside measured, term by term", "Rates beside limits",
                        "lbm: predicted beside measured, term by term", "Ranks beside each other",
                        "Predicted scaling: diffusion on tsubame2.0"]:
            self.assertIn(heading, page.headings)

    def changed(self, **interval):
        """The first record as its run would have written it with another interval, without a verdict:
        as an earlier version would."""
        record = self.records()[0]
        refined = record["predicted"]["refined"]
        refined.update(interval)
        for key in ("verdict", "probe"):
            record.pop(key, None)
        return record

    def one_case(self, record):
        """The page of one record: its text, and its row of the table of all cases."""
        (self.folder / "one.jsonl").write_text(json.dumps(record) + "\n")
        text, page = self.page("one.jsonl")
        return text, page, page.tables[0][1]

    def test_an_interval_wider_than_a_factor_of_two_is_grey(self):
        record = self.changed()
        refined = record["predicted"]["refined"]
        total_s = refined["total_s"] = record["measured"]["total_s"]["median"]
        causes = {"of": "90 % of runs", "calibration": [0.9, 1.1], "model": [0.9, 1.1],
                  "model_runs": 64, "machine_s": [0.9 * total_s, 1.1 * total_s],
                  "slowest_probe": {"of": "memory", "times": 2.68}}
        refined |= {"low_s": 0.4 * total_s, "high_s": 4 * total_s,
                    "interval": {**causes, "drift": [0.4, 2.8]}}
        text, _, row = self.one_case(record)
        self.assertEqual(row[1], "cannot tell")
        self.assertIn('<td class="text dim">cannot tell</td>', text)
        self.assertIn("0 of 1", text)
        self.assertIn("1 cannot be told", text)
        self.assertRegex(text, r"its probes of memory took up to 2\.7 times as long as usual; calibrate "
                               "again")
        refined |= {"low_s": 0.8 * total_s, "high_s": 1.5 * total_s}
        text, _, row = self.one_case(record)
        self.assertIn('<td class="text good">normal</td>', text)
        self.assertIn('<p class="answer good">1 of 1 results are right, and 1 took as long as they should', text)

    def test_memory_compute_and_network_beside_their_prediction(self):
        record = self.changed()
        median = {"median": 2e-3, "low": 2e-3, "high": 2e-3, "count": 9}
        record["measured"] = {"total_s": {**median, "median": 10e-3}, "within": {"wait": "network"},
                              "terms": {"compute.interior": {**median, "median": 6e-3}, "network": median}}
        record["predicted"]["refined"] |= {"total_s": 9e-3, "terms": {
            "compute.interior": 7.5e-3, "network": 1.3e-3, "wait": 0.3e-3}}
        record["rate"] = {"value": 1, "unit": "cells/s", "limit": "memory bandwidth", "fraction_of_limit": 1.18,
                          "above_limit": "from a cache: 45 % of what that gives"}
        text, _, row = self.one_case(record)
        tiles = re.findall(r"<li><strong[^>]*>([^<]*)</strong><span>([^<]*)</span>", text)
        # 6 of 7.5 ms, and 2 of 1.3 and 0.3.
        self.assertEqual(tiles[:2], [("20 % faster", "memory, against its prediction: median of 1 cases"),
                                     ("25 % slower", "network, against its prediction: median of 1 cases")])
        self.assertNotIn("118 %", " ".join(number for number, _ in tiles))
        self.assertIn("118 % of memory bandwidth (from a cache: 45 % of what that gives)", row[-1])

    def test_energy_has_a_column_where_it_was_counted(self):
        record = self.changed()
        record.pop("energy", None)
        _, page, _ = self.one_case(record)
        self.assertNotIn("energy", page.tables[0][0])
        record["energy"] = {"joules_per_step": 12.34, "watts": {"packages": 85},
                            "units_per_joule": 3.45e8}
        _, page, row = self.one_case(record)
        self.assertEqual(page.tables[0][0][6:8], ["rate", "energy"])
        self.assertEqual(row[7], "12.3 J, 345 Mcells/J")

    def test_what_is_measured_in_another_term_has_one_error(self):
        record = self.changed()
        median = {"median": 2e-3, "low": 2e-3, "high": 2e-3, "count": 9}
        record["measured"] = {"total_s": {**median, "median": 10e-3},
                              "terms": {"compute.interior": {**median, "median": 6e-3},
                                        "network": median}}
        record["predicted"]["refined"] |= {"total_s": 9e-3, "terms": {
            "compute.interior": 7e-3, "network": 1.4e-3, "wait": 0.28e-3}}
        record["error"].pop("terms", None)
        _, page, _ = self.one_case(record)
        rows = {row[1]: row for row in page.tables[1][1:]}
        self.assertEqual(rows["network"][6], "-16.0 %")
        self.assertEqual(rows["wait"][4], "in network")

    def test_wrong_results_and_strange_names_come_first_and_harmless(self):
        records = self.records()
        records[0]["verification"]["passed"] = False
        del records[0]["rate"], records[0]["verdict"]
        records[0]["provenance"]["host"] = "<script>alert(1)</script>"
        (self.folder / "wrong.jsonl").write_text(
            "".join(json.dumps(record) + "\n" for record in records))
        text, page = self.page("wrong.jsonl", "--title", "A & B")
        self.assertNotRegex(text, r"<script[^>]|<script>alert")
        self.assertEqual(page.headings[0], "A & B")
        self.assertEqual(page.tables[0][1][1], "wrong result")
        self.assertIn(f"{len(records) - 1} of {len(records)}", text)
        self.assertRegex(text, r"Look here[\s\S]*?<li>diffusion [^<]*wrong result")

    def test_dollars_and_control_characters_are_text(self):
        machine = json.loads(MACHINE.read_text())
        strange = "$\\frac{$ $x_{$ \x1b[31m \x7f\u202e\\u"
        shown = "$\\frac{$ $x_{$ \\u001b[31m \\u007f\\u202e\\u"
        records = self.records()
        for record in records:
            record["app"] = record["variant"]["overlap"] = record["provenance"]["host"] = strange
            record["provenance"]["environment"] = {strange: strange}
            record["measured"]["terms"]["$^$"] = record["measured"]["total_s"]
            for rank in record["per_rank"]:
                rank["host"] = strange
        machine["name"] = machine["description"] = strange
        (self.folder / "m.json").write_text(json.dumps(machine))
        (self.folder / "strange.jsonl").write_text(
            "".join(json.dumps(record) + "\n" for record in records))
        text, page = self.page("strange.jsonl", "m.json", "--title", strange)
        self.assertNotRegex(text, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
        self.assertEqual(page.headings[0], shown)
        self.assertTrue(page.tables[0][1][0].startswith(shown))
        for title in (f"{shown}: predicted beside measured, term by term", "Ranks beside each other"):
            self.assertIn(title, page.headings)
        for picture in re.findall(r"<svg[\s\S]*?</svg>", text)[:1]:
            self.assertIn(html.escape(shown, quote=False), picture)
            self.assertIn("$^$", picture)
        for words, picture in [
                (["predict", "diffusion", "--cells", 64, 64, 64, "--machine", "m.json", "--ranks", "1:4"],
                 "p.svg")]:
            self.expect_success(*words, "--plot", picture)
            tree = xml.etree.ElementTree.parse(self.folder / picture)
            self.assertIn(shown, " ".join(tree.getroot().itertext()))

    def test_of_many_cases_those_that_need_a_look(self):
        record = next(record for record in self.records() if "refined" in record.get("predicted", {}))
        with (self.folder / "many.jsonl").open("w") as file:
            for number in range(450):
                record["problem"]["cells"] = [100 + number, 8, 8]
                record["error"]["refined_at_probe"] = 0.001 * number
                record["verification"]["passed"] = number != 7
                file.write(json.dumps(record) + "\n")
        done = self.run_command("report", "many.jsonl", "-o", "page.html")
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        told = "Of 450 cases the table has 400 and the pictures have 40: "
        self.assertTrue(done.stderr.startswith(f"bellwether: report: {told}"), done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)
        self.assertIn(told, text)
        page = Page(text)
        self.assertEqual(len(page.tables[0]) - 1, 400)
        names = [row[0] for row in page.tables[0][1:]]
        self.assertIn("diffusion 107x8x8", names[0])  # the wrong one, and in the file's order
        self.assertTrue(names[1].startswith("diffusion 151x8x8"), names[1])
        drawn = {row[0] for table in page.tables[1:5] for row in table[1:]}
        self.assertEqual(len(drawn), 40)
        self.assertIn(names[-1], drawn)
        self.assertLess(len(text), 4e6)
        self.assertIn("449 of 450", text)

    def test_a_machine_alone_and_a_folder(self):
        _, page = self.page("machine.json")
        self.assertEqual(page.headings[0], "Bellwether on tsubame2.0")
        _, page = self.page(".")
        self.assertIn("Rates beside limits", page.headings)

    def test_an_acceptance_comes_first_and_worst_first(self):
        folder = self.folder / "accepted"
        folder.mkdir()
        shutil.copy(self.folder / "results.jsonl", folder)
        findings = [{"kind": kind, "verdict": verdict, "sentence": sentence}
                    for kind, verdict, sentence in [
                        ("right", "pass", "lbm: right"), ("siblings", "warning", "node2: slow & late"),
                        ("before", "not judged", "no baseline"), ("right", "wrong", "hpl: WRONG")]]
        verdict = {"schema": "bellwether.verdict/1", "verdict": "fail", "suite": "quick",
                   "findings": findings}
        (folder / "verdict.json").write_text(json.dumps(verdict))
        text, _ = self.page("accepted")
        places = [text.index(word) for word in [
            "Acceptance by suite quick: fail.", "Verdict of suite quick", "hpl: WRONG", "node2: slow &amp; late", "2 other judgements",
            "no baseline", "lbm: right", "results right"]]
        self.assertEqual(places, sorted(places))
        self.assertIn("Verdict of suite quick", self.page("accepted/verdict.json")[0])
        self.assertNotIn("Verdict of", self.page("results.jsonl")[0])
        del findings[1]["sentence"]
        (folder / "verdict.json").write_text(json.dumps(verdict))
        self.expect_refusal(2, ["accepted/verdict.json: key /findings/1", "sentence"], "report", "accepted", "-o",
                            "a.html")

    def test_bad_input(self):
        for status, expected, words in [
                (2, ["files"], ["-o", "a.html"]),
                (2, ["'none' is not there"], ["none", "-o", "a.html"]),
                (2, ["found 'a.txt'", ".html"], ["results.jsonl", "-o", "a.txt"]),
                (2, ["folder that exists"], ["results.jsonl", "-o", "none/a.html"]),
                (2, ["empty' has neither"], ["empty", "-o", "a.html"]),
                (2, ["text, line 1: no JSON"], ["text", "-o", "a.html"])]:
            (self.folder / "empty").mkdir(exist_ok=True)
            (self.folder / "text").write_text("hello\n")
            with self.subTest(words=words):
                self.expect_refusal(status, expected, "report", *words)

    def test_without_jinja2(self):
        (self.folder / "jinja2.py").write_text("raise ImportError('not here')\n")
        os.environ["PYTHONPATH"] = str(self.folder)
        self.addCleanup(os.environ.pop, "PYTHONPATH")
        self.expect_refusal(3, ["jinja2", "python3-jinja2"], "report", "results.jsonl", "-o",
                            "a.html")

    def test_a_browser_has_nothing_to_complain_of(self):
        browser = next(filter(None, map(shutil.which, BROWSERS)), None)
        if browser is None:
            self.skipTest("no headless Chromium")
        self.page("results.jsonl", "machine.json", "scaling.json")
        # A column's head sorts its table by size, and once more the other way round.
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        script = ("<script>const heads = document.querySelectorAll('#cases th'); heads[2].click(); heads[2].click();"
                  "document.title = [...document.querySelectorAll('#cases tbody tr')].map("
                  "row => row.cells[2].textContent).join('|')</script></body>")
        (self.folder / "sorted.html").write_text(page.replace("</body>", script), encoding="utf-8")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom",
                               f"file://{self.folder}/sorted.html"],
                              capture_output=True, text=True, timeout=self.patience_s, check=True)
        shown = [seconds(text) for text in re.search(r"<title>(.*?)</title>", done.stdout)[1].split("|")]
        self.assertEqual(shown, sorted(shown, reverse=True))
        # Wide as a phone: what does not fit scrolls within its own box, not the page.
        probe = ("<style>html { scroll-behavior: auto }</style><script>addEventListener('load', () =>"
                 " document.title = document.documentElement.scrollWidth + ' of ' +"
                 " document.documentElement.clientWidth)"
                 "</script></body>")
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        (self.folder / "probed.html").write_text(page.replace("</body>", probe), encoding="utf-8")
        for width in (500, 1200):
            done = subprocess.run(
                [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
                 f"--window-size={width},900", "--virtual-time-budget=2000", "--dump-dom",
                 f"file://{self.folder}/probed.html"],
                capture_output=True, text=True, timeout=self.patience_s, check=True)
            self.assertNotRegex(done.stderr, "CONSOLE")
            found = re.search(r"<title>(\d+) of (\d+)</title>", done.stdout)
            self.assertEqual(found[1], found[2])


if __name__ == "__main__":
    unittest.main()
