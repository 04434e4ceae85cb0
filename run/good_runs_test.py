# SPDX-License-Identifier: MIT
"""Runs that go well: verified on any number of ranks, the same result on all, records as printed."""
import os
import pathlib
import subprocess
import unittest

import command_test

HERE = pathlib.Path(__file__).resolve().parent
RUN = ["run", "diffusion", "--steps", 5]


class GoodRuns(command_test.CommandTest):
    def test_odd_sizes_on_any_number_of_ranks_give_one_result(self):
        fingerprints = set()
        for ranks in [0, 1, 2, 3, 4]:
            document = self.expect_json(*RUN, "--cells", 17, 13, 11, ranks=ranks)
            self.assertEqual([r["variant"]["overlap"] for r in document["records"]], ["off", "on"])
            for record in document["records"]:
                self.assertTrue(record["verification"]["passed"])
                self.assertEqual(record["ranks"], max(1, ranks))
                self.assertEqual(record["result"]["timed_steps"], 5)
                self.assertGreater(record["rate"]["value"], 0)
                fingerprints.add(record["result"]["fingerprint"])
        self.assertEqual(len(fingerprints), 1)

    def test_variants_give_one_result(self):
        fingerprints = set()
        for halo in ["staged", "direct"]:
            for stores, prefetches in [("cached", ["none"]), ("streaming", ["rows", "rows to L2", "ahead"])]:
                document = self.expect_json(
                    *RUN, "--cells", 33, 18, 20, "--boundary", "dirichlet", "--precision", "f64",
                    "--halo", halo, "--stores", stores, ranks=2)
                for record in document["records"]:
                    self.assertTrue(record["verification"]["passed"])
                    self.assertEqual(record["variant"]["halo"], halo)
                    self.assertEqual(record["variant"]["stores"], stores)
                    self.assertIn(record["result"]["prefetch"], prefetches)  # a choice by measurement
                    fingerprints.add(record["result"]["fingerprint"])
        self.assertEqual(len(fingerprints), 1)

    def test_a_cpu_sends_from_its_fields_unless_told_otherwise(self):
        for words in [RUN + ["--cells", 9, 8, 7], ["run", "lbm", "--cells", 9, 8, 7, "--steps", 3],
                      ["run", "airfoil", "--cells", 8, 9, "--iterations", 3]]:
            words = [*words, "--overlap", "off", "-o", f"{words[1]}.jsonl"]
            record, = self.expect_json(*words, ranks=2)["records"]
            self.assertEqual(record["variant"]["halo"], "direct")
            self.assertFalse([term for term in record["measured"]["terms"] if term.startswith("copy")])
            self.assertEqual(self.expect_json(*words, "--resume", ranks=2)["records"], [])

    def test_what_other_ranks_read_is_written_with_either_stores(self):
        for words in [RUN + ["--cells", 17, 13, 11], RUN + ["--cells", 65, 40, 9, "--overlap", "on"],
                      ["run", "lbm", "--cells", 12, 9, 8, "--steps", 3],
                      ["run", "airfoil", "--cells", 30, 20, "--iterations", 4],
                      ["run", "cholesky", "--size", 130, "--factorizations", 1],
                      ["run", "cholesky", "--size", 130, "--block", 16, "--factorizations", 1]]:
            found = set()
            for stores in ["cached", "streaming", "auto"]:
                for record in self.expect_json(*words, "--shared-stores", stores, ranks=2)["records"]:
                    self.assertTrue(record["verification"]["passed"])
                    self.assertIn(record["provenance"]["shared_stores"],
                                  ["cached", "streaming"] if stores == "auto" else [stores])
                    found.add(record["result"].get("fingerprint"))
            self.assertEqual(len(found), 1)
        for stores, left in [("cached", 1), ("cached", 0), ("streaming", 1)]:  # another is not done yet
            again = self.expect_json(*RUN, "--cells", 9, 8, 7, "--overlap", "off", "--shared-stores",
                                     stores, "-o", "stores.jsonl", "--resume", ranks=2)["records"]
            self.assertEqual(len(again), left, stores)
        alone = self.expect_json(*RUN, "--cells", 9, 8, 7)["records"]
        self.assertNotIn("shared_stores", alone[0]["provenance"])

    def test_verified_twice_every_step_is_taken_again_and_ends_in_the_same_bits(self):
        for words in [["diffusion", "--cells", 17, 13, 11, "--steps", 30],
                      ["lbm", "--cells", 12, 9, 8, "--geometry", "sphere", "--steps", 30],
                      ["airfoil", "--cells", 30, 20, "--iterations", 70],
                      ["hpl", "--size", 150, "--block", 16],
                      ["cholesky", "--size", 130, "--block", 16, "--factorizations", 2]]:
            words = ["run", *words, "--overlap", "on"]
            once = self.expect_json(*words, ranks=2)["records"][0]
            twice = self.expect_json(*words, "--verify", "twice", ranks=2)["records"][0]
            self.assertTrue(twice["verification"]["passed"])
            self.assertEqual(twice["verification"]["what"],
                             once["verification"]["what"] + ", and twice the same bits")
            self.assertEqual(twice["result"]["fingerprint"], once["result"]["fingerprint"])
            self.assertEqual(twice["result"]["timed_steps"], once["result"]["timed_steps"])

    def test_records_are_appended_and_are_those_that_are_printed(self):
        words = [*RUN, "--cells", 9, 8, 7, "--overlap", "on", "--repeats", 2, "-o", "r.jsonl"]
        printed = self.expect_json(*words, ranks=2)["records"]
        self.assertEqual(len(printed), 2)
        self.assertEqual(self.records("r.jsonl"), printed)
        printed += self.expect_json(*words, ranks=2)["records"]
        self.assertEqual(self.records("r.jsonl"), printed)

    def test_energy_is_in_every_record_or_said_once_to_be_in_none(self):
        done = self.run_command("run", "diffusion", "--cells", 9, 8, 7, "--time-budget", 0.5,
                                "--repeats", 2, "-o", "r.jsonl", ranks=2)
        counted = ["packages" in record.get("energy", {"watts": {}})["watts"]
                   for record in self.records("r.jsonl")]
        said = done.stderr.count("bellwether: energy: ")
        self.assertIn((said, done.stdout.count("\nenergy "), *counted),
                      [(1, 0, *[False] * 4), (0, 4, *[True] * 4)])

    def test_ranks_that_share_a_core_are_said_loudly_and_in_the_record(self):
        words = [*RUN, "--cells", 9, 8, 7, "--overlap", "off", "-o", "r.jsonl"]
        cores = os.sched_getaffinity(0)
        try:
            os.sched_setaffinity(0, {min(cores)})  # launched ranks may run there alone
            done = self.run_command(*words, ranks=2)
        finally:
            os.sched_setaffinity(0, cores)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"bellwether: OVERSUBSCRIBED: 2 ranks on 1 core \(\d+\) of ")
        self.assertIn("\nOVERSUBSCRIBED: ranks share cores", done.stdout)
        self.assertEqual(self.without_remarks(self.run_command(*words).stderr), "")
        shared, alone = self.records("r.jsonl")
        self.assertEqual([shared["oversubscribed"], alone["oversubscribed"]], [True, False])
        self.assertEqual([len(shared["per_rank"]), len(alone["per_rank"])], [2, 1])

    def test_auto_steps_end_with_the_budget(self):
        document = self.expect_json("run", "diffusion", "--cells", 20, 20, 20, "--overlap", "off",
                                    "--time-budget", 0.2)
        (record,) = document["records"]
        self.assertTrue(record["verification"]["passed"])
        self.assertGreaterEqual(record["measured"]["total_s"]["count"], 7)

    def test_terms_add_up(self):
        (record,) = self.expect_json(*RUN, "--cells", 40, 40, 40, "--overlap", "off",
                                     ranks=2)["records"]
        measured = record["measured"]
        self.assertEqual(measured["total_s"]["count"], 1)  # medians of one sample add up
        self.assertAlmostEqual(sum(term["median"] for term in measured["terms"].values()),
                               measured["total_s"]["median"], delta=1e-12)

    def test_probe(self):
        words = [*RUN, "--cells", 16, 16, 16, "--overlap", "off"]
        line = r"memory now: [0-9.]+ [GMT]?B/s per rank"
        self.assertRegex(self.expect_success(*words, "--probe"), line)
        self.assertNotRegex(self.expect_success(*words), line)

    def test_injected_noise(self):
        words = [*RUN, "--cells", 16, 16, 16, "--overlap", "off", "--inject-noise"]
        (record,) = self.expect_json(*words, "constant:2000:1e-3:1", ranks=2)["records"]
        noise = record["result"]["injected_noise"]
        self.assertEqual((noise["law"], noise["rank"]), ("constant", 1))
        self.assertAlmostEqual(noise["expected_own_s"], noise["work_s"], delta=1e-3 * noise["work_s"])
        self.assertAlmostEqual(noise["expected_wait_s"], noise["expected_own_s"],
                               delta=0.02 * noise["expected_own_s"])
        spun = [rank["terms"]["injected"] for rank in record["per_rank"]]
        self.assertLess(spun[0], spun[1])
        self.assertEqual(record["provenance"]["request"]["inject_noise"], "constant:2000:1e-3:1")
        self.assertIn("noise injected, exponential 100 times a second for 1000 us on all ranks",
                      self.expect_success(*words, "exponential:100:1e-3"))

    def test_a_prediction_is_held_against_injected_noise(self):
        done = subprocess.run(
            [HERE / "lab" / "inject-noise", "--program", command_test.PROGRAM, "--mpirun",
             " ".join(command_test.LAUNCHER[:-2]), "--time-budget", "0.2", "--machine",
             HERE.parent / "models/machines/paragon.json", "--laws", "exponential:1000:1e-3", "--",
             "cholesky", "--size", "96", "--overlap", "off"],
            capture_output=True, text=True, timeout=self.patience_s)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cells = [cell.strip() for cell in done.stdout.splitlines()[-1].split("|")]
        self.assertEqual(cells[1], "`exponential:1000:1e-3`")
        work, own, wait = float(cells[2]), float(cells[3]), float(cells[6])
        self.assertAlmostEqual(own, work, delta=1e-3)  # a second of detours in one of work
        self.assertGreater(wait, 0)

    def test_rate_measured(self):
        (record,) = self.expect_json(*RUN, "--cells", 16, 16, 16, "--overlap", "off", "--rate",
                                     "measured", "--machine", "tsubame2.0")["records"]
        terms = record["predicted"]["refined"]["terms"]
        measured = record["measured"]["terms"]["compute.interior"]["median"]
        self.assertLess(terms["compute.interior"] / measured, 30)
        self.assertGreater(terms["compute.interior"] / measured, 1 / 30)


class WithoutMpi(command_test.CommandTest):
    def test_predict(self):
        words = ["predict", "diffusion", "--cells", 64, 64, 64, "--machine", "tsubame2.0",
                 "--ranks", "1:8"]
        self.assertEqual(len(self.expect_json(*words)["points"]), 4 * 2 * 2)
        self.assertEqual(self.expect_success(*words).count("diffusion on tsubame2.0"), 1)

    def test_predict_does_not_load_the_mpi_runtime(self):
        hidden = dict(os.environ, OMPI_MCA_ess="none-such", PMIX_MCA_gds="none-such")
        environment, os.environ = os.environ, hidden
        try:
            self.expect_json("predict", "diffusion", "--cells", 8, 8, 8, "--machine", "tsubame2.0",
                             "--ranks", 2)
        finally:
            os.environ = environment

    def test_machines(self):
        self.expect_json("machines")
        self.expect_json("machines", "tsubame2.0")


if __name__ == "__main__":
    unittest.main()
