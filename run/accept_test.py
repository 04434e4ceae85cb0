# SPDX-License-Identifier: MIT
"""bellwether accept: a suite of seconds on two ranks, its files and verdict; going on after a kill;
baselines and limits; what it refuses."""
import copy
import json
import pathlib
import re
import shutil
import signal
import subprocess
import time
import xml.etree.ElementTree as xml

import unittest

import command_test

# Limits of what matters far beyond what a loaded test machine does.
SUITE = {
    "schema": "bellwether.suite/1", "name": "tiny", "description": "seconds",
    "calibration": {"quick": True, "time_budget_s": 0.3, "largest_message_bytes": 32768,
                    "largest_edge": 24, "largest_memory_bytes": 16 << 20},
    "false_alarm_rate": 1e-100, "material": {"warning": 1e3, "failure": 1e4, "why": "a test"},
    "siblings": {"occasions": 3, "link_message_bytes": 32768, "sample_s": 0.001},
    "time_budget_s": 0.05, "repeats": 2,
    "cases": [
        {"app": "diffusion", "problem": {"cells": [12, 12, 12]}, "per": "rank",
         "options": {"overlap": "off", "precision": "f64"},
         "judge": ["right", "before", "siblings"]},
        {"app": "lbm", "problem": {"cells": [8, 8, 12]}, "per": "all",
         "options": {"overlap": "off"}}]}


class Accept(command_test.CommandTest):

    def setUp(self):
        super().setUp()
        self.suite(SUITE)

    def suite(self, document, name="tiny.json"):
        (self.folder / name).write_text(json.dumps(document))

    def changed(self, *path, **values):
        """The suite with other values at a path of it, as words of --suite."""
        document = copy.deepcopy(SUITE)
        at = document
        for key in path:
            at = at[key]
        at.update(values)
        name = f"changed{len(list(self.folder.iterdir()))}.json"
        self.suite(document, name)
        return ["accept", "--suite", name, "-o", "refused"]

    def verdict(self, name="out"):
        document = json.loads((self.folder / name / "verdict.json").read_text())
        self.expect_published(document, "acceptance/verdict.schema.json")
        return document

    def test_a_verdict_its_files_and_going_on(self):
        words = ["accept", "--suite", "tiny.json", "-o", "out"]
        said = self.expect_success(*words, ranks=2)
        self.assertRegex(said, r"(?m)^preflight: suite tiny, about [0-9.]+ min$")
        self.assertRegex(said, r"(?m)^VERDICT: pass")
        self.assertLess(said.count("\n"), 24)
        out = self.folder / "out"
        for name in ["accept.json", "machine.json", "machine.samples.json", "siblings.jsonl"]:
            self.assertTrue((out / name).exists(), name)
        records = self.records("out/results.jsonl")
        self.assertEqual([record["app"] for record in records],
                         ["diffusion", "lbm", "diffusion", "lbm"])
        self.assertEqual(sorted(records[0]["problem"]["cells"]), [12, 12, 24])
        self.assertEqual(records[0]["provenance"]["judge"], ["right", "before", "siblings"])
        self.assertEqual(len(self.records("out/siblings.jsonl")), 3)
        verdict = self.verdict()
        self.assertEqual(verdict["verdict"] in ("pass", "pass with warnings"), True)
        self.assertEqual(verdict["layout"]["ranks"], 2)
        kinds = {}
        for finding in verdict["findings"]:
            kinds.setdefault(finding["kind"], []).append(finding)
            self.assertTrue(finding["sentence"])
        self.assertEqual({one["subject"].split()[0] for one in kinds["right"]},
                         {"diffusion", "lbm"})
        self.assertEqual([one["subject"].split()[0] for one in kinds["promised"]], ["lbm"])
        quantities = {one["quantity"]: one for one in kinds["siblings"]}
        for name in ["arithmetic", "memory bandwidth", "diffusion kernels"]:
            self.assertEqual(quantities[name]["verdict"], "not judged")
            self.assertIn("occasions", quantities[name]["sentence"])
        self.assertNotIn("lbm kernels", quantities)
        self.assertIn("one link alone", quantities["link bandwidth"]["sentence"])
        tree = xml.parse(out / "junit.xml").getroot()
        self.assertEqual(len(tree.findall("testsuite/testcase")), len(verdict["findings"]))
        self.assertEqual(len(tree.findall("testsuite/testcase/failure")), 0)

        # Whole, it goes on with nothing; cut short, with what is missing alone.
        page = (out / "report.html").read_text()
        self.assertIn("Acceptance: pass", page)
        self.assertIn("Verdict of suite tiny", page)
        others = [one for one in verdict["findings"] if one["verdict"] in ("pass", "not judged")]
        self.assertIn(f"{len(others)} other judgements", page)
        words.append("--no-report")
        # Of its time only what is left counts, and nothing is.
        self.expect_success(*words, "--resume", "--time-limit", "0.01", ranks=2)
        self.assertEqual(self.records("out/results.jsonl"), records)
        machine = (out / "machine.json").read_text()
        lines = (out / "results.jsonl").read_text().splitlines()
        (out / "results.jsonl").write_text("\n".join(lines[:2]) + "\n" + lines[2][:100])
        for name in ["verdict.json", "junit.xml"]:
            (out / name).unlink()
        self.expect_success(*words, "--resume", ranks=2)
        again = (out / "results.jsonl").read_text().splitlines()
        self.assertEqual(again[:2], lines[:2])
        self.assertEqual([json.loads(line)["app"] for line in again[2:]], ["diffusion", "lbm"])
        self.assertEqual((out / "machine.json").read_text(), machine)
        self.judged_again(out, again)
        self.refused_baselines(out)

    def judged_again(self, out, lines):
        """Without MPI: against itself nothing has changed, a wrong result is status 1, a missed limit
        and a slower case status 4."""
        def judge(*words):
            return self.run_command("accept", "--judge", "--no-report", "-o", "out", *words)
        done = judge()
        self.assertEqual(done.returncode, 0)
        self.assertIn("Evidence: out/verdict.json, junit.xml\n", done.stdout)
        self.judged_as_incomplete(out, lines, judge)
        for name in ["old1", "old2", "old3"]:
            shutil.copytree(out, self.folder / name)
        self.assertEqual(judge("--baseline", "old1", "old2", "old3").returncode, 0)
        self.assertGreater(len([one for one in self.verdict()["findings"]
                                if one["kind"] == "before" and one["verdict"] == "pass"]), 2)
        (self.folder / "spec.json").write_text(json.dumps({
            "schema": "bellwether.spec/1", "name": "contract", "limits": [
                {"what": "memory of a rank", "source": "annex B", "app": "lbm",
                 "at_least": 1e15}]}))
        done = judge("--spec", "spec.json")
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^fail +memory of a rank: .* of the specified 1e\+15")
        wrong = [json.loads(line) for line in lines]
        wrong[1]["verification"]["passed"] = False
        (out / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in wrong))
        done = judge()
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertRegex(done.stdout, r"(?m)\AVERDICT: fail .*\nwrong +lbm .*WRONG RESULT")
        (out / "results.jsonl").write_text("\n".join(lines) + "\n")
        manifest = (out / "accept.json").read_text()
        sentence = "node1: GPU 1: XID 79 (gpu_xid_events: expected at most 0): look it up"
        (out / "accept.json").write_text(json.dumps({**json.loads(manifest), "unhealthy": [sentence]}))
        done = judge()
        (out / "accept.json").write_text(manifest)
        self.assertEqual(done.returncode, 4, done.stdout)
        self.assertIn(f"fail       {sentence}\n", done.stdout)
        self.assertIn('classname="bellwether.healthy" name="node1: health"', (out / "junit.xml").read_text())

    def judged_as_incomplete(self, out, lines, judge):
        """Whatever of the files is not there, or not whole."""
        for name, kept in [("results.jsonl", lines[:2]), ("results.jsonl", [lines[0]] * 4),
                           ("results.jsonl", []), ("results.jsonl", None), ("siblings.jsonl", None),
                           ("machine.json", None)]:
            with self.subTest(name=name, kept=kept and len(kept)):
                whole = (out / name).read_text()
                (out / name).unlink()
                if kept is not None:
                    (out / name).write_text("".join(line + "\n" for line in kept))
                done = judge()
                (out / name).write_text(whole)
                self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
                self.assertEqual(self.verdict()["verdict"], "incomplete")
                self.assertRegex(done.stdout, r"(?m)\AVERDICT: incomplete .*\nmissing +")

    def refused_baselines(self, out):
        """None, and one of another layout."""
        (self.folder / "four").mkdir()
        records = self.records("out/results.jsonl")
        for record in records:
            record["ranks"] = 4
        (self.folder / "four" / "results.jsonl").write_text(
            "".join(json.dumps(record) + "\n" for record in records))
        words = ["accept", "--judge", "-o", "out", "--baseline"]
        self.expect_refusal(2, ["'none' is not there"], *words, "none")
        self.expect_refusal(2, ["'four' is of another layout", "ranks 4", "ranks 2"], *words, "four")
        self.expect_refusal(2, ["tiny.json, line 1", "bellwether.suite/1"], *words, "tiny.json")
        (self.folder / "empty").mkdir()
        self.expect_refusal(2, ["'empty' has neither"], *words, "empty")

    def test_killed_it_can_be_read_and_goes_on(self):
        slow = copy.deepcopy(SUITE)
        slow["cases"] *= 20
        self.suite(slow)
        launcher = subprocess.Popen(
            command_test.launched(2) + [command_test.PROGRAM, "accept", "--suite", "tiny.json", "-o",
                                        "out"],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        results = self.folder / "out" / "results.jsonl"
        try:
            deadline = time.monotonic() + 100
            while not results.exists() or results.read_text().count("\n") < 3:
                self.assertIsNone(launcher.poll(), "ended before it was struck")
                self.assertLess(time.monotonic(), deadline, "no records")
                time.sleep(0.02)
        finally:
            launcher.send_signal(signal.SIGTERM)
            launcher.wait(timeout=60)
        done = len(self.records("out/results.jsonl"))
        self.assertLess(done, 80)
        # What it holds is judged, and what it lacks keeps it from passing.
        done_now = self.run_command("accept", "--judge", "--no-report", "-o", "out")
        self.assertEqual(done_now.returncode, 4)
        self.assertRegex(done_now.stdout, r"(?m)\AVERDICT: incomplete .*, [0-9]+ missing, ")
        self.assertRegex(done_now.stdout, r"(?m)^missing +siblings: [012] of 3 occasions")
        self.assertIn("verdict.json, junit.xml\n", done_now.stdout)
        # The suite that it was begun with, and no other.
        self.suite(SUITE)
        self.expect_refusal(2, ["--resume: 'out' was begun with another suite"], "accept", "--suite",
                            "tiny.json", "-o", "out", "--resume", ranks=2)

    def test_a_burn_in_that_goes_on_ends_when_its_hours_are_over(self):
        self.suite({**SUITE, "until_time": True, "verify": "twice"})
        words = ["accept", "--suite", "tiny.json", "-o", "out", "--no-report"]
        self.expect_success(*words, "--hours", "0.0005", ranks=2)
        results = self.folder / "out" / "results.jsonl"
        records = self.records("out/results.jsonl")
        for record in records:
            self.assertRegex(record["verification"]["what"], ", and twice the same bits$")
        taken = [record["provenance"]["burn_in_s"] for record in records]
        self.assertEqual(taken, sorted(taken))
        # Cut short some seconds before its hour is over.
        records[-1]["provenance"]["burn_in_s"] = 3596.0
        results.write_text("".join(json.dumps(record) + "\n" for record in records))
        said = self.expect_success(*words, "--hours", "1.0003", "--resume", ranks=2)
        self.assertRegex(said, r"(?m)^preflight: suite tiny, about 0\.[0-9] min$")
        more = self.records("out/results.jsonl")[len(records):]
        self.assertGreater(len(more), 0)
        self.assertGreater(more[0]["provenance"]["burn_in_s"], 3596)

    def test_preflight_says_all_at_once_and_measures_nothing(self):
        document = copy.deepcopy(SUITE)
        document["cases"] = [
            {"app": "diffusion", "problem": {"cells": [20000, 20000, 20000]}, "per": "rank"},
            {"app": "lbm", "problem": {"cells": [8, 8, 8]}, "per": "all",
             "options": {"decomposition": "1x1x7"}},
            {"app": "cholesky", "problem": {"size": 2000000}, "per": "rank", "optional": True},
            SUITE["cases"][0]]
        self.suite(document)
        words = ["accept", "--suite", "tiny.json", "-o", "out", "--preflight"]
        done = self.run_command(*words, ranks=2)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r"cases/0 \(diffusion\): not enough memory")
        self.assertRegex(done.stderr, r"cases/1 \(lbm\): .*1x1x7")
        self.assertRegex(done.stdout, r"left out: .*cases/2 \(cholesky\)")
        self.assertFalse((self.folder / "out").exists())
        document["cases"] = [SUITE["cases"][0]]
        self.suite(document)
        self.refused_before_anything_is_measured(words)
        self.assertIn("nothing is in the way", self.expect_success(*words, ranks=2))
        done = self.run_command(*words, "--time-limit", "0.01", ranks=2)
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stderr, "time: the suite takes about")

    def test_the_preflight_judges_the_nodes_health(self):
        shown = pathlib.Path("/sys/kernel/mm/transparent_hugepage/enabled")
        if not shown.exists():
            self.skipTest("the system has no transparent huge pages")
        key, pages = "transparent_hugepages", re.search(r"\[(\w+)\]", shown.read_text())[1]
        words = ["accept", "--suite", "tiny.json", "-o", "out", "--preflight"]

        def preflight(health, *more):
            self.suite({**SUITE, "health": health})
            done = self.run_command(*words, *more, ranks=2)
            return done.returncode, done.stdout, done.stderr
        sentence = rf"\S+: transparent huge pages are set to {pages} \({key}: expected twice\): arrays lie"
        status, out, err = preflight({"fail": {key: ["twice"]}, "warn": {key: ["twice"]}})
        self.assertEqual(status, 3, out + err)
        self.assertRegex(err, rf"preflight:\n  {sentence}")
        self.assertNotIn(key, out)
        status, out, err = preflight({"warn": {key: ["twice"]}, "fail": {"gpu_xid_events": 0}})
        self.assertEqual(status, 0, out + err)
        self.assertEqual(len(re.findall(rf"(?m)^  note: {sentence}", out)), 1, out)
        self.assertNotIn("gpu_xid_events", out)  # no GPU computes
        status, out, err = preflight({"fail": {key: ["twice", pages], "quota_throttled_s": 1e9}})
        self.assertEqual((status, key in out + err, "quota" in out + err), (0, False, False), out + err)
        if not pathlib.Path("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").exists():
            self.assertRegex(preflight({"warn": {"cpu_governor": ["performance"]}})[1],
                             r"note: \S+: nothing tells cpu_governor\n")
        self.expect_refusal(2, ["/health/fail/gpu_errors: found number 0"], *self.changed(health={"fail": {"gpu_errors": 0}}))

    def test_a_case_that_cannot_run_leaves_the_others(self):
        cases = [{"app": "diffusion", "problem": {"cells": [20000, 20000, 20000]}, "per": "rank"},
                 {"app": "lbm", "problem": {"cells": [8, 8, 8]}, "per": "all",
                  "options": {"decomposition": "1x1x7"}}, SUITE["cases"][1]]
        self.suite({**SUITE, "cases": cases, "repeats": 1})
        for ranks in [0, 2]:
            out = f"out{ranks}"
            done = self.run_command("accept", "--suite", "tiny.json", "-o", out, "--no-report",
                                    ranks=ranks)
            self.assertEqual(done.returncode, 4, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"(?m)^missing +/cases/0 \(diffusion\): .*not enough memory")
            self.assertRegex(done.stdout, r"(?m)^missing +/cases/1 \(lbm\): .*1x1x7")
            self.assertEqual(self.verdict(out)["verdict"], "incomplete")
            records = self.records(f"{out}/results.jsonl")
            self.assertEqual([(one["app"], "not_run" in one) for one in records],
                             [("diffusion", True), ("lbm", True), ("lbm", False)])
            self.assertEqual(records[0]["problem"]["cells"], [20000, 20000, 20000])

    def refused_before_anything_is_measured(self, words):
        """By the preflight as by the run itself."""
        limit = {"what": "w", "source": "s", "at_least": 1}
        for content, pattern in [
                ([], "spec.json.*found"), ({"schema": "bellwether.spec/2"}, "spec.json: key /schema"),
                ({"schema": "bellwether.spec/1", "limits": [{**limit, "app": "hpl"}]},
                 "spec.json: key /limits/0/app: found .*hpl.*diffusion"),
                ({"schema": "bellwether.spec/1", "limits": [{**limit, "machine": "/speed"}]},
                 "spec.json: key /limits/0/machine: found .*/speed")]:
            (self.folder / "spec.json").write_text(json.dumps(content))
            for only in [["--preflight"], []]:
                with self.subTest(content=content, only=only):
                    self.expect_refusal(2, [pattern], *words[:-1], *only, "--spec", "spec.json")
        (self.folder / "full").mkdir()
        (self.folder / "full" / "file").write_text("")
        for place, pattern in [("full", "is there and not an empty folder"),
                               ("full/file", "is there and not an empty folder"),
                               ("full/file/out", "cannot be made: Not a directory")]:
            for only in [["--preflight"], []]:
                with self.subTest(place=place, only=only):
                    self.expect_refusal(2, [pattern], *words[:3], "-o", place, *only)
        self.assertFalse((self.folder / "out").exists())

    def test_part_of_the_fault_table(self):
        """Faults that any machine shows, however busy it is, and no more: lab/fault-table has all."""
        names, disk = ["wrong-time"], self.folder / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "tmpfs", disk], capture_output=True).returncode == 0:
            subprocess.run(["umount", disk], check=True)
            names.append("full-disk")
        table = pathlib.Path(__file__).parent / "lab" / "fault-table"
        words = [word for name in names for word in ("--only", name)]
        done = subprocess.run([table, "--program", command_test.PROGRAM, "--suite", "tiny.json", *words,
                               "-o", "faults"],
                              cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s)
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads((self.folder / "faults" / "table.json").read_text())
        self.assertEqual([row[2:4] for row in rows], [["found", 0], ["found", 3]][:len(names)],
                         done.stdout)

    def test_what_cannot_be_used(self):
        case = SUITE["cases"][0]
        for patterns, words in [
                (["--suite: found 'none'", "quick, standard, burn-in"],
                 ["accept", "--suite", "none", "-o", "out"]),
                (["--hours: found none"], ["accept", "--suite", "burn-in", "-o", "out"]),
                (["--hours: suite quick"], ["accept", "--hours", "1", "-o", "out"]),
                (["-o"], ["accept"]),
                (["changed", "speed"], self.changed(speed=1)),
                ([r"/siblings", "rounds"], self.changed("siblings", rounds=1)),
                ([r"/cases/0", "cell"], self.changed(cases=[{**case, "cell": 1}])),
                ([r"/cases/0 \(diffusion\)", "--colour"],
                 self.changed(cases=[{**case, "options": {"colour": "red"}}])),
                ([r"/cases/0 \(none\)", "diffusion, lbm"],
                 self.changed(cases=[{**case, "app": "none"}])),
                (["judge/0", "wright"], self.changed(cases=[{**case, "judge": ["wright"]}])),
                (["/material"], self.changed("material", warning=2e4)),
                (["is there and not an empty folder", "--resume"],
                 ["accept", "--suite", "tiny.json", "-o", "."]),
                (["accept.json"], ["accept", "--suite", "tiny.json", "-o", "none", "--resume"]),
                (["accept.json"], ["accept", "--judge", "-o", "none"])]:
            with self.subTest(words=words):
                self.expect_refusal(2, patterns, *words)

    def test_shipped_suites_can_be_read(self):
        for name in ["quick", "standard"]:
            document = json.loads(
                (pathlib.Path(__file__).parent / "suites" / f"{name}.json").read_text())
            self.assertEqual({case["app"] for case in document["cases"]},
                             {"diffusion", "lbm", "airfoil", "hpl", "amg", "cholesky"})
        self.assertIn("suite quick", self.expect_success("accept", "--suite", "quick", "--preflight",
                                                         "-o", "out"))


if __name__ == "__main__":
    unittest.main()
