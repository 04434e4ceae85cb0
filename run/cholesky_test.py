# SPDX-License-Identifier: MIT
"""Cholesky as its user meets it: cases, what is verified and counted, a matrix that has no factor, and
what is refused."""
import re
import unittest

import command_test

SMALL = ["run", "cholesky", "--size", 130]


class Cases(command_test.CommandTest):
    def test_both_overlaps_in_both_precisions_on_any_ranks(self):
        for ranks in [0, 2, 3]:
            for precision in ["f32", "f64"]:
                for block in [1, 16, 130]:
                    records = self.expect_json(*SMALL, "--precision", precision, "--block", block,
                                               "--factorizations", 2, ranks=ranks)["records"]
                    self.assertEqual([record["variant"]["overlap"] for record in records],
                                     ["off", "on"])
                    for record in records:
                        self.check(record, precision, block, max(ranks, 1))

    def check(self, record, precision, block, ranks):
        self.assertEqual(record["problem"], {"size": 130, "precision": precision})
        self.assertEqual(record["variant"]["block"], block)
        self.assertEqual(record["measured"]["total_s"]["count"], 2)
        self.assertTrue(record["verification"]["passed"], record)
        self.assertLess(record["result"]["residual"], 1)
        self.assertEqual("blas" in record["result"], block > 1)
        alone = ["compute.scale", "compute.update"]
        sent = ["wait", "network.broadcast"] if ranks > 1 else []
        self.assertEqual(sorted(term for term in record["measured"]["terms"] if term != "other"),
                         sorted(alone + sent))
        flops = record["rate"]["value"] * record["measured"]["total_s"]["median"]
        self.assertAlmostEqual(flops, 130 ** 3 / 3, delta=1)

    def test_by_columns_the_bits_are_the_same_on_any_ranks(self):
        for precision in ["f32", "f64"]:
            self.assertEqual(len({
                record["result"]["fingerprint"] for ranks in [0, 2, 4]
                for record in self.expect_json(*SMALL, "--precision", precision, "--factorizations",
                                               1, ranks=ranks)["records"]}), 1)

    def test_a_prediction_stands_beside_every_term(self):
        for ranks in [0, 2]:
            for record in self.expect_json(*SMALL, "--machine", "tsubame2.0", "--factorizations", 1,
                                           ranks=ranks)["records"]:
                measured = set(record["measured"]["terms"])
                refined = set(record["predicted"]["refined"]["terms"])
                # The machine's device is a GPU, whose copies and launches a CPU has not.
                more = {"startup", "copy.to_host", "copy.to_device"}
                self.assertLessEqual(refined - more, measured)
                self.assertIn("compute.update", refined)

    def test_finished_cases_are_not_run_again(self):
        words = [*SMALL, "--block", 8, "--factorizations", 1, "-o", "r.jsonl", "--resume"]
        self.assertEqual(len(self.expect_json(*words)["records"]), 2)
        self.assertEqual(self.expect_json(*words)["records"], [])
        words[words.index(8)] = 16
        self.assertEqual(len(self.expect_json(*words)["records"]), 2)

    def test_the_probe_tells_the_speed_of_updates(self):
        for block, of in [(1, "updates now"), (32, "products now")]:
            said = self.expect_success(*SMALL, "--block", block, "--overlap", "on", "--probe",
                                       "--factorizations", 1, ranks=2)
            self.assertIn(of, said)

    def test_ranks_without_columns_are_told_and_wait(self):
        for words, told in [(["--size", 2], "3 ranks for 2 columns: 1 of them"),
                            (["--size", 20, "--block", 16], "3 ranks for 2 blocks of columns: 1 of")]:
            done = self.run_command("run", "cholesky", *words, "--factorizations", 1, ranks=3)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count(told), 1, done.stderr)


class Wrong(command_test.CommandTest):
    def test_a_matrix_that_is_not_positive_definite_is_told_by_its_column(self):
        columns = set()
        for ranks in [0, 2]:
            for block in [1, 32]:
                done = self.run_command(*SMALL, "--shift", 8, "--block", block, ranks=ranks)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                columns |= set(re.findall(r"WRONG RESULT: column (\d+): its diagonal is not positive",
                                          done.stdout))
                self.assertIn("no rate", done.stdout)
        self.assertEqual(len(columns), 1)

    def test_what_cannot_be_is_refused(self):
        for wanted, words in [
                (["--size"], []),
                (["--size", "whole number from 1"], ["--size", 0]),
                (["--block: found 131, expected at most --size, 130"], ["--size", 130, "--block", 131]),
                (["--block", "whole number from 1"], ["--size", 130, "--block", 0]),
                (["--precision", "f32"], ["--size", 130, "--precision", "f16"]),
                (["--shift"], ["--size", 130, "--shift", "-1"])]:
            self.expect_refusal(2, wanted, "run", "cholesky", *words)

    def test_a_matrix_beyond_the_memory_is_refused_with_what_it_needs(self):
        for words in [[], ["--block", 64]]:
            self.expect_refusal(3, ["not enough memory", "the matrix and its panels", "GiB"], "run",
                                "cholesky", "--size", 5_000_000, *words, ranks=2)


if __name__ == "__main__":
    unittest.main()
