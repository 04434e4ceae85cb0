# SPDX-License-Identifier: MIT
"""run/reframe under ReFrame itself: the checks of all mini-apps and of accept pass on two ranks, their
references are the predictions', and a wrong result and a slow run fail. Skipped where no `reframe` is on
PATH."""
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import accept_test
import command_test

CHECKS = pathlib.Path(__file__).parent / "reframe"
RESIDUALS = pathlib.Path(__file__).parents[1] / "results" / "acceptance" / "residuals.json"
# Seconds, and alarms at what no loaded test machine does.
SMALL = {"num_tasks": 2, "false_alarm_rate": 1e-300, "largest_excess": 1e6, "run_options": "--time-budget 0.05",
         "calibrate_options": "--quick --time-budget 0.3 --largest-message 32768 --largest-edge 24 "
                              "--largest-memory 16777216",
         "DiffusionCheck.problem": "--cells 12 12 24 --overlap both", "LbmCheck.problem": "--cells 8 8 12",
         "AirfoilCheck.problem": "--cells 24 24", "HplCheck.problem": "--size 96",
         "AmgCheck.problem": "--cells 8 8 8", "CholeskyCheck.problem": "--size 96",
         "AcceptCheck.accept_options": "--no-report"}
APPS = {"DiffusionCheck": "diffusion", "LbmCheck": "lbm", "AirfoilCheck": "airfoil", "HplCheck": "hpl",
        "AmgCheck": "amg", "CholeskyCheck": "cholesky"}


class ReFrame(command_test.CommandTest):

    def reframe(self, *words, **settings):
        """Runs the checks that the words name: the exit status, what it printed, and each check's part of
        its own report, by name."""
        settings = {"command": command_test.PROGRAM, **SMALL, **settings}
        chosen = [word for key, value in settings.items() for word in ("-S", f"{key}={value}")]
        done = subprocess.run(
            ["reframe", "-C", CHECKS / "settings.py", "-c", CHECKS / "bellwether_checks.py",
             "--prefix", self.folder, "--keep-stage-files", "--report-file", self.folder / "report.json",
             "--exec-policy", "serial", *words, "-r", *chosen],
            cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s,
            env={**os.environ, "HOME": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"})
        report = json.loads((self.folder / "report.json").read_text())
        found = {case["name"].split()[0]: case for case in report["runs"][-1]["testcases"]}
        return done.returncode, done.stdout + done.stderr, found

    def stand_in(self, change, **settings):
        """A command that leaves records of the diffusion run of `self.original`, changed."""
        records = [json.loads(line) for line in self.original.splitlines()]
        for record in records:
            change(record)
        (self.folder / "left.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
        program = self.folder / "stand-in"
        program.write_text('#!/bin/sh\nif [ "$1" = calibrate ]; then echo > machine.json\n'
                           f'else cp {self.folder}/left.jsonl results.jsonl; fi\n')
        program.chmod(0o755)
        return self.reframe("-n", "DiffusionCheck", command=program, **settings)

    def test_checks(self):
        (self.folder / "tiny.json").write_text(json.dumps(accept_test.SUITE))
        status, said, found = self.reframe(**{"AcceptCheck.suite": self.folder / "tiny.json"})
        self.assertEqual(status, 0, said)
        self.assertEqual(set(found), {*APPS, "AcceptCheck", "Calibration"})
        residuals = json.loads(RESIDUALS.read_text())["residuals"]
        for name, app in APPS.items():
            with self.subTest(name):
                case = found[name]
                if app == "amg" and os.environ["BELLWETHER_WITH_HYPRE"] != "1":
                    self.assertEqual(case["result"], "skip")
                    continue
                self.assertEqual(case["result"], "pass", said)
                self.held_against_prediction(case, residuals[app])
        self.original = (self.stage(found["DiffusionCheck"]) / "results.jsonl").read_text()
        values = {name.split(":")[-1]: value for name, value in found["DiffusionCheck"]["perfvalues"].items()}
        expected = {}
        for record in map(json.loads, self.original.splitlines()):
            overlap = f"_overlap_{record['variant']['overlap']}"
            expected["total_s" + overlap] = record["measured"]["total_s"]["median"]
            expected["rate" + overlap] = record["rate"]["value"]
            expected["percent_of_limit" + overlap] = 100 * record["rate"]["fraction_of_limit"]
            for term, seconds in record["measured"]["terms"].items():
                expected[term.replace(".", "_") + "_s" + overlap] = seconds["median"]
        self.assertEqual({name: value[0] for name, value in values.items()}, expected)
        accepted = json.loads((self.stage(found["AcceptCheck"]) / "accepted/verdict.json").read_text())
        promised = [one["subject"] for one in accepted["findings"]
                    if one["kind"] == "promised" and one["verdict"] != "not judged"]
        self.assertEqual(len(found["AcceptCheck"]["perfvalues"] or {}), len(promised))
        # One after the other: of two at once each would measure the other too.
        self.assertEqual(re.findall(r"\[ *(?:\x1b\[\d+m)? *(RUN|OK)", said), ["RUN", "OK"] * 8)
        self.what_is_wrong_fails()

    @staticmethod
    def stage(case):
        return pathlib.Path(case["stagedir"])

    def held_against_prediction(self, case, residual):
        records = [json.loads(line)
                   for line in (self.stage(case) / "results.jsonl").read_text().splitlines()]
        held = [values for name, values in case["perfvalues"].items()
                if name.split(":")[-1].startswith("total_s")]
        self.assertEqual(len(held), len(records))
        for record, (value, target, low, high, unit, *_) in zip(records, held):
            refined = record["predicted"]["refined"]
            self.assertEqual((value, target, low, unit),
                             (record["measured"]["total_s"]["median"], refined["total_s"], None, "s"))
            if refined.get("outside_range"):
                self.assertIsNone(high)
            elif record["verdict"]["answer"] != "slower":
                self.assertEqual(high, SMALL["largest_excess"])
            else:
                missed = residual["median"] + residual["mean_excess"] * math.log(0.5 / 1e-300)
                self.assertAlmostEqual(
                    high, math.hypot(missed, refined["high_s"] / refined["total_s"] - 1), places=9)

    def what_is_wrong_fails(self):
        """Records of a command in whose place another stands: as they are, wrong, slow, none."""
        def whole(record):
            record["verdict"] = {"answer": "slower"}
            record["predicted"]["refined"].pop("outside_range", None)

        def wrong(record):
            record["verification"]["passed"] = False

        def slow(record):
            whole(record)
            record["measured"]["total_s"]["median"] = 1e3 * record["predicted"]["refined"]["total_s"]

        status, said, _ = self.stand_in(lambda record: None)
        self.assertEqual(status, 0, said)
        status, said, _ = self.stand_in(wrong)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, "wrong result: mode decay")
        def unsteady(record):
            slow(record)
            record["verdict"] = {"answer": "cannot tell", "because": "it drifts", "to_do": "wait"}

        status, said, _ = self.stand_in(unsteady)
        self.assertEqual(status, 0, said)
        self.assertIn("cannot tell whether that is normal: it drifts; wait", said)
        # Twice the prediction fails by default, however wide the interval, and whatever the verdict.
        def twice(record):
            unsteady(record)
            refined = record["predicted"]["refined"]
            refined["high_s"] = 10 * refined["total_s"]
            record["measured"]["total_s"]["median"] = 2 * refined["total_s"]

        status, said, found = self.stand_in(twice, largest_excess=0.9)
        self.assertNotEqual(status, 0)
        self.assertEqual(found["DiffusionCheck"]["fail_phase"], "performance", said)
        status, said, found = self.stand_in(slow)
        self.assertNotEqual(status, 0)
        self.assertEqual(found["DiffusionCheck"]["fail_phase"], "performance", said)
        self.original = ""
        status, said, _ = self.stand_in(whole)
        self.assertNotEqual(status, 0)
        self.assertIn("holds no record", said)
        self.refused()

    def refused(self):
        """What the command says of what it cannot run is the check's failure."""
        status, said, _ = self.reframe("-n", "DiffusionCheck",
                                       **{"DiffusionCheck.problem": "--cells 0 0 0"})
        self.assertNotEqual(status, 0)
        self.assertRegex(said, "--cells: found '0'")


if __name__ == "__main__":
    if shutil.which("reframe") is None:
        print("SKIPPED: no reframe on PATH (pip install reframe-hpc)")
        sys.exit(77)
    unittest.main()
