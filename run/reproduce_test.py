# SPDX-License-Identifier: MIT
"""`reproduce`: the design's document, verdicts that follow from its own numbers, and exit statuses
that follow from the verdicts. Which numbers pass is the models' matter and not looked at here."""
import json
import math
import pathlib
import re
import shutil
import unittest

import command_test

MACHINES = pathlib.Path(__file__).resolve().parent.parent / "models" / "machines"
PAPERS = ["shimokawabe", "hu2021", "gahvari2012", "mudalige2011", "orii", "outside"]
KEYS = {"paper", "item", "evidence", "published", "computed", "unit", "error", "tolerance",
        "passed", "known_miss", "note", "interval"}
EVIDENCE = ["held-out measurement", "held-out value of a model", "fitted", "restatement"]


def failed(result):
    """A miss that is not known, or a known one that is none."""
    return (result["tolerance"] is not None and result["computed"] is not None and
            result["passed"] == bool(result["known_miss"]))


class Reproduce(command_test.CommandTest):
    def document(self, *words):
        """The document; the status must be what its verdicts say."""
        done = self.run_command("reproduce", *words, "--json")
        document = json.loads(done.stdout)
        status = 1 if any(failed(result) for result in document["results"]) else 0
        self.assertEqual(done.returncode, status, done.stderr)
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
            self.assertIn(result["evidence"], EVIDENCE)
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
            if result["interval"] is not None:
                low, high = result["interval"]
                self.assertEqual(result["passed"], low <= result["published"] <= high)
            elif result["tolerance"] is None:
                self.assertIsNone(result["passed"])
            else:
                self.assertEqual(result["passed"], abs(result["error"]) <= result["tolerance"])

    def test_a_trend_holds_or_not_and_says_by_what(self):
        trends = self.document()["trends"]
        self.assertEqual({trend["holds"] for trend in trends}, {True, False})
        for trend in trends:
            self.assertEqual(set(trend), {"paper", "item", "holds", "computed"})
            self.assertTrue(trend["item"] and trend["computed"], trend)
        for paper in PAPERS:
            table = self.run_command("reproduce", paper).stdout
            for trend in trends:
                if trend["paper"] == paper:
                    holds = "holds:" if trend["holds"] else "does not hold:"
                    self.assertRegex(table, re.escape(trend["item"]) + f" +{holds}")

    def test_other_machines_fail(self):
        shutil.copytree(MACHINES, self.folder / "machines")
        options = ["--machine-dir", "machines"]
        self.assertEqual(self.document(*options), self.document())
        file = self.folder / "machines" / "grotius.json"
        machine = json.loads(file.read_text())
        machine["amg"]["flop_time_s"][0]["value"] *= 2
        file.write_text(json.dumps(machine))
        failing = [result for result in self.document(*options)["results"] if failed(result)]
        self.assertGreater(len(failing), 9)
        self.assertEqual({result["paper"] for result in failing}, {"gahvari2012"})
        self.document("orii", *options)  # the status follows the verdicts of what was asked

    def test_other_machines_are_read_strictly(self):
        def refused(patterns, *words):
            self.expect_refusal(2, patterns, "reproduce", *words, "--machine-dir", "machines")
        refused(['"machines", which is no folder', "vpp500.json, paragon.json"], "orii")
        shutil.copytree(MACHINES, self.folder / "machines")
        (self.folder / "machines" / "cx1.json").unlink()
        refused(["found no machines/cx1.json", "c2070-cluster.json"], "mudalige2011")
        refused(["found no machines/cx1.json"])
        self.document("orii", "--machine-dir", "machines")  # which needs no CX1
        shutil.copy(MACHINES / "hector.json", self.folder / "machines" / "cx1.json")
        refused(["cx1.json: name: found \"hector\", expected \"cx1\""], "mudalige2011")
        paragon = json.loads((MACHINES / "paragon.json").read_text())
        (self.folder / "machines" / "paragon.json").write_text(json.dumps(paragon | {"links": 3}))
        refused(["paragon.json", "links"], "orii")
        del paragon["start_up"]
        (self.folder / "machines" / "paragon.json").write_text(json.dumps(paragon))
        refused(["machine paragon: start_up is missing"], "orii")

    def test_one_paper_by_its_key_or_its_beginning(self):
        for paper in PAPERS:
            whole = self.document(paper)
            self.assertEqual([one["paper"] for one in whole["papers"]], [paper])
            self.assertTrue(all(one["paper"] == paper for one in whole["results"]))
            self.assertEqual(self.document(paper[:3]), whole)

    def test_the_parts_are_the_whole(self):
        results = [result for paper in PAPERS for result in self.document(paper)["results"]]
        self.assertEqual(self.document()["results"], results)

    def expect_counts(self, results, table):
        """What agreement is worth: of each class of evidence how many are met."""
        for evidence in EVIDENCE:
            verdicts = [result["passed"] for result in results
                        if result["evidence"] == evidence and result["computed"] is not None]
            counts = [verdicts.count(verdict) for verdict in (True, False, None)]
            line = re.search(rf"^{evidence} +(\d+) +(\d+) +(\d+) ", table, re.MULTILINE)
            self.assertEqual([int(count) for count in line.groups()] if line else [0, 0, 0], counts)
        self.assertIn(f"{sum(map(failed, results))} failed, ", table)

    def test_the_table_counts_its_verdicts(self):
        for paper in PAPERS:
            results = self.document(paper)["results"]
            table = self.run_command("reproduce", paper).stdout
            self.assertTrue(table.startswith(f"{paper}: "))
            self.expect_counts(results, table)
            for result in results:
                self.assertIn(result["item"], table)
        table = self.run_command("reproduce").stdout
        self.expect_counts(self.document()["results"], table[table.index("\nall papers\n"):])

    def test_an_unknown_paper_is_refused_with_those_that_there_are(self):
        for paper in ["frobnicate", "shimokawabe2012", ""]:
            self.expect_refusal(2, [f'"{paper}"', *PAPERS], "reproduce", paper)
        self.expect_refusal(2, ["reproduce: found 'hu2021'"], "reproduce", "orii", "hu2021")
        self.expect_refusal(2, ["frobnicate"], "reproduce", "frobnicate", "--json", ranks=3)


if __name__ == "__main__":
    unittest.main()
