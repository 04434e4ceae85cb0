# SPDX-License-Identifier: MIT
"""The batch scripts. Slurm's is submitted to a Slurm in a box, changed in none but its marked lines:
a job array of layouts that calibrates, runs and predicts; an acceptance that Slurm ends before its time,
and another job that goes on. Skipped (77), with the reason, where Slurm cannot start. The scripts for PBS,
LSF and Flux are held against their manuals, and say the right words to launchers that only print them."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time
import unittest
import uuid
from unittest import mock

import command_test

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "lab"))
import cluster_test  # noqa: E402
from box import links, slurm  # noqa: E402

BATCH = HERE / "batch"
MARK = "# <--"
# Ten seconds at least, by its occasions; judged so that nothing a busy machine does matters.
SUITE = {
    "schema": "bellwether.suite/1", "name": "box", "description": "seconds",
    "calibration": {"quick": True, "time_budget_s": 0.1, "largest_message_bytes": 4096,
                    "largest_edge": 16, "largest_memory_bytes": 16 << 20},
    "false_alarm_rate": 1e-100, "material": {"warning": 1e3, "failure": 1e4, "why": "a test"},
    "siblings": {"occasions": 24, "link_message_bytes": 4096, "sample_s": 0.1},
    "time_budget_s": 0.05, "repeats": 6,
    "cases": [
        {"app": "diffusion", "problem": {"cells": [12, 12, 12]}, "per": "rank",
         "options": {"overlap": "off"}, "judge": ["right"]},
        {"app": "lbm", "problem": {"cells": [8, 8, 12]}, "per": "all",
         "options": {"overlap": "off"}, "judge": ["right"]}]}
# At the box's head. Three jobs for one acceptance: killed once it has records; ended by Slurm, which looks
# at its jobs' time every 30 s and gives those that end within a minute their signal, some seconds after
# it began; done. Then the array, whose second layout finds itself calibrated.
JOBS = """
set -euo pipefail
submit() { sbatch --parsable "$@" slurm.sh; }
emptied() { while squeue --noheader | grep -q .; do sleep 0.2; done; }
records() { cat accept-*/results.jsonl 2>/dev/null | wc -l; }
export TASK=accept SUITE=box.json
submit --ntasks-per-node=1 --time=5 >killed.id
while squeue --noheader | grep -q . && (($(records) < 2)); do sleep 0.1; done
scancel --signal=KILL "$(<killed.id).0"
emptied
export FOLDER=$PWD/$(echo accept-*)
cp "$FOLDER/results.jsonl" kept.jsonl
while age=$((($(date +%s) - $(stat -c %Y /dev/shm/slurm/slurm.conf)) % 30)) &&
  ((age < 23 || age > 25)); do sleep 0.2; done
submit --ntasks-per-node=1 --time=1 >ended.id
emptied
submit --ntasks-per-node=1 --time=5 >done.id
cp "$FOLDER/machine.json" machine-kokkos-2-nodes-2-ranks.json
TASK=run submit --array=0-1 --time=5 >array.id
emptied
(unset FOLDER; TASK=study submit --ntasks-per-node=1 --time=5 >study.id)
emptied
scontrol --oneliner show jobs >jobs
"""


def cluster(*words):
    return [sys.executable, str(HERE / "lab" / "cluster"), "--nodes", "2", "--ranks-per-node", "2", "--slurm",
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
    def submit(self):
        (self.folder / "box.json").write_text(json.dumps(SUITE))
        (self.folder / "slurm.sh").write_text(edited((BATCH / "slurm.sh").read_text(), {
            "--ntasks-per-node=64": "--ntasks-per-node=2",
            "module load openmpi kokkos openblas": "true",
            "$HOME/bellwether/build/release/bellwether": command_test.PROGRAM,
            "calibration=() sampling=()":
                "calibration=(--quick --time-budget 0.1 --largest-message 4096 --largest-edge 16 "
                "--largest-memory 16777216) sampling=(--time-budget 0.2)",
            "layouts=(64 32 16)": "layouts=(2 1)",
            "cells=(1536 1536 1536)": "cells=(64 64 64)"}))
        done = subprocess.run(cluster("bash", "-c", JOBS), cwd=self.folder, text=True,
                              capture_output=True, timeout=270)
        logs = "".join(f"\n{log.name}:\n{log.read_text()}" for log in sorted(self.folder.glob("*.log")))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr + logs)
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
        self.submit()
        self.ended_before_its_time_and_gone_on_with()
        self.an_array_of_layouts()
        self.a_study()

    def a_study(self):
        number = self.job("study")
        self.expect_ended(number, "COMPLETED", "0:0")
        records = self.records(f"study-kokkos-2-nodes-2-ranks-{number}/results.jsonl")
        self.assertEqual([record["ranks"] for record in records], [1, 2])
        self.assertEqual(records[1]["provenance"]["layout"]["hosts"], ["node0", "node1"])
        self.assertRegex(self.log(number), r"(?m)^ 32 +- ")

    def an_array_of_layouts(self):
        tasks = {job["ArrayTaskId"]: number for number, job in self.jobs.items()
                 if job.get("ArrayJobId") == self.job("array")}
        self.assertEqual(set(tasks), {"0", "1"})
        for task, hosts in [("0", ["node0", "node0", "node1", "node1"]), ("1", ["node0", "node1"])]:
            number, ranks = tasks[task], len(hosts)
            self.expect_ended(number, "COMPLETED", "0:0")
            machine = f"machine-kokkos-2-nodes-{ranks}-ranks.json"
            calibrated = json.loads((self.folder / machine).read_text())
            self.assertEqual(calibrated["schema"], "bellwether.machine/1")
            if ranks == 4:  # two of a node share its link
                pairs = calibrated["links"]["network"]["concurrent"]
                self.assertEqual([timing["pairs"] for timing in pairs], [2])
            records = self.records(f"results-{number}.jsonl")
            self.assertEqual([record["variant"]["overlap"] for record in records], ["off", "on"])
            for record in records:
                self.assertEqual(record["provenance"]["layout"]["hosts"], hosts)
                self.assertEqual(record["provenance"]["environment"]["SLURM_JOB_ID"], number)
                self.assertEqual(record["machine"], machine)
                self.assertIn("refined", record["predicted"])
                self.assertTrue(record["verification"]["passed"])
            self.assertEqual("calibrated:" in self.log(number), ranks == 4)
            self.assertRegex(self.log(number), r"(?m)^ *65536 ")

    def ended_before_its_time_and_gone_on_with(self):
        killed, ended, done = map(self.job, ["killed", "ended", "done"])
        folder = f"accept-kokkos-2-nodes-2-ranks-{killed}"
        self.assertEqual([path.name for path in self.folder.glob("accept-*")], [folder])
        self.assertEqual(self.jobs[killed]["JobState"], "FAILED", self.log(killed))
        self.assertNotIn("ended by SIGTERM", self.log(killed))
        self.expect_ended(ended, "FAILED", "5:0")
        self.assertRegex(self.log(ended), r"(?m)^bellwether: ended by SIGTERM in phase .*; finished "
                                          r"records are on disk$")
        self.assertRegex(self.log(ended),
                         r"(?m)^preflight: suite box, about \S+ min of (0.[5-9]|1.0) min$")
        for number in [killed, ended]:
            self.assertNotIn("VERDICT", self.log(number))
        self.expect_ended(done, "COMPLETED", "0:0")
        self.assertRegex(self.log(done), "(?m)^VERDICT: pass")
        # What the killed job had measured stands as it was.
        kept = (self.folder / "kept.jsonl").read_text()
        kept = kept[:kept.rindex("\n") + 1]
        self.assertTrue((self.folder / folder / "results.jsonl").read_text().startswith(kept))
        by_job = [record["provenance"]["environment"]["SLURM_JOB_ID"]
                  for record in self.records(f"{folder}/results.jsonl")]
        self.assertEqual(by_job, sorted(by_job, key=int))
        self.assertEqual(len(by_job), 12)
        self.assertGreaterEqual(by_job.count(killed), 2)
        self.assertGreaterEqual(by_job.count(done), 1)
        self.assertEqual(len(self.records(f"{folder}/siblings.jsonl")), 24)
        verdict = json.loads((self.folder / folder / "verdict.json").read_text())
        self.assertEqual(verdict["layout"]["nodes"], 2)

    def test_leaves_nothing_when_struck(self):
        before = cluster_test.host_state()
        mark = f"BELLWETHER_TEST_{uuid.uuid4().hex}"
        process = subprocess.Popen(cluster("bash", "-c", "touch ready; sleep 100"), cwd=self.folder,
                                   env={**os.environ, mark: "1"}, stderr=subprocess.DEVNULL)
        while not (self.folder / "ready").exists() and process.poll() is None:
            time.sleep(0.05)
        daemons = [words.split(b"\0")[0] for words in cluster_test.processes_with(mark)]
        self.assertLessEqual({b"munged", b"slurmctld", b"slurmd"}, set(daemons))
        process.kill()
        process.wait(timeout=30)
        deadline = time.monotonic() + 5
        while (left := cluster_test.processes_with(mark)) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(left, [])
        self.assertEqual(cluster_test.host_state(), before)


class Configuration(unittest.TestCase):
    def test_names_and_addresses(self):
        self.assertIn("\nNodeName=node[0-2] NodeAddr=10.77.0.[1-3] CPUs=4 State=UNKNOWN\n",
                      slurm.configuration(3, 4))
        self.assertIn("\nNodeName=node0 NodeAddr=10.77.0.1 CPUs=1 ", slurm.configuration(1, 1))

    def test_says_what_is_missing(self):
        with mock.patch("shutil.which", side_effect=lambda tool: tool != "slurmctld"), \
                self.assertRaisesRegex(links.NotHere, "needs slurmctld .*apt-get install .*munge"):
            slurm.require()


# Options that may stand in a job script, by the manual, and for those used here what their value is.
# None: no value. All of qsub(1B) of OpenPBS but -C, -q and -z, which it says are none of a script's.
PBS = dict.fromkeys("aAcefGIJkmMopPrRSuvVWX", ".*") | {
    "h": None, "j": "oe|eo|n", "N": r"[A-Za-z][\w.+-]{0,235}",
    "l": r"select=\d+(:(ncpus|mpiprocs|ngpus|ompthreads|mem)=\w+)+"
         r"|place=(free|pack|scatter|vscatter)(:(excl|shared|exclhost))?"
         r"|walltime=\d+:\d\d:\d\d"}
# "bsub" of the IBM Spectrum LSF 10.1 command reference (those with a value as in its option list).
LSF = dict.fromkeys("a app b C c cwd D E Ep e eo F f G g i is Jd k L Lp M m mig oo P p Q q S s sla sp "
                    "T t U u v We w".split(), ".*") | \
    dict.fromkeys(["ar", "B", "H", "I", "K", "N", "r", "rn", "ul", "x", "XF", "Zs"]) | {
    "J": r"[\w-]+(\[[\d,-]+\])?", "n": r"\d+(,\d+)?", "R": r"span\[(ptile|hosts)=\d+\]", "W": r"(\d+:)?\d+",
    "wa": "TERM|INT|URG|KILL|USR1|USR2", "wt": r"(\d+:)?\d+", "o": r"[\w.-]*%J[\w.-]*",
    "gpu": r"(num|mode|mps|j_exclusive)=\w+(:(num|mode|mps|j_exclusive)=\w+)*"}
# flux-batch(1) of flux-core, with the parts that it includes.
FLUX = dict.fromkeys("nslots cores-per-slot gpus-per-slot queue flags cwd urgency setopt setattr "
                     "begin-time dependency requires env error".split(), ".*") | {
    "nodes": r"\d+", "exclusive": None, "time-limit": r"\d+(\.\d+)?[smhd]?", "job-name": r"[\w-]+",
    "output": r"[\w.-]*\{\{id\}\}[\w.-]*", "signal": r"\w+@\d+[smhd]?"}


def directives(name, sentinel):
    """Option and value, or None, of each directive of a script, as its batch system divides them."""
    for line in (BATCH / name).read_text().splitlines():
        if not line.startswith(sentinel):
            continue
        words = shlex.split(line[len(sentinel):], comments=sentinel.startswith("# flux"))
        while words:
            option, joined, value = words.pop(0).partition("=")
            if not joined:
                value = words.pop(0) if words and not words[0].startswith("-") else None
            yield option, value


class Untried(command_test.CommandTest):
    """The scripts of batch systems that are not at hand."""

    def expect_known(self, name, sentinel, dashes, manual, needed):
        found = dict(directives(name, sentinel))
        for option, value in directives(name, sentinel):
            self.assertTrue(option.startswith(dashes), option)
            self.assertIn(option[len(dashes):], manual, f"{name}: no such option")
            pattern = manual[option[len(dashes):]]
            if pattern is None:
                self.assertIsNone(value, f"{name}: {option}")
            else:
                self.assertRegex(value or "", f"^({pattern})$", f"{name}: {option}")
        self.assertLessEqual(set(needed), set(found))

    def test_directives(self):
        self.expect_known("pbs.sh", "#PBS ", "-", PBS, ["-N", "-l", "-j"])
        self.expect_known("lsf.sh", "#BSUB ", "-", LSF, ["-J", "-n", "-R", "-x", "-W", "-wa", "-wt"])
        self.expect_known("flux.sh", "# flux: ", "--", FLUX, ["--nodes", "--time-limit"])
        # Flux's stand together, before any other line.
        lines = (BATCH / "flux.sh").read_text().splitlines()
        count = sum(line.startswith("# flux: ") for line in lines)
        self.assertTrue(all(line.startswith("# flux: ") for line in lines[1:1 + count]))

    def test_the_limit_said_to_accept_is_the_jobs(self):
        for name, pattern in [("pbs.sh", r"(?m)^#PBS -l walltime=00:(\d+):00$"),
                              ("lsf.sh", r"(?m)^#BSUB -W 0:(\d+)$")]:
            text = (BATCH / name).read_text()
            (limit_s,) = re.findall(r"(?m)^limit_s=(\d+) .*# <--", text)
            self.assertEqual(60 * int(re.search(pattern, text)[1]), int(limit_s))

    def test_every_script_has_the_same_marked_lines(self):
        for name in ["slurm.sh", "pbs.sh", "lsf.sh", "flux.sh"]:
            marked = "\n".join(line for line in (BATCH / name).read_text().splitlines()
                               if MARK in line)
            for what in ["module load", "bellwether=", "backend=", "calibration=", "cells="]:
                self.assertIn(what, marked, name)

    def said(self, name, **environment):
        """What the script gives to the program, launched by one that prints it, a list for each time."""
        log = self.folder / "said"
        log.unlink(missing_ok=True)
        printer = self.folder / "printer"
        printer.write_text(PRINTER.format(log=log))
        printer.chmod(0o755)
        for tool in ["mpirun", "flux", "module", "bellwether"]:
            (self.folder / tool).unlink(missing_ok=True)
            (self.folder / tool).symlink_to(printer)
        (self.folder / "hosts").write_text("a\na\nb\nb\n")
        hosts = str(self.folder / "hosts")
        done = subprocess.run(
            ["bash", str(BATCH / name)], cwd=self.folder, text=True, capture_output=True, timeout=30,
            env={"PATH": f"{self.folder}:{os.environ['PATH']}", "HOME": str(self.folder),
                 "BELLWETHER": str(self.folder / "bellwether"), "PBS_O_WORKDIR": str(self.folder),
                 "PBS_NODEFILE": hosts, "PBS_JOBID": "17.server", "LSB_DJOB_HOSTFILE": hosts,
                 "LSB_JOBID": "17", **environment})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        program = str(self.folder / "bellwether")
        return [line[line.index(program) + 1:] for line in map(shlex.split, log.read_text().splitlines())
                if program in line]

    def test_what_they_launch(self):
        for name, ranks in [("pbs.sh", 4), ("lsf.sh", 4), ("flux.sh", 128)]:
            with self.subTest(name=name):
                layout = f"kokkos-2-nodes-{ranks}-ranks"
                self.assertEqual([words[0] for words in self.said(name)],
                                 ["calibrate", "run", "predict"])
                (words,) = self.said(name, TASK="accept", SUITE="standard", BASELINES="one two")
                limit = int(words.pop(words.index("--time-limit") + 1))
                self.assertTrue(1700 <= limit <= 1800, limit)
                self.assertEqual(words, [
                    "accept", "--suite", "standard", "--backend", "kokkos", "--time-limit",
                    "--baseline", "one", "two", "-o", f"accept-{layout}-17"])
                (self.folder / "there").mkdir(exist_ok=True)
                (self.folder / "there" / "accept.json").touch()
                (words,) = self.said(name, TASK="accept", FOLDER="there")
                self.assertEqual(words[-3:], ["--resume", "-o", "there"])


# Says what it was called with; as Flux, what a job of two nodes is told.
PRINTER = """#!/bin/bash
printf '%q ' "$0" "$@" >>{log}
echo >>{log}
case "${{0##*/}} $*" in
  "flux resource list"*) echo 2 ;;
  "flux getattr jobid") echo 17 ;;
  "flux job timeleft") echo 1790 ;;
esac
"""


def why_not():
    """Why no Slurm can be started here; empty if one can."""
    tried = subprocess.run(cluster("true"), capture_output=True, text=True, timeout=90)
    return tried.stderr.strip() if tried.returncode == 3 else ""


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    reason = why_not()
    if reason:
        others = unittest.defaultTestLoader.loadTestsFromNames(
            ["Configuration", "Untried"], sys.modules[__name__])
        passed = unittest.TextTestRunner().run(others).wasSuccessful()
        print(f"SKIPPED, Slurm itself: {reason}")
        sys.exit(77 if passed else 1)
    unittest.main()
