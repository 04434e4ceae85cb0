# SPDX-License-Identifier: MIT
"""run --resume: cases that the results file holds are left out, those that a kill cut short are
run again."""
import json
import unittest

import command_test

RUN = ["run", "diffusion", "--cells", 9, 8, 7, "--steps", 3, "-o", "r.jsonl"]


class Resume(command_test.CommandTest):
    def lines(self):
        return (self.folder / "r.jsonl").read_text().splitlines()

    def test_a_finished_file_gets_nothing_more(self):
        words = [*RUN, "--overlap", "both", "--repeats", 2, "--resume"]
        self.assertEqual(len(self.expect_json(*words, ranks=2)["records"]), 4)
        before = self.lines()
        self.assertEqual(self.expect_json(*words, ranks=2)["records"], [])
        self.assertEqual(self.lines(), before)

    def test_what_is_missing_is_run(self):
        self.expect_json(*RUN, "--overlap", "off", "--resume")
        added = self.expect_json(*RUN, "--overlap", "both", "--repeats", 2, "--resume")["records"]
        self.assertEqual([record["variant"]["overlap"] for record in added], ["on", "off", "on"])
        self.expect_json(*RUN, "--overlap", "off", "--precision", "f64", "--resume")
        self.assertEqual(len(self.records("r.jsonl")), 5)

    def test_a_line_that_was_cut_short_is_run_again(self):
        words = [*RUN, "--overlap", "both", "--resume"]
        for end in ["", "\n"]:
            (self.folder / "r.jsonl").unlink(missing_ok=True)
            self.expect_json(*words, ranks=2)
            first, second = self.lines()
            (self.folder / "r.jsonl").write_text(f"{first}\n{second[:len(second) // 2]}{end}")
            (record,) = self.expect_json(*words, ranks=2)["records"]
            self.assertEqual(record["variant"]["overlap"], "on")
            lines = self.lines()
            self.assertEqual(lines[0], first)
            self.assertEqual(json.loads(lines[-1]), record)
            self.assertEqual(self.expect_json(*words, ranks=2)["records"], [])
            self.assertEqual(self.lines(), lines)

    def test_without_a_results_file_it_is_refused(self):
        words = RUN[:RUN.index("-o")]
        for ranks in [0, 2]:
            self.expect_refusal(2, ["--resume", "--output"], *words, "--resume", ranks=ranks)


if __name__ == "__main__":
    unittest.main()
