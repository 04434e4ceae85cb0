# SPDX-License-Identifier: MIT
"""The batch scripts. Slurm's is submitted to a Slurm in a box, changed in none but its marked lines:
calibrate, run and predict; a job array of layouts; an acceptance that Slurm ends before its time, and
another job that goes on. Skipped (77), with the reason, where Slurm cannot start. Those of PBS, LSF and Flux
are held against what their manuals know."""
import json
import pathlib
import re
import subprocess
import sys
import time
import unittest

import command_test

HERE = pathlib.Path(__file__).resolve().parent
BATCH = HERE / "batch"
MARK = "# <--"
# Five seconds at least, by its occasions; judged so that nothing a busy machine does matters.
SUITE = {
    "schema": "bellwether.suite/1", "name": "box", "description": "seconds",
    "calibration": {"quick": True, "time_budget_s": 0.3, "largest_message_bytes": 32768,
                    "largest_edge": 24},
    "false_alarm_rate": 1e-9, "material": {"warning": 1e3, "failure": 1e4, "why": "a test"},
    "siblings": {"occasions": 24, "link_message_bytes": 32768, "sample_s": 0.1},
    "time_budget_s": 0.05, "repeats": 12,
    "cases": [
        {"app": "diffusion", "problem": {"cells": [12, 12, 12]}, "per": "rank",
         "options": {"overlap": "off"}, "judge": ["right"]},
        {"app": "lbm", "problem": {"cells": [8, 8, 12]}, "per": "all",
         "options": {"overlap": "off"}, "judge": ["right"]}]}
# At the box's head. Slurm looks at its jobs' time every 30 s after its start, and then gives the signal
# of those that end within a minute: the acceptance begins some seconds before such a look.
JOBS = """
set -euo pipefail
submit() { sbatch --parsable "$@" slurm.sh; }
emptied() { while squeue --noheader | grep -q .; do sleep 0.2; done; }
submit --ntasks-per-node=1 --time=5 >run.id
submit --array=0-1 --time=5 >array.id
emptied
while age=$((($(date +%s) - $(stat -c %Y /dev/shm/slurm/slurm.conf)) % 30)) &&
  ((age < 20 || age > 24)); do sleep 0.2; done
export TASK=accept SUITE=box.json
submit --ntasks-per-node=1 --time=1 >cut.id
emptied
RESUME=$(echo accept-*) submit --ntasks-per-node=1 --time=5 >resumed.id
emptied
scontrol --oneliner show jobs >jobs
"""


def cluster(*words):
    return [sys.executable, str(HERE / "cluster"), "--nodes", "2", "--ranks-per-node", "2", "--slurm",
            "--timeout", "240", "--", *words]


def edited(text, changes):
    """A script with these texts in place of others, in marked lines alone."""
    lines = text.splitlines(keepends=True)
    for old, new in changes.items():
        places = [number for number, line in enumerate(lines) if old in line and MARK in line]
        if len(places) != 1:
            raise AssertionError(f"{old}: in {len(places)} marked lines, expected one")
        lines[places[0]] = lines[places[0]].replace(old, new)
    return "".join(lines)


class Slurm(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        (self.folder / "box.json").write_text(json.dumps(SUITE))
        (self.folder / "slurm.sh").write_text(edited((BATCH / "slurm.sh").read_text(), {
            "--ntasks-per-node=64": "--ntasks-per-node=2",
            "module load openmpi kokkos openblas": "true",
            "$HOME/bellwether/build/release/bellwether": command_test.PROGRAM,
            "calibration=()": "calibration=(--quick --time-budget 0.5 --largest-message 32768 "
                              "--largest-edge 24)",
            "layouts=(64 32 16)": "layouts=(2 1)",
            "cells=(1536 1536 1536)": "cells=(24 24 24)"}))
        done = subprocess.run(cluster("bash", "-c", JOBS), cwd=self.folder, text=True,
                              capture_output=True, timeout=270)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.jobs = {job["JobId"]: job for job in (
            dict(re.findall(r"(\S+?)=(\S*)", line))
            for line in (self.folder / "jobs").read_text().splitlines())}

    def job(self, name):
        return (self.folder / f"{name}.id").read_text().strip()

    def log(self, number):
        return (self.folder / f"bellwether-{number}.log").read_text()

    def expect_ended(self, number, state, code):
        job = self.jobs[number]
        self.assertEqual((job["JobState"], job["ExitCode"]), (state, code), self.log(number))

    def test_the_shipped_script(self):
        self.calibrated_ran_and_predicted()
        self.an_array_of_layouts()
        self.ended_before_its_time_and_gone_on_with()

    def calibrated_ran_and_predicted(self):
        number = self.job("run")
        self.expect_ended(number, "COMPLETED", "0:0")
        machine = json.loads((self.folder / "machine-kokkos-2-nodes-2-ranks.json").read_text())
        self.assertEqual(machine["schema"], "bellwether.machine/1")
        records = self.records(f"results-{number}.jsonl")
        self.assertEqual([record["variant"]["overlap"] for record in records], ["off", "on"])
        for record in records:
            layout = record["provenance"]["layout"]
            self.assertEqual(layout["hosts"], ["node0", "node1"])
            self.assertEqual(record["provenance"]["environment"]["SLURM_JOB_ID"], number)
            self.assertIn("refined", record["predicted"])
            self.assertTrue(record["verification"]["passed"])
        self.assertRegex(self.log(number), r"(?m)^ *65536 ")

    def an_array_of_layouts(self):
        tasks = {job["ArrayTaskId"]: number for number, job in self.jobs.items()
                 if job.get("ArrayJobId") == self.job("array")}
        self.assertEqual(set(tasks), {"0", "1"})
        for task, ranks in [("0", 4), ("1", 2)]:
            self.expect_ended(tasks[task], "COMPLETED", "0:0")
            records = self.records(f"results-{tasks[task]}.jsonl")
            self.assertEqual([record["ranks"] for record in records], [ranks, ranks])
            self.assertEqual(records[0]["provenance"]["layout"]["nodes"], 2)
            self.assertTrue((self.folder / f"machine-kokkos-2-nodes-{ranks}-ranks.json").exists())

    def ended_before_its_time_and_gone_on_with(self):
        cut, resumed = self.job("cut"), self.job("resumed")
        self.expect_ended(cut, "FAILED", "5:0")
        self.assertRegex(self.log(cut), r"(?m)^bellwether: ended by SIGTERM in phase .*; finished "
                                        r"records are on disk$")
        self.assertRegex(self.log(cut), r"(?m)^preflight: suite box, about \S+ min of \S+ min$")
        self.assertNotIn("VERDICT", self.log(cut))
        folder = f"accept-kokkos-2-nodes-2-ranks-{cut}"
        self.assertEqual([path.name for path in self.folder.glob("accept-*")], [folder])
        records = self.records(f"{folder}/results.jsonl")
        by_job = [record["provenance"]["environment"]["SLURM_JOB_ID"] for record in records]
        self.assertEqual(len(records), 24)
        self.assertEqual(set(by_job), {cut, resumed})
        self.assertEqual(by_job, sorted(by_job, key=int))
        self.assertEqual(len(self.records(f"{folder}/siblings.jsonl")), 24)
        self.expect_ended(resumed, "COMPLETED", "0:0")
        self.assertRegex(self.log(resumed), "(?m)^VERDICT: pass")
        verdict = json.loads((self.folder / folder / "verdict.json").read_text())
        self.assertEqual(verdict["layout"]["nodes"], 2)
