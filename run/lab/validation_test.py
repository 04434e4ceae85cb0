# SPDX-License-Identifier: MIT
"""The statistics, plan and tables of run/lab/validate, against values worked out here."""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from validation import disturbance, matrix, plan, report, residuals, rows, statistics

VALIDATE = str(pathlib.Path(__file__).resolve().parent / "validate")


def parents():
    """Of each process that runs its number and its parent's."""
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except OSError:  # it has ended
            continue
        if state != "Z":
            yield int(stat.parent.name), int(parent)


def record(predicted, measured, overlap="off", edge=8, at_probe=None, app="diffusion",
           precision="f32"):
    """As `bellwether run` writes it; times in seconds: value, low, high."""
    term = dict(zip(("median", "low", "high"), (measured[0] / 2, measured[1] / 2, measured[2] / 2)))
    found = {
        "app": app, "problem": {"cells": [edge] * 3, "precision": precision},
        "variant": {"overlap": overlap},
        "verification": {"passed": True},
        "measured": {"total_s": dict(zip(("median", "low", "high"), measured)),
                     "terms": {"network": term}},
        "predicted": {"refined": {
            "total_s": predicted[0], "low_s": predicted[1], "high_s": predicted[2],
            "terms": {"network": 0.3}, "intervals": {"network": [0.2, 0.4]},
            "outside_range": []}},
        "error": {"refined": 0} if at_probe is None else {"refined_at_probe": at_probe}}
    return found


TOTAL = plan.Network("box", 2, 1, 10**9)
TERM = plan.Network("crowded", 4, 1, 10**9, "network")


class Statistics(unittest.TestCase):
    def test_percentiles_are_values_that_occur(self):
        tens = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]
        self.assertEqual(statistics.percentile(tens, 0.9), 90)
        self.assertEqual(statistics.percentile(tens[::-1], 0.91), 100)
        self.assertEqual(statistics.percentile([7], 0.9), 7)
        self.assertEqual(statistics.percentile([1, 2], 0.5), 1)

    def test_median(self):
        self.assertEqual(statistics.median([3, 1, 2]), 2)
        self.assertEqual(statistics.median([4, 1, 2, 3]), 2.5)

    def test_summary_is_of_sizes(self):
        found = statistics.summary([{"error": error, "covered": covered} for error, covered in
                                    ((-0.4, False), (0.1, True), (0.2, True), (-0.05, True))])
        self.assertEqual(found["cases"], 4)
        self.assertAlmostEqual(found["median"], 0.15)
        self.assertAlmostEqual(found["p90"], 0.4)
        self.assertAlmostEqual(found["p95"], 0.4)
        self.assertAlmostEqual(found["worst"], 0.4)
        self.assertAlmostEqual(found["coverage"], 0.75)


class Rows(unittest.TestCase):
    def test_a_problem_that_is_no_box_of_cells(self):
        one = record((1, 1, 1), (1, 1, 1), app="hpl")
        one["problem"] = {"size": 700, "block": 32, "grid": [2, 1]}
        row = rows.row(one, TOTAL, 0, False)
        self.assertEqual((row["size"], row["precision"]), ("700 NB 32 2x1", "f64"))
        one = record((1, 1, 1), (1, 1, 1), app="cholesky")
        one["problem"] = {"size": 700, "precision": "f32"}
        one["variant"]["block"] = 64
        row = rows.row(one, TOTAL, 0, False)
        self.assertEqual((row["size"], row["precision"]), ("700 B 64", "f32"))

    def test_a_total(self):
        row = rows.row(record((1.1, 1.05, 1.2), (1.0, 0.9, 1.06)), TOTAL, 2, True)
        self.assertAlmostEqual(row["error"], 0.1)
        self.assertTrue(row["covered"] and row["held_out"] and row["verified"])
        row = rows.row(record((1.1, 1.05, 1.2), (1.0, 0.9, 1.04)), TOTAL, 1, True)
        self.assertFalse(row["covered"] or row["held_out"])

    def test_a_run_is_held_by_its_interval_or_not(self):
        one = record((1.1, 1.05, 1.2), (1.0, 0.9, 1.06))
        one["predicted"]["refined"]["interval"] = {"of": "90 % of runs"}
        row = rows.row(one, TOTAL, 0, False)
        self.assertFalse(row["covered"])
        self.assertIsNone(row["covered_at_probe"])
        self.assertFalse(report.probed(row)["covered"])
        one["predicted"]["refined"]["interval"]["at_probe"] = {"low_s": 0.99, "high_s": 1.02}
        row = rows.row(one, TOTAL, 0, False)
        self.assertTrue(row["covered_at_probe"] and report.probed(row)["covered"])
        self.assertEqual(report.covered(row), "no / yes")

    def test_the_network_term_where_nodes_share_cores(self):
        row = rows.row(record((9, 9, 9), (0.5, 0.45, 0.55)), TERM, 2, False)
        self.assertAlmostEqual(row["error"], 0.3 / 0.25 - 1)
        self.assertTrue(row["covered"])
        self.assertFalse(row["held_out"])

    def test_of_nodes_that_share_cores_the_network_is_compared_without_their_waiting(self):
        waited = record((9, 9, 9), (0.9, 0.85, 0.95))
        waited["predicted"]["refined"]["terms"]["wait"] = 0.15
        waited["predicted"]["refined"]["intervals"]["wait"] = [0.1, 0.3]
        row = rows.row(waited, TERM, 2, False)
        self.assertAlmostEqual(row["predicted_s"], 0.3)
        self.assertEqual(row["interval"], [0.2, 0.4])

    def test_the_middle_one_of_a_cases_runs(self):
        def runs(edge, *times):
            return [rows.row(record((1.0, 1, 1), (time,) * 3, edge=edge), TOTAL, 0, False)
                    for time in times]
        odd, even = rows.middle_rows(runs(8, 1.4, 0.9, 1.0) + runs(16, 1.5, 1.2))
        self.assertEqual((odd["size"], odd["measured_s"]), ("8 8 8", 1.0))
        self.assertEqual(odd["measured_range_s"], [0.9, 1.4])
        self.assertEqual((even["size"], even["measured_s"]), ("16 16 16", 1.2))
        single, double = (rows.row(record((1.0, 1, 1), (1.0, 1, 1), precision=precision), TOTAL, 0,
                                   False) for precision in ("f32", "f64"))
        self.assertEqual(rows.middle_rows([single, double, double])[0]["precision"], "f32")
        wrong = record((1.0, 1, 1), (2.0, 2, 2))
        wrong["verification"]["passed"] = False
        bad = rows.middle_rows(runs(8, 1.0, 1.1) + [rows.row(wrong, TOTAL, 0, False)])
        self.assertEqual([(row["measured_s"], row["verified"]) for row in bad], [(1.1, False)])

    def test_what_overlap_saved_of_the_network_time(self):
        off = rows.row(record((1.0, 1, 1), (0.8, 1, 1)), TOTAL, 0, False)  # network: 0.3 and 0.4
        on = rows.row(record((0.85, 1, 1), (0.5, 1, 1), "on"), TOTAL, 0, False)
        alone = rows.row(record((1, 1, 1), (1, 1, 1), "on", edge=16), TOTAL, 1, False)
        rows.add_hidden([on, alone, off])
        self.assertAlmostEqual(on["hidden_predicted"], 0.15 / 0.3)
        self.assertAlmostEqual(on["hidden_measured"], 0.3 / 0.4)
        for row in (alone, off):
            self.assertEqual((row["hidden_predicted"], row["hidden_measured"]), (None, None))

    def test_links_against_the_rate_less_headers(self):
        def timing(line, large):
            return {"bandwidth_bytes_per_s": {"value": line}, "segments": [
                {"bandwidth_bytes_per_s": {"value": 1e9}},
                {"bandwidth_bytes_per_s": {"value": large}}]}
        truth = 125e6 * 8948 / 9014
        machine = {"links": {"network": {
            **timing(130e6, 1.03 * truth), "exchange": timing(130e6, 120e6),
            "concurrent": [{"pairs": 2, **timing(130e6, 60e6)}]}}}
        found = rows.link_rows(machine, TOTAL)
        self.assertEqual([row["what"] for row in found],
                         ["bandwidth, MB/s", "time of 2 pairs / of 1"])
        self.assertAlmostEqual(found[0]["expected"], truth / 1e6)
        self.assertAlmostEqual(found[0]["error"], 0.03)
        self.assertEqual((found[1]["expected"], found[1]["found"], found[1]["error"]), (2, 2, 0))


class Plan(unittest.TestCase):
    def test_totals_only_where_each_rank_has_a_core(self):
        what = {cores: {network.name: network.what for network in plan.networks(cores)}
                for cores in (2, 4)}
        self.assertEqual(what[2]["box-2-1gbit"], "total")
        self.assertEqual(what[2]["box-4-1gbit"], "network")
        self.assertEqual(what[4]["box-4-1gbit"], "total")

    def test_messages_are_long_enough_to_see_the_rate(self):
        sizes = {network.name: plan.largest_message(network) for network in plan.networks(2)}
        self.assertEqual(sizes["box-2-200mbit"], 4 << 20)  # 174 ms
        self.assertEqual(sizes["box-2-1gbit"], 32 << 20)   # 270 ms
        self.assertEqual(sizes["box-2-5gbit"], 64 << 20)   # 107 ms: the largest of all

    def test_a_held_out_size_is_beyond_what_calibration_sees(self):
        for network in plan.networks(2):
            words = plan.calibration(network, True)
            if network.what == "links":
                continue
            seen = dict(zip(words[::2], map(int, words[1::2])))
            self.assertLess(network.ranks * seen["--largest-edge"] ** 3, plan.EDGES[-1] ** 3)
            self.assertLess(seen["--largest-message"], 4 * plan.EDGES[-1] ** 2)


class Verdict(unittest.TestCase):
    def test_judges_what_is_between_nodes_at_the_probe(self):
        local = plan.Network("local", 0, 2)
        cases = [rows.row(record((1.3, 1, 1), (1, 1, 1), at_probe=0.04), TOTAL, 0, False),
                 rows.row(record((1.05, 1, 1), (1, 1, 1), at_probe=-0.02), TOTAL, 1, False),
                 rows.row(record((1.0, 1, 1), (1, 1, 1)), TOTAL, 2, False),
                 rows.row(record((2.0, 1, 1), (1, 1, 1), at_probe=0.5), local, 2, False)]
        summaries = report.groups(cases)
        self.assertEqual([summaries[name]["cases"] for name in
                          ("between nodes", "between nodes, at the probe", "all")], [3, 3, 4])
        self.assertAlmostEqual(summaries["between nodes, at the probe"]["worst"], 0.04)
        self.assertAlmostEqual(summaries["between nodes"]["worst"], 0.3)
        self.assertAlmostEqual(summaries["all"]["worst"], 1.0)
        self.assertAlmostEqual(summaries["all, at the probe"]["worst"], 0.5)
        self.assertEqual(report.verdict(summaries, [], cases), [])
        cases[0]["error_at_probe"] = -0.3
        self.assertEqual(len(report.verdict(report.groups(cases), [], cases)), 1)

    def test_names_what_was_missed(self):
        cases = [rows.row(record((value, value, value), (1, 1, 1)), TOTAL, size, True)
                 for size, value in enumerate((1.0, 1.05, 1.3))]
        summaries = report.groups(cases)
        self.assertEqual(summaries["held out"]["cases"], 1)
        self.assertEqual(summaries["seen"]["cases"], 2)
        missed = report.verdict(summaries, [], cases)
        self.assertEqual(len(missed), 1, missed)
        self.assertIn("worst error 30.0 %", missed[0])
        link = {"network": "box", "what": "bandwidth", "error": -0.06}
        self.assertIn("-6.0 %", report.verdict({}, [link], [])[0])

    def shown(self, document):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(document, file)
            file.flush()
            return subprocess.run([sys.executable, VALIDATE, "--show", file.name], check=True,
                                  capture_output=True, text=True, timeout=30).stdout

    def test_a_results_file_prints_as_it_was(self):
        cases = [rows.row(record((1, 1, 1), (1, 1, 1)), TOTAL, 0, False),
                 rows.row(record((0.85, 1, 1), (0.875, 1, 1), "on"), TOTAL, 0, False)]
        rows.add_hidden(cases)
        document = {"date": "2026-01-02", "cpu": "a CPU", "cores": 2, "links": [], "cases": cases,
                    "summary": report.groups(cases), "notes": [], "missed": []}
        shown = self.shown(document)
        self.assertEqual(shown, report.text(document) + "\n")
        self.assertIn("50.0 % / 25.0 %", shown)
        self.assertIn("8 8 8 f32", shown)
        for row in cases:
            del row["precision"]  # as in files of before it was kept
        self.assertEqual(self.shown(document).count("8 8 8"), 2)
        self.assertIn("All targets met.", shown)

    def test_a_matrix_counts_every_run_by_mini_app(self):
        local = plan.Network("1-rank", 0, 1)

        def turn(*errors):
            return [rows.row(record((1 + raw, 1, 1), (1, 1, 1), at_probe=probed, app=app,
                                    precision=precision), local, 0, False)
                    for app, precision, raw, probed in errors]
        cases = matrix.Matrix.taken([
            turn(("lbm", "f32", 0.5, 0.06), ("lbm", "f64", 0.1, 0.07), ("airfoil", "f64", 0.1, 0.1)),
            turn(("lbm", "f32", 0.2, 0.09), ("lbm", "f64", 0.3, -0.19), ("airfoil", "f64", 0.3, 0.01))])
        rows.add_hidden(cases)
        self.assertEqual([row["turn"] for row in cases], [1] * 3 + [2] * 3)
        self.assertTrue(all(row["held_out"] for row in cases))
        summaries = matrix.Matrix.groups(cases)
        self.assertEqual({name: one["cases"] for name, one in summaries.items() if "," not in name},
                         {"lbm": 4, "airfoil": 2, "all": 6})
        self.assertAlmostEqual(summaries["lbm"]["median"], 0.25)
        self.assertAlmostEqual(summaries["lbm, at the probe"]["median"], 0.08)
        self.assertAlmostEqual(summaries["lbm, at the probe"]["p95"], 0.19)
        missed = matrix.Matrix.verdict(summaries, [], cases)
        self.assertIn("lbm, at the probe: p95 error 19.0 %, at most 12.0 % expected", missed)
        document = {"date": "2026-01-02", "cpu": "a CPU", "cores": 2, "links": [], "cases": cases,
                    "summary": summaries, "targets": matrix.Matrix.TARGETS, "notes": [],
                    "missed": missed, "disturbed": 4}
        shown = self.shown(document)
        words = [line.replace("|", " ").split() for line in shown.splitlines()]
        self.assertIn("lbm 4 25.0 % 50.0 % 100.0 % 8.0 % 19.0 % 100.0 %".split(), words)
        self.assertIn("MISSED: lbm", shown)
        self.assertIn("each run", shown)
        self.assertIn("copied 4 GB/s", shown)

    def test_a_share_of_runs_outside_the_intervals_is_missed(self):
        def missed(count):
            cases = [dict(rows.row(record((1, 1, 1), (1, 1, 1), app="lbm"), TOTAL, 0, False),
                          covered=index < count, covered_at_probe=index < 9) for index in range(10)]
            return matrix.Matrix.verdict(matrix.Matrix.groups(cases), [], cases)
        self.assertEqual(missed(8), [])
        self.assertEqual(missed(7), ["all: intervals hold 70.0 % of the runs, 80 to 97 % expected"])
        self.assertIn("100.0 %", missed(10)[0])


class Matrix(unittest.TestCase):
    def test_sizes_are_drawn_anew_odd_and_even(self):
        one = matrix.Matrix("one")
        local, pair = one.networks(2)
        self.assertEqual([local.ranks, pair.ranks], [1, 2])
        self.assertEqual(one.cases(local, 0), matrix.Matrix("one").cases(local, 0))
        drawn = [sweep.cases(network, turn) for sweep in (one, matrix.Matrix("two"))
                 for network in (local, pair) for turn in range(2)]
        for index, cases in enumerate(drawn):
            self.assertNotIn(cases, drawn[:index])
        for app in matrix.RANGES:
            edges = [int(words[1]) for turn in range(20) for words in one.sizes(app, local, turn)]
            self.assertFalse(set(edges) & matrix.KNOWN)
            odd = sum(edge % 2 for edge in edges) / len(edges)
            self.assertTrue(0.25 < odd < 0.75, f"{app}: {odd}")

    def test_precisions_ranks_and_grids_of_every_mini_app(self):
        sweep = matrix.Matrix("one")
        for network in sweep.networks(2):
            cases = sweep.cases(network)
            self.assertEqual({name for name, _, _ in cases}, set(matrix.RANGES))
            for app in ("diffusion", "lbm", "airfoil", "cholesky"):
                found = {(size, words[words.index("--precision") + 1])
                         for name, size, words in cases if name == app}
                self.assertEqual(found, {(size, precision) for size in range(len(matrix.RANGES[app]))
                                         for precision in ("f32", "f64")})
            grids = {words[words.index("--grid") + 1] for name, _, words in cases if name == "hpl"}
            self.assertEqual(grids, {"1x1"} if network.ranks == 1 else {"1x2", "2x1"})

    def validate(self, *words):
        return subprocess.run([sys.executable, VALIDATE, *words], capture_output=True, text=True,
                              timeout=30)

    def test_as_a_mode(self):
        self.assertEqual(self.validate("--matrix", "--list").stdout, "1-rank\n2-ranks\n")
        refused = self.validate("--matrix", "--held-out")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--matrix, --held-out: found both", refused.stderr)


class Residuals(unittest.TestCase):
    def test_are_measured_over_predicted_at_the_probe(self):
        found = [dict(rows.row(record((1.0, 1, 1), (1, 1, 1), at_probe=1 / (0.9 + 0.01 * index) - 1),
                               TOTAL, 0, False), held_out=True, nodes=0) for index in range(21)]
        found += [dict(found[0], held_out=False), dict(found[0], verified=False)]
        old = {"schema": "a", "residuals": {"lbm": {"runs": 1}}}
        new = residuals.merged(old, {"x.json": {"cases": found},
                                     "y.json": {"cases": found, "disturbed": 3}})["residuals"]
        self.assertEqual(new["lbm"], {"runs": 1})
        self.assertEqual(new["diffusion"]["runs"], 21)
        self.assertAlmostEqual(new["diffusion"]["median"], 0)
        self.assertAlmostEqual(new["diffusion"]["ratios"]["total"][0], 0.9)
        self.assertAlmostEqual(new["diffusion"]["mean_excess"], 0.05)
        self.assertEqual(len(new["diffusion"]["ratios"]["network"]), 21)  # 0.5 measured, 0.3 predicted
        self.assertAlmostEqual(new["diffusion"]["ratios"]["network"][0], 0.5 / 0.3, places=3)
        self.assertEqual(json.loads(residuals.text({"schema": "a", "residuals": new}))["residuals"], new)
        self.assertEqual(residuals.merged(old, {"x.json": {"cases": found[:11]}}), old)

    def test_files_that_are_none_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            broken, other = pathlib.Path(folder) / "broken.json", pathlib.Path(folder) / "other.json"
            broken.write_text('{"cases": ')
            other.write_text("[]")
            for option in ("--residuals", "--show"):
                for path, problem in ((broken, "Expecting value"), (other, "no results file"),
                                      (pathlib.Path(folder) / "none.json", "No such file")):
                    done = subprocess.run([sys.executable, VALIDATE, option, path],
                                          capture_output=True, text=True, timeout=30)
                    self.assertEqual(done.returncode, 2)
                    self.assertIn(f"{option}: {path}: {problem}", done.stderr)

    def test_between_nodes_are_their_own(self):
        def case(error, **changed):
            return {**rows.row(record((1.0, 1, 1), (1, 1, 1), at_probe=error), TOTAL, 0, False), **changed}
        alone = [case(0.0, held_out=True, nodes=0) for _ in range(12)]
        between = [case(1.0, nodes=2) for _ in range(12)] + [case(9.0, nodes=4, what="network")]
        old = {"schema": "a", "residuals": {}}
        known = residuals.merged(old, {"x.json": {"cases": alone}, "y.json": {"cases": between}})
        self.assertEqual(known["residuals"]["diffusion"]["ratios"]["total"], [1.0] * 12)
        self.assertEqual(known["residuals"]["diffusion"]["ratios"]["total between nodes"], [0.5] * 12)
        self.assertIn("y.json", known["residuals"]["diffusion"]["between_nodes_source"])
        self.assertNotIn("y.json", known["residuals"]["diffusion"]["source"])
        self.assertEqual(residuals.merged(known, {"x.json": {"cases": alone}}), known)
        self.assertEqual(residuals.merged(old, {"y.json": {"cases": between}}), old)


class Disturbance(unittest.TestCase):
    def test_moves_what_it_is_told_at_most(self):
        asked = 4e8
        self.assertLessEqual(disturbance.copy(asked, 0.5), 1.5 * asked)
        self.assertGreater(disturbance.copy(asked, 0.5), 0)

    def test_disturbance_ends_with_who_began_it(self):
        # Killed, that has no time to end it.
        code = "import sys, time; sys.path.insert(0, sys.argv[1]); from validation import disturbance\n" \
               "with disturbance.beside(0.1): time.sleep(1); print('begun', flush=True); time.sleep(60)"
        begun = subprocess.Popen([sys.executable, "-c", code, str(pathlib.Path(VALIDATE).parent)],
                                 stdout=subprocess.PIPE)
        begun.stdout.readline()
        children = [number for number, parent in parents() if parent == begun.pid]
        self.assertEqual(len(children), 1)
        begun.kill()
        begun.wait()
        begun.stdout.close()
        deadline = time.monotonic() + 10
        while children[0] in dict(parents()) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertNotIn(children[0], dict(parents()))


if __name__ == "__main__":
    unittest.main()
