# SPDX-License-Identifier: MIT
"""What launchers say: a launcher that started more ranks than MPI knows of, ranks that were given
different commands, and launchers' variables round verbs that run alone."""
import json
import os
import pathlib
import subprocess
import unittest

import command_test

STEP = {"SLURM_JOB_ID": "5", "SLURM_NTASKS": "2", "SLURM_PROCID": "0", "SLURM_LOCALID": "0"}
HPL = ["run", "hpl", "--size", 60, "--block", 20, "--overlap", "off", "--factorizations", 1]


def words(*given):
    return [command_test.PROGRAM, *map(str, given)]


class LaunchersTest(command_test.CommandTest):
    def alone(self, variables, *given):
        return subprocess.run(words(*given), cwd=self.folder, env={**os.environ, **variables},
                              capture_output=True, text=True, timeout=self.patience_s)


class Singletons(LaunchersTest):
    def expect_contradiction(self, pattern, variables, *given):
        done = self.alone(variables, *given)
        self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
        self.assertRegex(done.stderr, f"^bellwether: {pattern}")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_tasks_of_a_slurm_step_that_are_a_run_each(self):
        step = {**STEP, "SLURM_STEP_NUM_TASKS": "2"}
        slurm = "Slurm started 2 tasks, MPI knows of 1: srun --mpi=pmix"
        for given in [[*HPL, "-o", "r.jsonl"], ["calibrate", "--quick"],
                      ["accept", "--preflight", "-o", "a"], ["microbench", "--benchmark_list_tests"],
                      ["mesh", "airfoil", "--cells", 5, 3, "-o", "m.dat"]]:
            self.expect_contradiction(slurm, step, *given)
        # The step's other task keeps quiet, and ends alike.
        done = self.alone({**step, "SLURM_PROCID": "1", "SLURM_LOCALID": "1"}, *HPL)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "", ""))

    def test_another_mpis_launcher(self):
        self.expect_contradiction(
            r"PMI's launcher \(mpiexec of MPICH .*\) started 4 ranks, MPI knows of 1: use the launcher of "
            r"the MPI that this program was built with \(MPI is \S", {"PMI_SIZE": "4", "PMI_RANK": "0"}, *HPL)
        self.expect_contradiction("a PMIx server started 2 or more ranks, MPI knows of 1",
                                  {"PMIX_RANK": "1"}, *HPL)

    def test_more_ranks_than_mpi_knows_of_under_a_launcher(self):
        done = subprocess.run(
            command_test.launched(1) + ["env", "OMPI_COMM_WORLD_SIZE=4", *words(*HPL), ":", "-n", "1",
                                        *words(*HPL)],
            cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn("started 4 ranks, MPI knows of 2", done.stderr)

    def test_one_rank_within_an_allocation(self):
        for variables in [STEP, {**STEP, "SLURM_STEP_NUM_TASKS": "1"}, {"SLURM_PROCID": "1"}]:
            done = self.alone(variables, *HPL)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("hpl", done.stdout)


class Commands(command_test.CommandTest):
    """Two ranks, each with a command of its own."""

    def side_by_side(self, first, second):
        return subprocess.run(
            command_test.launched(1) + words(*first) + [":", "-n", "1"] + words(*second),
            cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s)

    def expect_refused(self, first, second):
        done = self.side_by_side(first, second)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        said = [line for line in self.without_remarks(done.stderr).splitlines() if line.startswith("bellwether: ")]
        self.assertEqual(said, [
            f"bellwether: the ranks were given different commands: rank 0 '{' '.join(map(str, first))}', "
            f"rank 1 '{' '.join(map(str, second))}'; expected one for all"])

    def test_are_refused_at_once(self):
        self.expect_refused(HPL, [*HPL, "--threads", 1])
        self.expect_refused(HPL, ["run", "diffusion", "--cells", 32, 32, 32])
        self.expect_refused(HPL, ["mesh", "airfoil", "--cells", 5, 3, "-o", "m.dat"])

    def test_one_that_cannot_be_read_is_said(self):
        done = self.side_by_side(HPL, [*HPL, "--sise", 600])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("bellwether: run hpl: found '--sise'", done.stderr)


class Alone(LaunchersTest):
    """Verbs without MPI print and write, whichever rank of whatever the variables name."""

    LEFT_OVER = [{"SLURM_PROCID": "1"}, {"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2"},
                 {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"},
                 {"PMI_RANK": "1", "PMI_SIZE": "2"}, {"PMIX_RANK": "1"}]

    def test_they_print_and_write(self):
        self.expect_success(*HPL, "-o", "r.jsonl")
        times = "".join(f"{n},{ranks},{1e-9 * n**3 / ranks + 1e-3!r}\n" for n in [64, 128, 256]
                        for ranks in [1, 2, 4])
        (self.folder / "times.csv").write_text("n,ranks,seconds\n" + times)
        report = ["report", "r.jsonl", "-o"]
        trace = ["trace", "diffusion", "--cells", 8, 8, 8, "--machine", "tsubame2.0", "--ranks", 2, "-o"]
        for number, given in enumerate([
                ["machines"], ["reproduce", "orii"], ["compare", "r.jsonl", "r.jsonl"],
                ["export", "r.jsonl", "--format", "extra-p"], ["fit", "times.csv"],
                ["predict", "diffusion", "--cells", 8, 8, 8, "--machine", "tsubame2.0", "--ranks", 2],
                ["report", "--help"], [*report, "OUT.html"], [*trace, "OUT.html"]]):
            with self.subTest(given=given):
                variables = self.LEFT_OVER[number % len(self.LEFT_OVER)]
                expected = self.run_command(*given)
                out = self.folder / "OUT.html"
                if written := out.exists():
                    out.rename(self.folder / f"{number}")
                done = self.alone(variables, *given)
                self.assertEqual((done.returncode, done.stdout), (expected.returncode, expected.stdout))
                self.assertTrue(written or done.stdout)
                self.assertEqual((written, out.exists()), 2 * (given[-1] == "OUT.html",))
                if written:
                    out.rename(self.folder / f"{number}b")

    def test_an_error_is_said(self):
        for variables in self.LEFT_OVER[:2]:
            done = self.alone(variables, "report", "none.jsonl", "-o", "x.html")
            self.assertEqual(done.returncode, 2)
            self.assertIn("none.jsonl", done.stderr)

    def test_each_process_of_a_launcher_prints(self):
        self.assertEqual(self.expect_success("machines", ranks=2).count("tsubame2.0"),
                         2 * self.expect_success("machines").count("tsubame2.0"))


if __name__ == "__main__":
    unittest.main()
