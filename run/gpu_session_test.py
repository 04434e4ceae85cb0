# SPDX-License-Identifier: MIT
"""The plan, time limits, parsing and tables of run/gpu-session, against values worked out here. The
whole runs in run/bundle/gpu_session_test.sh."""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import shutil
import unittest
import unittest.mock

from gpu_session import check, matrix, place, session, tables, tune
from gpu_session.session import FAILED, LEFT, PASSED, Done, Job, Result

COMMAND = str(pathlib.Path(__file__).resolve().parent / "gpu-session")


def done(status=0, out="", error="", **what):
    return Done(status, out, error, 1.0, **what)


def a_case(app="diffusion", precision="f32", cells="512x512x512", ranks=1, share=0.95, error=0.01,
           total_s=1e-3, rate=1e9, device="cuda/NVIDIA H100 80GB HBM3"):
    return {"app": app, "precision": precision, "size": cells, "ranks": ranks, "overlap": "off",
            "halo": "staged", "share": share, "share_at_probe": None, "error": error,
            "error_at_probe": None, "total_s": total_s, "rate": rate, "unit": "cells/s",
            "device": device, "verified": "yes"}


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.session = None

    def start(self, program="/bin/true"):
        here = place.Place(self.folder, pathlib.Path(program), pathlib.Path("/bin/false"))
        self.session = session.Session(self.folder, here)
        self.addCleanup(self.session.close)
        return self.session

    def perform(self, limit_s, *jobs):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            (self.session or self.start()).perform("check", limit_s, jobs)
        return printed.getvalue()


class Steps(InFolder):
    def outcomes(self):
        return [(step["step"], step["outcome"]) for step in self.session.steps()]

    def test_each_is_kept_as_it_ends_and_what_is_left_is_named(self):
        def look(inner):
            self.assertEqual(self.outcomes(), [("first", PASSED)])
            return Result(FAILED, "wrong")
        printed = self.perform(60, Job("first", lambda s: Result(PASSED, "fine")), Job("second", look),
                               Job("third", lambda s: Result(PASSED), least_s=1000))
        self.assertEqual(self.outcomes(), [("first", PASSED), ("second", FAILED), ("third", LEFT)])
        self.assertIn("FAILED", printed)
        summary = (self.folder / "summary.txt").read_text()
        self.assertIn("FAILED check, second: wrong", summary)
        self.assertRegex(summary, r"\| check +\| 1 +\| 1 +\| 0 +\| 1 ")

    def test_done_again_the_last_counts(self):
        self.perform(60, Job("one", lambda s: Result(FAILED)))
        self.perform(60, Job("one", lambda s: Result(PASSED)))
        self.assertEqual(self.outcomes(), [("one", PASSED)])
        self.assertIn("No step failed", (self.folder / "summary.txt").read_text())

    def test_commands_are_ended_with_their_children_and_by_whose_time_is_told(self):
        mark = f"7{time.monotonic_ns() % 10**9}"
        ends = []

        def work(limit_s):
            def run(inner):
                ends.append(inner.run(["sh", "-c", f"echo begun; sleep {mark} & wait"], limit_s=limit_s))
                return session.failure(ends[-1])
            return run
        begin = time.monotonic()
        self.perform(3, Job("hangs", work(0.5), 0), Job("cut", work(60), 0))
        self.assertLess(time.monotonic() - begin, 15)
        self.assertEqual(self.outcomes(), [("hangs", FAILED), ("cut", LEFT)])
        self.assertEqual([end.out for end in ends], ["begun\n"] * 2)
        self.assertEqual([(end.hung, end.cut) for end in ends], [(True, False), (False, True)])
        found = subprocess.run(["pgrep", "-f", f"sleep {mark}"], capture_output=True)
        self.assertEqual(found.stdout, b"")

    def test_the_log_is_bounded(self):
        self.start()
        self.session.end = time.monotonic() + 60
        program = "for n in range(60000): print('x' * 99)"
        for _ in range(2):
            ended = self.session.run([sys.executable, "-c", program])
            self.assertEqual(len(ended.out), 6000000)
        log = (self.folder / "log.txt").read_text()
        self.assertLess(len(log), 2.1 * session.COMMAND_BYTES)
        self.assertIn("more of it is not kept", log)

    def test_what_cannot_be_started_fails(self):
        self.perform(60, Job("none", lambda s: session.failure(s.run(["/nowhere/at/all"]))))
        self.assertEqual(self.outcomes(), [("none", FAILED)])

    def test_records_that_were_cut_short_are_none(self):
        self.start()
        self.session.records_file.write_text('{"a": 1}\n{"a": 2}\n{"a":')
        self.assertEqual(self.session.records(), [{"a": 1}, {"a": 2}])


class Parsing(InFolder):
    def test_googletest(self):
        passed = "[==========] 9 tests\n[  PASSED  ] 7 tests.\n"
        self.assertEqual(check.of_gtest(done(out=passed)), Result(PASSED, "7 tests"))
        self.assertEqual(check.of_gtest(done(out=passed + "[  SKIPPED ] 2 tests, listed below:\n")).note,
                         "7 tests, 2 skipped")
        self.assertEqual(check.of_gtest(done(out="[  PASSED  ] 0 tests.\n")).outcome, FAILED)
        self.assertEqual(check.of_gtest(done()).outcome, FAILED)
        failed = "[  FAILED  ] A/B.C/cuda, where GetParam() = x (3 ms)\n[  FAILED  ] A/B.C/cuda\n"
        self.assertEqual(check.of_gtest(done(1, failed)), Result(FAILED, "A/B.C/cuda"))
        self.assertEqual(check.of_gtest(done(-11, passed)).outcome, FAILED)
        self.assertEqual(check.of_gtest(done(1, cut=True)).outcome, LEFT)

    def test_last_words(self):
        crash = "bellwether: run: no memory (rank 0)\n[vm:12] *** End of error message ***\n"
        self.assertEqual(done(6, error=crash).said(), "bellwether: run: no memory (rank 0)")
        self.assertEqual(done(-11, error="so\n[vm:12] *** End of error message ***\n").said(), "so")
        self.assertEqual(session.failure(done(-11)).note, "SIGSEGV")

    def test_quantities(self):
        for value, text in ((3.35e12, "3.35 TB/s"), (999, "999 B/s"), (2.5e-6, "2.5 uB/s"), (0, "0 B/s")):
            self.assertEqual(tables.quantity(value, "B/s"), text)

    def test_results_are_the_cpus(self):
        found = [("1 rank", {"fingerprint": "ab"}), ("2 ranks", {"fingerprint": "cd"}), ("3", {})]
        self.assertEqual(matrix.wrong_bits(found, {"fingerprint": "ab"}),
                         ["2 ranks: fingerprint cd, ab expected", "3: fingerprint None, ab expected"])


    def test_sizes_are_named_alike_before_a_run_and_in_its_record(self):
        for app, size, problem, variant, name in (
                ("diffusion", matrix.cube(24), {"cells": [24, 24, 24]}, {}, "24x24x24"),
                ("hpl", ("--size", 130, "--block", 32), {"size": 130, "block": 32}, {},
                 "130, block 32"),
                ("cholesky", ("--size", 70), {"size": 70}, {"block": 1}, "70"),
                ("cholesky", ("--size", 70, "--block", 8), {"size": 70}, {"block": 8}, "70, block 8")):
            self.assertEqual(matrix.name_of(size), name, app)
            self.assertEqual(tables.size_of({"problem": problem, "variant": variant}), name, app)

    def test_options_are_those_that_an_app_has(self):
        self.start()
        asked = {}

        def run(_session, words, _ranks, _limit_s):
            asked[words[0]] = words
            return done(1), []
        with unittest.mock.patch.object(matrix, "run", run), \
                unittest.mock.patch.object(matrix, "machine_file", lambda *_: "machine-1.json"):
            for app, sizes in matrix.SIZES.items():
                matrix.case(self.session, app, sizes[0], matrix.precisions(app)[0], 1, "staged", 9)
        self.assertEqual({app for app, words in asked.items() if "--halo" in words}, set(matrix.HALOS))
        self.assertEqual({app for app, words in asked.items() if "--precision" not in words}, {"hpl"})


class Targets(unittest.TestCase):
    def verdicts(self, *cases):
        return {row["what"]: row["verdict"] for row in matrix.judge(list(cases))}

    def test_what_was_not_measured_is_missed(self):
        self.assertEqual(set(self.verdicts().values()), {"MISSED"})

    def test_shares_are_of_the_fastest_on_one_rank(self):
        name = "diffusion f32, share of the copy"
        slow, fast = a_case(share=0.8, total_s=2e-3), a_case(share=0.92)
        self.assertEqual(self.verdicts(slow, fast)[name], "met")
        self.assertEqual(self.verdicts(slow)[name], "MISSED")
        self.assertEqual(self.verdicts(slow, dict(fast, ranks=2))[name], "MISSED")
        self.assertEqual(self.verdicts(dict(fast, size="128x128x128"))[name], "MISSED")
        self.assertEqual(self.verdicts(dict(fast, share=None))[name], "MISSED")

    def test_published_rates_are_those_of_the_same_device(self):
        lbm = a_case("lbm", cells="256x256x256", rate=20000e6)
        of = "lbm f32, FluidX3D on an "
        self.assertEqual(self.verdicts(lbm)[of + "H100"], "met")
        self.assertNotIn(of + "H200", self.verdicts(lbm))
        self.assertEqual(self.verdicts(dict(lbm, device="cuda/NVIDIA H200"))[of + "H200"], "MISSED")

    def test_airfoils_time(self):
        airfoil, name = a_case("airfoil", "f64", "400x600", total_s=120e-6), \
            "airfoil 720000 cells f64, an iteration"
        self.assertEqual(self.verdicts(airfoil)[name], "met")
        self.assertEqual(self.verdicts(dict(airfoil, total_s=121e-6))[name], "MISSED")

    def test_errors_are_of_all_cases_without_their_sign(self):
        cases = [a_case(error=error) for error in (-0.19, 0.05, 0.02)] + [a_case(error=0.9, ranks=2)]
        median, worst = (f"refined prediction, {name} of 3 cases on one rank" for name in ("median", "worst"))
        self.assertEqual([self.verdicts(*cases)[name] for name in (median, worst)], ["met", "met"])
        cases[0]["error"], cases[1]["error"] = -0.21, 0.09
        self.assertEqual([self.verdicts(*cases)[name] for name in (median, worst)],
                         ["MISSED", "MISSED"])


class Tuning(unittest.TestCase):
    def test_the_knobs_are_those_of_the_sources(self):
        header = (place.ROOT / "kernels/launch/cuda/cuda_knobs.hpp").read_text()
        self.assertEqual(set(tune.KNOBS), set(tune.MEASURED))
        self.assertLessEqual(set(tune.KNOBS), set(tune.SMALLEST))
        named = dict(re.findall(r"(?m)^#define (BELLWETHER_\w+) (\d+)$", header))
        tried = {macro: values for macros in tune.KNOBS.values() for macro, values in macros.items()}
        self.assertEqual(set(tried), set(named))
        for macro, values in tried.items():
            self.assertNotIn(int(named[macro]), values, macro)

    def test_each_value_alone_and_one_of_each_family_together(self):
        trials = tune.trials_of({"a": {"X": (1, 2), "Y": (3,)}, "b": {"Z": (4,)}})
        self.assertEqual(trials, [{"a": {"X": 1}, "b": {"Z": 4}}, {"a": {"X": 2}}, {"a": {"Y": 3}}])

    def test_what_gained_is_put_together(self):
        default = {"a": {"k1": 100.0, "k2": 100.0}}
        found = [({"a": {"X": 1}}, {"a": {"k1": 110.0, "k2": 110.0}}),
                 ({"a": {"X": 2}}, {"a": {"k1": 150.0, "k2": 50.0}}),
                 ({"a": {"Y": 3}}, {"a": {"k1": 120.0, "k2": 101.0}}),
                 ({"a": {"Z": 1}}, {"a": {"k1": 100.5, "k2": 100.5}})]
        self.assertEqual(tune.together(default, found), {"a": {"X": 1, "Y": 3}})
        self.assertIsNone(tune.together(default, found[:2]))

    def test_the_best_of_each_measurement(self):
        default = {"a": {"k1": 100.0, "k2": 100.0}}
        found = [({"a": {"BELLWETHER_X": 1}}, {"a": {"k1": 110.0, "k2": 90.0}})]
        rows = tune.best(default, found).values["best"]
        self.assertEqual([(row["what"], row["knobs"], row["gain"]) for row in rows],
                         [("k1", "X=1", "+10.0 %"), ("k2", "default", "+0.0 %")])


class Places(InFolder):
    def test_a_build_folder(self):
        (self.folder / "bellwether").touch()
        with self.assertRaisesRegex(place.NotHere, "gpu_tests.txt"):
            place.find(self.folder)
        (self.folder / "gpu_tests.txt").write_text("kernels/a_test \nminiapps/b_test 1 4\n")
        (self.folder / "CMakeCache.txt").write_text("MPIEXEC_EXECUTABLE:FILEPATH=/opt/mpiexec\n")
        found = place.find(self.folder)
        self.assertEqual([(path.name, ranks) for path, ranks in found.tests()],
                         [("a_test", 0), ("b_test", 1), ("b_test", 4)])
        self.assertEqual(found.launcher(0, 60), [])
        words = found.launcher(2, 60)
        self.assertEqual([words[0], *words[-4:]], ["/opt/mpiexec", "--timeout", "55", "-n", "2"])
        with self.assertRaisesRegex(place.NotHere, "nothing.so"):
            place.find(self.folder, "nothing.so")

    def test_a_build_whose_gpu_is_made_of_cpu_is_taken_only_if_given(self):
        for name, backend in (("asan", "HOST_GPU"), ("other", "ON")):
            folder = self.folder / "build" / name
            folder.mkdir(parents=True)
            (folder / "bellwether").touch()
            (folder / "gpu_tests.txt").touch()
            (folder / "CMakeCache.txt").write_text(
                f"MPIEXEC_EXECUTABLE:FILEPATH=/opt/mpiexec\nBELLWETHER_CUDA:STRING={backend}\n")
        with unittest.mock.patch.object(place, "ROOT", self.folder):
            self.assertEqual(place.find().folder.name, "other")
            shutil.rmtree(self.folder / "build/other")
            with self.assertRaises(place.NotHere):
                place.find()
            self.assertEqual(place.find(self.folder / "build/asan").folder.name, "asan")

    def test_every_process_may_or_may_not_be_read(self):
        self.assertIn(place.reads_another_process(), (True, False))


class Command(InFolder):
    def run_it(self, *words, script="exit 0"):
        program = self.folder / "bellwether"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        (self.folder / "gpu_tests.txt").write_text("kernels/a_test\n")
        (self.folder / "CMakeCache.txt").write_text("MPIEXEC_EXECUTABLE:FILEPATH=/opt/mpiexec\n")
        return subprocess.run(
            [sys.executable, "-B", COMMAND, *words, "--build", str(self.folder)], text=True,
            capture_output=True, timeout=60, env={**os.environ, "TMPDIR": str(self.folder)})

    def test_unusable_options(self):
        out = ["-o", str(self.folder / "out")]
        for words, said in (([*out], "STAGE"), (["checks", *out], "checks"), (["check"], "--output"),
                            (["check", *out, "--time-limit", "0"], "at least 1"),
                            (["check", *out, "--machines", "/nowhere"], "/nowhere")):
            ended = self.run_it(*words)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(said, ended.stderr)

    def test_no_gpu_is_told_before_any_stage(self):
        ended = self.run_it("check", "tune", "-o", str(self.folder / "out"),
                            script="echo 'bellwether: no CUDA device' >&2; exit 3")
        self.assertEqual(ended.returncode, 3)
        self.assertRegex(ended.stderr, "^gpu-session: no GPU .*bellwether: no CUDA device\n$")
        self.assertEqual(ended.stdout, "")
        self.assertFalse((self.folder / "out" / "steps.jsonl").exists())

    def test_a_stage_out_of_time_ends_in_good_order(self):
        """Of a program that sleeps at its second start: what was begun is cut, all else is named."""
        script = f'[ -e {self.folder}/begun ] && exec sleep 600; touch {self.folder}/begun'
        ended = self.run_it("check", "-o", str(self.folder / "out"), "--time-limit", "2", script=script)
        self.assertEqual(ended.returncode, 5, ended.stdout + ended.stderr)
        steps = [json.loads(line) for line in (self.folder / "out/steps.jsonl").read_text().splitlines()]
        self.assertEqual({step["outcome"] for step in steps}, {LEFT})
        self.assertIn("gpu_test.py", [step["step"] for step in steps])
        self.assertIn("cut off", steps[0]["note"])


if __name__ == "__main__":
    unittest.main()
