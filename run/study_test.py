# SPDX-License-Identifier: MIT
"""bellwether study: what fits is run, the rest predicted, and what the folder holds is not run again."""
import json
import unittest

import command_test
import golden_test

LAUNCHER = " ".join(command_test.LAUNCHER[:-1])
WORDS = ["study", "diffusion", "--machine", "tsubame2.0", "--launcher", LAUNCHER, "--slots", 2,
         "--time-budget", 0.05, "-o", "out"]
SMALL = [*WORDS, "--cells", 12, 10, 8]


class Study(golden_test.GoldenFiles):
    def document(self, *words, status=0):
        done = self.run_command(*words, "--json")
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(document, json.loads((self.folder / "out" / "study.json").read_text()))
        self.expect_published(document, "study/study.schema.json")
        return document

    def cells(self):
        return [(record["ranks"], record["problem"]["cells"]) for record in self.records("out/results.jsonl")]

    def test_text_and_files(self):
        text = self.expect_success(*SMALL, "--ranks", "1,2,4", "--what-if", "links.network.latency_s=2x")
        text = golden_test.masked(text.split("records: ")[0])
        self.compare("study.txt", "".join(line + "\n" for line in text.splitlines()
                                          if line.startswith(("diffusion", " ranks", " N", "not fitted"))))
        self.assertEqual({path.name for path in (self.folder / "out").iterdir()}, {
            "results.jsonl", "run.log", "study.json", "report.html", "prediction-12x10x8.json"})
        prediction = json.loads((self.folder / "out" / "prediction-12x10x8.json").read_text())
        self.assertEqual([one["ranks"] for one in prediction["measured"]["points"]], [1, 2])
        self.assertIn("predicted time per step", (self.folder / "out" / "report.html").read_text())
        # The predictions are those of predict.
        predicted = self.expect_json("predict", "diffusion", "--cells", 12, 10, 8, "--machine", "tsubame2.0",
                                     "--ranks", "1,2,4", "--overlap", "on", "--form", "refined")
        points = json.loads((self.folder / "out" / "study.json").read_text())["curves"][0]["points"]
        for key in ("total_s", "low_s", "high_s", "rate"):
            self.assertEqual([one["predicted"][key] for one in points], [one[key] for one in predicted["points"]])
        for one in points[:2]:
            (record,) = [record for record in self.records("out/results.jsonl") if record["ranks"] == one["ranks"]]
            self.assertEqual(one["measured"]["total_s"], record["measured"]["total_s"]["median"])
        self.assertIsNone(points[2]["measured"])

    def test_weak_scaling_grows_the_problem(self):
        document = self.document(*SMALL, "--ranks", "1,2,4", "--scaling", "weak")
        self.assertEqual([(ranks, sorted(cells)) for ranks, cells in self.cells()],
                         [(1, [8, 10, 12]), (2, [10, 12, 16])])
        points = document["curves"][0]["points"]
        first, second = points[0]["measured"], points[1]["measured"]
        # Of equal work a rank the efficiency is the ratio of the times.
        self.assertAlmostEqual(second["efficiency"], first["total_s"] / second["total_s"], places=9)

    def test_sizes_and_default_ranks(self):
        document = self.document(*WORDS, "--sizes", "8,12")
        self.assertEqual([curve["size"] for curve in document["curves"]], ["8x8x8", "12x12x12"])
        for curve in document["curves"]:
            self.assertEqual([point["ranks"] for point in curve["points"]], [1, 2, 4, 8, 16, 32])
        self.assertEqual(self.cells(), [(ranks, [size] * 3) for size in (8, 12) for ranks in (1, 2)])

    def test_other_apps(self):
        for app, words in [("cholesky", ["--sizes", "96"]), ("hpl", ["--sizes", "96"]),
                           ("airfoil", ["--sizes", "12"]), ("lbm", ["--sizes", "8"])]:
            with self.subTest(app):
                self.expect_success("study", app, "--machine", "hector", *WORDS[4:-1], app, *words, "--ranks", "2")
                self.assertEqual(len(self.records(f"{app}/results.jsonl")), 1)

    def test_resume_runs_what_is_missing(self):
        words = [*SMALL, "--ranks", "1,2"]
        self.document(*words)
        lines = (self.folder / "out" / "results.jsonl").read_text().splitlines(keepends=True)
        self.expect_refusal(2, ["-o: 'out' is there and not an empty folder", "--resume"], *words)
        (self.folder / "out" / "results.jsonl").write_text(lines[0] + lines[1][:100])
        self.document(*words, "--resume")
        found = (self.folder / "out" / "results.jsonl").read_text().splitlines(keepends=True)
        self.assertEqual(found[0], lines[0])
        self.assertEqual(json.loads(found[-1])["ranks"], 2)
        self.document(*words, "--resume")
        self.assertEqual((self.folder / "out" / "results.jsonl").read_text().splitlines(keepends=True), found)

    def test_what_cannot_run_is_said_and_the_next_goes_on(self):
        words = [*WORDS, "--cells", 5, 5, 1, "--decomposition", "1x1x1", "--ranks", "1,2"]
        document = self.document(*words, status=2)
        one, two = document["curves"][0]["points"]
        self.assertEqual((one["not_run"], two["measured"]), ("", None))
        self.assertIn("--decomposition", two["not_run"])
        first, second = self.records("out/results.jsonl")
        self.assertNotIn("not_run", first)
        self.assertEqual((second["ranks"], second["not_run"]), (2, two["not_run"]))

    def test_a_launcher_that_fails(self):
        words = [*SMALL, "--ranks", 1]
        words[words.index(LAUNCHER)] = "false"
        document = self.document(*words, status=3)
        self.assertEqual(document["curves"][0]["points"][0]["not_run"], "'false 1' ended with status 1")

    def test_refusals(self):
        for patterns, words in [
                (["--sizes, --cells: found neither"], WORDS),
                (["--sizes, --cells: found both"], [*SMALL, "--sizes", "8"]),
                (["--sizes: found 'x'"], [*WORDS, "--sizes", "8,x"]),
                (["--slots", "'?0'?"], [*SMALL, "--slots", 0]),
                (["'0'|0:4"], [*SMALL, "--ranks", "0:4"]),
                (["no-machine"], ["study", "diffusion", "--cells", 8, 8, 8, "--machine", "no-machine", "-o", "x"]),
                (["links.nothing"], [*SMALL, "--what-if", "links.nothing.latency_s=2x"])]:
            self.expect_refusal(2, patterns, *words)
        self.assertFalse((self.folder / "out").exists())


if __name__ == "__main__":
    unittest.main()
