# SPDX-License-Identifier: MIT
"""The plan, time limits, parsing and tables of run/lab/gpu-session, against values worked out here; on the GPU
made of CPU some of its steps. The whole runs in run/bundle/gpu_session_test.sh."""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import shutil
import unittest
import unittest.mock

from gpu_session import check, judge, pack, place, runs, session, steps, tables
from gpu_session import done as passed_before
from gpu_session.session import DONE, FAILED, LEFT, PASSED, SKIPPED, Done, Result, Step
from validation import again, corpus

COMMAND = str(pathlib.Path(__file__).resolve().parent / "gpu-session")


def done(status=0, out="", error="", **what):
    return Done(status, out, error, 1.0, **what)


def a_step(name, outcome=PASSED, seconds=0, **what):
    return Step(name, lambda _: Result(outcome), seconds, **what)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.session = None

    def start(self, program="/bin/true", **what):
        here = place.Place(self.folder, pathlib.Path(program), pathlib.Path("/bin/false"))
        self.session = session.Session(self.folder, here, **what)
        self.addCleanup(self.session.close)
        return self.session

    def perform(self, limit_s, *planned, pattern=None):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            (self.session or self.start()).perform(limit_s, planned, pattern)
        return printed.getvalue()


class Steps(InFolder):
    def outcomes(self):
        return [(step["step"], step["outcome"]) for step in self.session.steps()]

    def test_each_is_kept_as_it_ends_and_what_is_left_is_named(self):
        def look(inner):
            self.assertEqual(self.outcomes(), [("first", PASSED)])
            return Result(FAILED, "wrong")
        printed = self.perform(60, a_step("first"), Step("second", look), a_step("third", seconds=1000),
                               a_step("fourth", needs=(lambda _: None, lambda _: "no such tool")),
                               a_step("fifth"))
        self.assertEqual(self.outcomes(), [("first", PASSED), ("second", FAILED), ("third", LEFT),
                                           ("fourth", SKIPPED), ("fifth", PASSED)])
        self.assertIn("FAILED", printed)
        summary = (self.folder / "summary.txt").read_text()
        self.assertIn("FAILED second: wrong", summary)
        self.assertIn("no such tool", summary)
        self.assertRegex(summary, r"\n\| 2 +\| 1 +\| 0 +\| 1 +\| 1 ")

    def test_done_again_the_last_counts(self):
        self.perform(60, a_step("one", FAILED))
        self.perform(60, a_step("one"))
        self.assertEqual(self.outcomes(), [("one", PASSED)])
        self.assertIn("No step failed", (self.folder / "summary.txt").read_text())

    def test_what_passed_before_with_the_same_files_is_not_done_again(self):
        sources = self.folder / "kernels/hpl"
        sources.mkdir(parents=True)
        (sources / "hpl.cu").write_text("one")
        known = self.folder / "known.jsonl"
        with unittest.mock.patch.object(place, "ROOT", self.folder):
            planned = [a_step("fast", depends=("kernels/hpl",)),
                       a_step("wrong", FAILED, depends=("kernels",)), a_step("always")]
            for change, expected in (
                    (None, [PASSED, FAILED, PASSED]), (None, [DONE, FAILED, PASSED]),
                    (("hpl.md", "text"), [DONE, FAILED, PASSED]),
                    (("hpl_test.cpp", "tests"), [DONE, FAILED, PASSED]),
                    (("hpl.cu", "two"), [PASSED, FAILED, PASSED])):
                if change:
                    (sources / change[0]).write_text(change[1])
                passed_before.digest.cache_clear()
                self.start(known=known)
                self.perform(60, *planned)
                self.assertEqual([outcome for _, outcome in self.outcomes()], expected, change)
                with open(known, "a") as lines:
                    lines.write((self.folder / passed_before.NAME).read_text())
                for name in (passed_before.NAME, "steps.jsonl"):
                    (self.folder / name).unlink()
            self.start(known=known)
            self.perform(60, *planned)
            self.assertEqual(dict(self.outcomes())["fast"], DONE)
            self.start(known=known)  # asked for by name it is done
            self.perform(60, *planned, pattern=re.compile("fast"))
            self.assertEqual(dict(self.outcomes())["fast"], PASSED)
            (self.folder / "steps.jsonl").unlink()
            self.start(known=known, smallest=True)  # and of other sizes nothing is known
            self.perform(60, *planned)
            self.assertEqual(dict(self.outcomes())["fast"], PASSED)
        passed_before.digest.cache_clear()

    def test_seconds_are_those_of_the_last_time(self):
        known = self.folder / "known.jsonl"
        known.write_text('{"step": "long", "hash": "1", "seconds": 90, "time": "T"}\n')
        self.start(known=known)
        self.perform(60, a_step("long", seconds=1))
        self.assertEqual(self.outcomes(), [("long", LEFT)])

    def test_without_a_vital_one_nothing_is_begun(self):
        self.perform(60, a_step("smoke", FAILED, vital=True), a_step("rest"))
        self.assertEqual(self.outcomes(), [("smoke", FAILED), ("rest", LEFT)])

    def test_commands_are_ended_with_their_children_and_by_whose_time_is_told(self):
        mark = f"7{time.monotonic_ns() % 10**9}"
        ends = []

        def work(limit_s):
            def run(inner):
                ends.append(inner.run(["sh", "-c", f"echo begun; sleep {mark} & wait"], limit_s=limit_s))
                return session.failure(ends[-1])
            return run
        begin = time.monotonic()
        self.perform(3, Step("hangs", work(0.5), 0), Step("cut", work(60), 0))
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
        self.perform(60, Step("none", lambda s: session.failure(s.run(["/nowhere/at/all"]))))
        self.assertEqual(self.outcomes(), [("none", FAILED)])

    def test_a_fault_of_the_command_itself_is_one_steps(self):
        self.perform(60, Step("wrong", lambda _: {}["missing"]), a_step("next"))
        self.assertEqual(self.outcomes(), [("wrong", FAILED), ("next", PASSED)])
        self.assertIn("KeyError", (self.folder / "log.txt").read_text())

    def test_records_that_were_cut_short_are_none(self):
        file = self.folder / "records.jsonl"
        self.assertEqual(runs.whole_lines(file), [])
        file.write_text('{"a": 1}\n{"a": 2}\n{"a":')
        self.assertEqual(runs.whole_lines(file), ['{"a": 1}', '{"a": 2}'])


class Parsing(InFolder):
    def test_googletest(self):
        passed = "[==========] 9 tests\n[  PASSED  ] 7 tests.\n"
        self.assertEqual(check.of_gtest(done(out=passed)), Result(PASSED, "7 tests", {"tests": 7}))
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
        self.assertEqual(session.failure(done(3, error="bellwether: no GPU\n")),
                         Result(SKIPPED, "bellwether: no GPU"))

    AMG2023 = """Hypre init:
  wall clock time = 0.000113 seconds
=============================================
Problem 2: AMG Setup Time:
=============================================
PCG Setup:
  wall clock time = 0.250000 seconds

FOM_Setup: nnz_AP / Setup Phase Time: 2.638604e+06

=============================================
Problem 2: AMG-PCG Solve Time:
=============================================
PCG Solve:
  wall clock time = 0.048000 seconds

Iterations = 12
Final Relative Residual Norm = 7.097897e-09


FOM_Solve: nnz_AP * iterations / Solve Phase Time: 5.615878e+06



Figure of Merit (FOM): nnz_AP / (Setup Phase Time + 3 * Solve Phase Time) 1.095065e+08
"""

    def test_amg2023(self):
        right = runs.of_amg2023(self.AMG2023, 20)
        self.assertEqual((right.outcome, right.note), (
            PASSED, "4000.0 us, 12 iterations, setup 0.25 s, figure of merit 1.1e+08, residual 7.1e-09"))
        self.assertEqual(right.values["cases"][0]["rate"], 2e6)
        for wrong, said in ((self.AMG2023.replace("e-09", "e-07"), "residual 7.1e-07"),
                            (self.AMG2023.replace("Iterations", "Steps"), "not all"),
                            ("CUDA ERROR (code = 2, out of memory) at x.c:1\n" + self.AMG2023, "code = 2"),
                            (self.AMG2023.replace("7.097897e-09", "nan"), "not all")):
            self.assertEqual(runs.of_amg2023(wrong, 20).outcome, FAILED)
            self.assertIn(said, runs.of_amg2023(wrong, 20).note)

    def test_quantities(self):
        for value, text in ((3.35e12, "3.35 TB/s"), (999, "999 B/s"), (2.5e-6, "2.5 uB/s"), (0, "0 B/s")):
            self.assertEqual(tables.quantity(value, "B/s"), text)

    def test_results_are_the_cpus(self):
        found = [("1 rank", {"fingerprint": "ab"}), ("2 ranks", {"fingerprint": "cd"}), ("3", {})]
        self.assertEqual(runs.wrong_bits(found, "ab"),
                         ["2 ranks: fingerprint cd, ab expected", "3: fingerprint None, ab expected"])


    def test_sizes_are_named_alike_before_a_run_and_in_its_record(self):
        for size, problem, variant, name in (
                (("--cells", 24, 24, 24, "--steps", 3), {"cells": [24, 24, 24]}, {}, "24x24x24"),
                (("--cells", 12, 17, "--iterations", 3), {"cells": [12, 17]}, {}, "12x17"),
                (("--size", 130, "--block", 32), {"size": 130, "block": 32}, {}, "130, block 32"),
                (("--size", 70), {"size": 70}, {"block": 1}, "70"),
                (("--size", 70, "--block", 8), {"size": 70}, {"block": 8}, "70, block 8")):
            self.assertEqual(steps.name_of(size), name)
            self.assertEqual(tables.size_of({"problem": problem, "variant": variant}), name)


class Plan(InFolder):
    def test_names_are_different_and_files_are_there(self):
        planned = list(steps.steps(self.start()))
        names = [step.name for step in planned]
        self.assertEqual(len(set(names)), len(names))
        for path in {path for step in planned for path in step.depends}:
            self.assertTrue((place.ROOT / path).is_dir(), path)
        smallest = [step.name for step in steps.steps(self.start(smallest=True))]
        self.assertLess(len(smallest), len(names))

    def test_the_knobs_are_those_of_the_sources(self):
        header = (place.ROOT / "kernels/launch/cuda/cuda_knobs.hpp").read_text()
        named = dict(re.findall(r"(?m)^#define (BELLWETHER_\w+) (\d+)$", header))
        tried = {macro: values for macros in pack.KNOBS.values() for macro, values in macros.items()}
        self.assertEqual(set(tried), set(named))
        for macro, values in tried.items():
            self.assertNotIn(int(named[macro]), values, macro)
        for trials in pack.TOGETHER.values():
            for macro, value in (one for trial in trials for one in trial.items()):
                self.assertIn(value, tried[macro], macro)

    def test_each_value_alone_and_one_of_each_family_together(self):
        trials = pack.trials_of({"a": {"X": (1, 2), "Y": (3,)}, "b": {"Z": (4,)}}, {"b": [{"Z": 5, "V": 6}]})
        self.assertEqual(trials, [{"X": 1, "Z": 4}, {"X": 2, "Z": 5, "V": 6}, {"Y": 3}])

    def test_the_best_knobs_of_each_measurement(self):
        self.perform(60, *(Step(f"knobs: {name}", lambda _, r=rates: Result(PASSED, "", {"rates": r}))
                           for name, rates in (("default", {"k1": 100.0, "k2": 100.0}),
                                               ("X=1", {"k1": 110.0, "k2": 90.0}))))
        rows = runs.best_knobs(self.session).values["best"]
        self.assertEqual([(row["what"], row["knobs"], row["gain"]) for row in rows],
                         [("k1", "X=1", "+10.0 %"), ("k2", "default", "+0.0 %")])


class Packing(InFolder):
    def bundle(self, kilobytes):
        """Of a program that writes a record for each run, and so many bytes beside it."""
        tree = self.folder / "bundle" / "gpu-session-1-x86_64"
        tree.mkdir(parents=True, exist_ok=True)
        (tree / "bellwether").write_text(
            '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\n'
            'echo \'{"result": {"fingerprint": "ab"}}\' >>"$2"\n')
        (tree / "bellwether").chmod(0o755)
        (tree / "libraries").write_bytes(bytes(1024 * kilobytes))
        return tree

    def gather(self, tree, target):
        """Libraries with other knobs are of 40 kilobytes each."""
        def call(words, **_):
            if words[0].endswith("cuda-library"):
                (pathlib.Path(words[3]) / "libbellwether_cuda.so").write_bytes(bytes(40 << 10))
        with unittest.mock.patch.multiple(pack, call=call, MOST_BYTES=200 << 10,
                                          cached_compiler=lambda _: {}):
            return pack.gather(tree, target)

    def test_all_is_in_an_archive_and_sizes_are_told(self):
        target = self.folder / "packed.tar.xz"
        told = self.gather(self.bundle(900), target)  # of zeros
        with tarfile.open(target) as file:
            file.extractall(self.folder)
        unpacked = self.folder / "gpu-session-1-x86_64"
        expected = json.loads((unpacked / runs.EXPECTED).read_text())
        self.assertEqual(len(expected), 6)
        self.assertEqual(expected["diffusion --cells 125 131 127 --steps 20 --precision f32"], "ab")
        libraries = len(pack.trials_of(pack.KNOBS, pack.TOGETHER))
        self.assertEqual(len(list((unpacked / "knobs").glob("*.so"))), libraries)
        self.assertIn(f"{40 * libraries / 1024:.1f} MiB  knobs\n", told)
        self.start().place = place.Place(unpacked, unpacked / "bellwether", unpacked / "mpirun")
        self.assertEqual(runs.expected(self.session, steps.compared_words("lbm", False)[0]), ("ab", None))
        (unpacked / runs.EXPECTED).write_text("{}")  # of other sizes they are made there
        self.session.end += 60
        self.assertEqual(runs.expected(self.session, steps.compared_words("lbm", True)[0]), ("ab", None))
        knobs = [step for step in steps.steps(self.session) if step.name.startswith("knobs: ")]
        self.assertEqual(len(knobs), libraries + 1)

    @unittest.skipUnless(shutil.which("patchelf"), "needs patchelf")
    def test_amg2023_is_of_the_same_hypre(self):
        tree = self.bundle(60)
        (tree / "bin").mkdir()
        with self.assertRaisesRegex(pack.CannotPack, "true: .*the hypre that the bundle has, found none"):
            pack.add_amg2023(tree, pathlib.Path("/bin/true"))

    def test_what_is_too_large_leaves_what_was_there(self):
        target = self.folder / "packed.tar.xz"
        self.gather(self.bundle(60), target)
        before = target.read_bytes()
        tree = self.bundle(60)
        (tree / "noise").write_bytes(os.urandom(300 << 10))
        with self.assertRaisesRegex(pack.CannotPack, "(?s)too large.*0.3 MiB  noise.*at most 0.2 MiB"):
            self.gather(tree, target)
        self.assertEqual(target.read_bytes(), before)


class Judging(unittest.TestCase):
    def record(self, app="diffusion", cells=(512, 512, 512), time=3e-4, limit="memory bandwidth", **rate):
        problem = {"size": cells} if app == "hpl" else {"cells": list(cells)}
        return {"app": app, "ranks": 1, "problem": {**problem, "precision": "f64"},
                "variant": {"backend": "cuda", "overlap": "off"},
                "measured": {"total_s": {"median": time}},
                "rate": {"limit": limit, "value": 1e9, "unit": "cells/s", **rate}}

    MACHINE = {"device": {
        "memory_bandwidth_bytes_per_s": {"value": 4e12}, "gemm_flops_per_s": {"f64": {"value": 6.6e13}},
        "gemm_sustained_flops_per_s": {"f64": {"value": 5.5e13}},
        "memory": [{"stores": "cached", "arrays": 1, "rereads": 0, "precision": "f64", "ranks": 1,
                    "points": []},
                   {"stores": "in_place", "arrays": 1, "rereads": 0, "precision": "f64", "ranks": 1,
                    "points": [{}, {"bandwidth_bytes_per_s": {"value": 4.2e12}}]}]}}

    def row(self, record, prediction={"total_s": 3e-4}):
        size = tables.size_of(record)
        return judge.row((record["app"], size, "f64", "-"), record, self.MACHINE, prediction)

    def test_shares_are_of_what_bounds_the_app(self):
        for record, limit, share in (
                (self.record(bytes_per_s=3.8e12), "memory bandwidth", 0.95),
                (self.record(bytes_per_s=2.1e12, limit="memory bandwidth in place"),
                 "memory bandwidth in place", 0.5),
                (self.record("hpl", 8192, time=0.1, limit="matrix product", flops_per_s=3.3e13),
                 "matrix product", 0.5),
                (self.record("hpl", 65536, time=4, limit="matrix product", flops_per_s=4.95e13),
                 "sustained product", 0.9)):
            row = self.row(record)
            self.assertEqual(row["limit"], limit)
            self.assertAlmostEqual(row["share"], share)

    def test_targets_and_errors(self):
        good = self.row(self.record(bytes_per_s=3.8e12), {"total_s": 3.15e-4})
        slow = self.row(self.record(bytes_per_s=3e12), {"why_not": "no such number"})
        self.assertEqual((good["target"], good["met"], slow["met"]), (">= 0.92", True, False))
        self.assertAlmostEqual(good["error"], 0.05)
        self.assertFalse(judge.missed([good]))
        self.assertTrue(judge.missed([good, slow]))
        self.assertTrue(judge.missed([dict(good, error=-0.3)]))
        text = judge.text([good, slow])
        for told in ("0.95", ">= 0.92, met", ">= 0.92, MISSED", "+5.0 %", "no such number",
                     "5.0 % in the median"):
            self.assertIn(told, text)

    @unittest.skipUnless("BELLWETHER_PROGRAM" in os.environ, "needs the program")
    def test_predictions_are_of_whoever_factored_the_panels(self):
        kept = corpus.Corpus(corpus.FOLDER / "h200")
        one = next(record for record in kept.records if record["app"] == "hpl")
        predicted = {panel: again.predicted(
            os.environ["BELLWETHER_PROGRAM"], dict(one, variant=dict(one["variant"], panel=panel)),
            corpus.FOLDER / "h200/machine.json") for panel in ("host", "device", "cusolver")}
        self.assertLess(predicted["device"]["total_s"], predicted["host"]["total_s"])
        self.assertIn("cuSOLVER's panels are measured", predicted["cusolver"]["why_not"])

    @unittest.skipUnless("BELLWETHER_PROGRAM" in os.environ, "needs the program")
    def test_the_day_with_an_h200(self):
        """Whose records hold their own predictions and shares, of the same calibration."""
        folder = place.ROOT / "results/validation/corpus/h200"
        rows = judge.judged(os.environ["BELLWETHER_PROGRAM"], folder, folder / "machine.json")
        self.assertEqual({row["app"] for row in rows}, {"diffusion", "lbm", "airfoil", "hpl", "cholesky"})
        found = next(row for row in rows if (row["app"], row["size"], row["precision"]) ==
                     ("diffusion", "512x512x512", "f32"))
        self.assertAlmostEqual(found["share"], 0.867, delta=0.001)
        self.assertIsNotNone(found["error"])
        self.assertEqual((found["target"], found["met"]), (">= 0.92", False))


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

    @unittest.skipUnless("BELLWETHER_PROGRAM" in os.environ, "needs the program")
    def test_the_launcher_is_the_builds(self):
        self.assertEqual(place.mpirun_for(os.environ["BELLWETHER_PROGRAM"]),
                         os.environ["BELLWETHER_LAUNCHER"].split()[0])
        self.assertEqual(place.mpirun_for("no-such-program"), "mpirun")

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
        for words, said in (([*out], "--pack"), (["--pack", "folder"], "tar.xz"), (["check", *out], "check"), (["all"], "--output"),
                            (["all", *out, "--time-limit", "0"], "at least 1"),
                            (["all", *out, "--table", "x"], "--table"),
                            (["--table", str(self.folder)], "machine-1.json")):
            ended = self.run_it(*words)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(said, ended.stderr)

    def test_no_gpu_is_told_before_any_step(self):
        ended = self.run_it("all", "-o", str(self.folder / "out"),
                            script="echo 'bellwether: no CUDA device' >&2; exit 3")
        self.assertEqual(ended.returncode, 3)
        self.assertRegex(ended.stderr, "^gpu-session: no GPU .*bellwether: no CUDA device\n$")
        self.assertEqual(ended.stdout, "")
        self.assertFalse((self.folder / "out" / "steps.jsonl").exists())

    def test_out_of_time_it_ends_in_good_order(self):
        """Of a program that sleeps at its second start: what was begun is cut, all else is named."""
        script = f'[ -e {self.folder}/begun ] && exec sleep 600; touch {self.folder}/begun'
        ended = self.run_it("all", "-o", str(self.folder / "out"), "--time-limit", "3", script=script)
        self.assertEqual(ended.returncode, 5, ended.stdout + ended.stderr)
        found = [json.loads(line) for line in (self.folder / "out/steps.jsonl").read_text().splitlines()]
        self.assertLessEqual({step["outcome"] for step in found}, {LEFT, SKIPPED, PASSED})
        self.assertIn("calibration", [step["step"] for step in found])
        self.assertIn("cut off", found[0]["note"])

    @unittest.skipUnless(os.environ.get("BELLWETHER_HOST_GPU"), "needs the GPU made of CPU")
    def test_on_a_gpu_made_of_cpu(self):
        out, build = self.folder / "out", os.environ["BELLWETHER_BUILD"]
        library = pathlib.Path(os.environ["BELLWETHER_HOST_GPU"]) / "libbellwether_cuda.so"
        asked = "^(smoke|hpl|amg|cholesky 70|diffusion 16)|as on the CPU"
        ended = subprocess.run(
            [sys.executable, "-B", COMMAND, "all", "--smallest", "--steps", asked, "-o", str(out), "--build",
             build, "--cuda-library", str(library), "--time-limit", "150"], text=True, capture_output=True,
            timeout=170)
        found = {step["step"]: step for step in map(
            json.loads, (out / "steps.jsonl").read_text().splitlines())}
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        for name in ("smoke: cholesky", "airfoil: as on the CPU", "lbm: as on the CPU, 2 ranks",
                     "diffusion 16x16x16 f64", "cholesky 70, block 16"):
            self.assertEqual(found[name]["outcome"], PASSED, found[name])
        self.assertNotIn("machine", found)
        records = [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]
        self.assertEqual([record["app"] for record in records][:2], ["diffusion"] * 2)
        self.assertLessEqual({record["variant"]["backend"] for record in records}, {"cuda"})


if __name__ == "__main__":
    unittest.main()
