# SPDX-License-Identifier: MIT
"""bellwether compare: cases are those that were asked for, whatever `auto` chose, and --fail-on gates."""
import json
import unittest

import command_test


def record(seconds, *, size=64, noise=0.01, passed=True, asked="auto", stores="cached"):
    total = {"median": seconds, "low": (1 - noise) * seconds, "high": (1 + noise) * seconds, "count": 9}
    return {"schema": "bellwether.record/1", "app": "diffusion", "ranks": 2,
            "problem": {"cells": [size, size, size], "precision": "f32"},
            "variant": {"overlap": "off", "stores": stores},
            "measured": {"total_s": total, "terms": {"compute.interior": total}},
            "provenance": {"request": {"problem": {"precision": "f32"}, "stores": asked}},
            "verification": {"passed": passed}}


class Compare(command_test.CommandTest):
    def files(self, before, after):
        for name, records in [("before.jsonl", before), ("after.jsonl", after)]:
            (self.folder / name).write_text("".join(json.dumps(one) + "\n" for one in records))
        return "compare", "before.jsonl", "after.jsonl"

    def status(self, words, *options):
        done = self.run_command(*words, *options)
        self.assertEqual(done.stderr, "")
        return done.returncode

    def test_what_is_worse_beyond_noise_can_gate(self):
        words = self.files([record(1), record(1, size=32)], [record(1.1), record(0.9, size=32)])
        self.assertEqual(self.status(words), 0)
        self.assertEqual(self.status(words, "--fail-on", "never"), 0)
        for fail_on, status in [("worse", 4), ("worse=5%", 4), ("worse=9.9%", 4), ("worse=10.1%", 0),
                                ("worse=0%", 4)]:
            self.assertEqual(self.status(words, "--fail-on", fail_on), status, fail_on)
        done = self.run_command(*words, "--fail-on", "worse")
        self.assertTrue(done.stdout.endswith("\n--fail-on worse: 1 worse, 0 wrong\n"), done.stdout)
        self.assertEqual(self.status(words, "--fail-on", "worse", "--json"), 4)
        better_or_noise = self.files([record(1), record(1, size=32)],
                                     [record(1.015), record(0.9, size=32)])
        self.assertEqual(self.status(better_or_noise, "--fail-on", "worse"), 0)

    def test_a_wrong_result_after_gates_too(self):
        words = self.files([record(1)], [record(1, passed=False)])
        self.assertEqual(self.status(words), 0)
        self.assertEqual(self.status(words, "--fail-on", "worse=50%"), 1)
        words = self.files([record(1, passed=False)], [record(1)])
        self.assertEqual(self.status(words, "--fail-on", "worse"), 0)

    def test_a_gate_that_holds_nothing_is_refused(self):
        words = self.files([record(1)], [record(1, size=32)])
        self.assertEqual(self.status(words), 0)
        done = self.run_command(*words, "--fail-on", "worse")
        self.assertEqual(done.returncode, 2)
        self.assertIn("before.jsonl and after.jsonl have no case or number in common", done.stderr)
        for word in ["better", "worse=", "worse=5", "worse=-1%", "worse=nan%", "worse=x%", ""]:
            self.assertEqual(self.run_command(*words, "--fail-on", word).returncode, 2, word)

    def test_what_auto_chose_tells_no_cases_apart(self):
        words = self.files([record(1)], [record(1.2, stores="streaming")])
        document = self.expect_json(*words)
        self.expect_published(document, "changes/comparison.schema.json")
        change, = document["comparisons"][0]["changes"]
        self.assertEqual(change["judgement"], "worse")
        self.assertIn("stores cached, now streaming", change["because"])
        words = self.files([record(1, asked="two")],
                           [record(1.2, asked="streaming", stores="streaming")])
        self.assertEqual(self.expect_json(*words)["comparisons"][0]["changes"], [])


if __name__ == "__main__":
    unittest.main()
