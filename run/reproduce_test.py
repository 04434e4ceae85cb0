# SPDX-License-Identifier: MIT
"""`reproduce`: the design's document, verdicts that follow from its own numbers, and exit statuses
that follow from the verdicts. Which numbers pass is the models' matter and not looked at here."""
import json
import math
import unittest

import command_test

PAPERS = ["shimokawabe", "hu2021", "gahvari2012", "mudalige2011", "orii"]
KEYS = {"paper", "item", "published", "computed", "unit", "error", "tolerance", "passed", "note"}


class Reproduce(command_test.CommandTest):
    def document(self, *words):
        """The document; the status must be what its verdicts say."""
        done = self.run_command("reproduce", *words, "--json")
        document = json.loads(done.stdout)
        failed = any(result["passed"] is False for result in document["results"])
        self.assertEqual(done.returncode, 1 if failed else 0, done.stderr)
        return document

    def test_every_paper_is_there(self):
        document = self.document()
        self.assertEqual([paper["paper"] for paper in document["papers"]], PAPERS)
        for paper in document["papers"]:
            self.assertEqual(set(paper), {"paper", "title", "statements"})
            self.assertTrue(paper["title"])

    def test_a_result_has_the_designs_keys_and_a_verdict_of_its_own_numbers(self):
        for result in self.document()["results"]:
            self.assertEqual(set(result), KEYS)
            self.assertIn(result["paper"], PAPERS)
            self.assertTrue(result["item"])
            if result["computed"] is None:
                self.assertIsNone(result["error"])
                self.assertIsNone(result["passed"])
                self.assertTrue(result["note"], f"{result['item']}: no reason why not")
                continue
            if result["published"] != 0:
                error = result["computed"] / result["published"] - 1
                self.assertTrue(math.isclose(result["error"], error, rel_tol=1e-9, abs_tol=1e-12),
                                result)
            if result["tolerance"] is None:
                self.assertIsNone(result["passed"])
            else:
                self.assertEqual(result["passed"], abs(result["error"]) <= result["tolerance"])

    def test_one_paper_by_its_key_or_its_beginning(self):
        for paper in PAPERS:
            whole = self.document(paper)
            self.assertEqual([one["paper"] for one in whole["papers"]], [paper])
            self.assertTrue(all(one["paper"] == paper for one in whole["results"]))
            self.assertEqual(self.document(paper[:3]), whole)

    def test_the_parts_are_the_whole(self):
        results = [result for paper in PAPERS for result in self.document(paper)["results"]]
        self.assertEqual(self.document()["results"], results)

    def test_the_table_counts_its_verdicts(self):
        for paper in PAPERS:
            results = self.document(paper)["results"]
            table = self.run_command("reproduce", paper).stdout
            self.assertTrue(table.startswith(f"{paper}: "))
            passed = sum(result["passed"] is True for result in results)
            failed = sum(result["passed"] is False for result in results)
            self.assertIn(f"{passed} passed, {failed} failed, ", table)
            for result in results:
                self.assertIn(result["item"], table)

    def test_an_unknown_paper_is_refused_with_those_that_there_are(self):
        for paper in ["frobnicate", "shimokawabe2012", ""]:
            self.expect_refusal(2, [f'"{paper}"', *PAPERS], "reproduce", paper)
        self.expect_refusal(2, ["reproduce: found 'hu2021'"], "reproduce", "orii", "hu2021")
        self.expect_refusal(2, ["frobnicate"], "reproduce", "frobnicate", "--json", ranks=3)

    def test_is_printed_once_by_several_ranks(self):
        alone = self.run_command("reproduce", "orii")
        several = self.run_command("reproduce", "orii", ranks=2)
        self.assertEqual(several.stdout, alone.stdout)
        self.assertEqual(several.returncode, alone.returncode)


if __name__ == "__main__":
    unittest.main()
