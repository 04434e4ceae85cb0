# SPDX-License-Identifier: MIT
"""run/lab/validate --replay, --ablate and --keep: the corpus' runs predicted again."""
import json
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "run"))
from command_test import PROGRAM, CommandTest  # noqa: E402
from validation import again, corpus, matrix, replay  # noqa: E402

VALIDATE = str(ROOT / "run/lab/validate")
RUNS = [("tsubame2.0", "diffusion", "--cells", 20, 19, 18, "--steps", 2),
        ("tsubame2.0", "lbm", "--cells", 12, 11, 13, "--steps", 2, "--geometry", "sphere", "--force", 1e-5, 0, 0),
        ("mi50-cluster", "hpl", "--size", 200, "--block", 32, "--grid", "2x1", "--bcast", "tree"),
        ("paragon", "cholesky", "--size", 100, "--factorizations", 1)]
if os.environ.get("BELLWETHER_WITH_HYPRE") == "1":
    RUNS.append(("grotius", "amg", "--cells", 10, 10, 10, "--cycles", 2))


def record(size, seconds, predicted_s, units=None, app="cholesky"):
    return {"app": app, "ranks": 1, "problem": {"size": size, "precision": "f64"},
            "variant": {"block": 1, "overlap": "off"}, "oversubscribed": False,
            "verification": {"passed": True}, "measured": {"total_s": {"median": seconds}},
            "rate": {"value": (units or size) / seconds}, "provenance": {"host": "secret", "cpu": "a CPU"},
            "predicted": {"refined": {"total_s": predicted_s}},
            "per_rank": [{"host": "secret", "cores": [0]}]}


class Replay(CommandTest):
    def validate(self, *words):
        return subprocess.run([sys.executable, VALIDATE, "--program", PROGRAM, *map(str, words)],
                              capture_output=True, text=True, timeout=self.patience_s)

    def test_predicts_what_the_run_predicted(self):
        for machine, *words in RUNS:
            records = self.expect_json("run", *words, "--overlap", "both", "--machine", machine, ranks=2)["records"]
            self.assertEqual(len(records), 2)
            for one in records:
                self.assertEqual(again.predicted(PROGRAM, one, machine).get("total_s"),
                                 one["predicted"]["refined"]["total_s"], one["app"])
        # On one rank, as on several the run's own partition decides what the halos are.
        one = self.expect_json("run", "airfoil", "--cells", 20, 30, "--iterations", 1, "--machine", "hector",
                               "--overlap", "off")["records"][0]
        self.assertEqual(again.predicted(PROGRAM, one, "hector")["total_s"], one["predicted"]["refined"]["total_s"])

    def test_the_corpus_is_predicted_as_recorded(self):
        """After a change of a model: ./run/lab/validate --replay -o results/validation/corpus/figures.json,
        and say in the commit why."""
        found = self.folder / "figures.json"
        done = self.validate("--replay", "-o", found)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        recorded, now = (json.loads(file.read_text()) for file in (corpus.FOLDER / "figures.json", found))
        self.assertEqual({name: set(groups) for name, groups in now.items()},
                         {name: set(groups) for name, groups in recorded.items()})
        for name, groups in now.items():
            for app, figures in groups.items():
                for what, value in figures.items():
                    self.assertAlmostEqual(value or 0, recorded[name][app][what] or 0, delta=0.001,
                                           msg=f"{name}, {app}, {what}")

    def small_corpus(self, app):
        """Four runs of a mini-app."""
        kept = self.folder / "corpus"
        (kept / "one").mkdir(parents=True)
        whole = corpus.Corpus(corpus.FOLDER / "h200")
        (kept / "one/machine.json").write_text(json.dumps(whole.machine))
        lines = [json.dumps(one) for one in whole.records if one["app"] == app][:4]
        (kept / "one/records.jsonl").write_text("\n".join(lines) + "\n")
        return kept

    def test_a_worse_prediction_is_told(self):
        kept = self.small_corpus("lbm")
        better = {"one": {"all": {"cases": 4, "median": 0.01, "p95": 1, "coverage": 1, "width": 1,
                                  "constant": None, "nearest": None}}}
        (kept / "figures.json").write_text(json.dumps(better))
        done = self.validate("--replay", "--corpus", kept)
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stdout, r"\nWORSE: one, all: median [\d.]+ %, before 1.0 %\n$")

    def test_a_broken_file_is_named(self):
        kept = self.small_corpus("lbm")
        broken = [(kept / "figures.json", "{"), (kept / "one/records.jsonl", '{"app": 1}\n'),
                  (kept / "one/machine.json", "[")]
        for number, (file, text) in enumerate(broken):
            file.write_text(text)
            done = self.validate("--replay", "--corpus", kept)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(str(file if number == 0 else kept / "one"), done.stderr)
            self.assertNotIn("Traceback", done.stderr)

    def test_what_is_no_corpus_is_named(self):
        for words, said in ((("--replay", "--corpus", self.folder), "found no corpus"),
                            (("--keep", "a"), "--keep: expected --only"),
                            (("--keep", "a", "--only", "1-rank", "--matrix", "--folder", self.folder),
                             "found no machine file and records of 1-rank")):
            done = self.validate(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_a_part_taken_out(self):
        done = self.validate("--corpus", self.small_corpus("cholesky"), "--ablate",
                             "hpl.kernels.swap,cholesky.kernels.f32.blocks,cholesky.kernels.f32.scale_st")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [[cell.strip() for cell in line.split("|")[2:-1]] for line in done.stdout.splitlines()[2:]]
        self.assertEqual([line for line in lines if line], [
            ["cholesky.kernels.f32.blocks", "36", "none", "0"],
            ["cholesky.kernels.f32.scale_start_up_s", "1", "needed by cholesky", "-"],
            ["hpl.kernels.swap_bandwidth_bytes_per_s", "1", "none", "0"]])


class Figures(CommandTest):
    def test_errors_coverage_and_width(self):
        found = [{"app": app, "error": error, "covered": covered, "width": width} for app, error, covered, width in
                 (("lbm", -0.2, True, 2.0), ("lbm", 0.1, False, 1.5), ("hpl", 0.4, True, 3.0))]
        now = replay.figures(found, [(0.5, -0.1), (None, None), (-0.3, 0.2)])
        self.assertEqual(now["lbm"], {"cases": 2, "median": 0.15, "p95": 0.2, "coverage": 0.5, "width": 1.75,
                                      "constant": 0.5, "nearest": 0.1})
        self.assertEqual(now["all"]["cases"], 3)
        self.assertEqual(now["all"]["constant"], 0.4)

    def test_baselines_know_the_other_sizes_alone(self):
        # Seconds per unit 1, 2 and 4; sizes 10, 100 and 1000.
        some = [record(10, 10.0, 1), record(100, 200.0, 1), record(1000, 4000.0, 1), record(7, 7.0, 1, app="lbm")]
        some[3]["problem"] = {"cells": [7, 1, 1]}
        errors = replay.without_a_model(some)
        self.assertEqual(errors[0], (3 - 1, 2 - 1))      # the others' median 3, the nearest's 2
        self.assertEqual(errors[2], (1.5 / 4 - 1, 2 / 4 - 1))
        self.assertEqual(errors[3], (None, None))        # there is no other size

    def test_parts_and_their_numbers(self):
        machine = {"name": "m", "links": {"network": {"latency_s": {"value": 1, "low": 0, "high": 2},
                                                      "segments": [{"of": "a", "x": 1}, {"of": "b", "x": 2}]}}}
        names = {replay.name_of(part): part for part in replay.parts(machine)}
        self.assertEqual(set(names), {"links", "links.network", "links.network.latency_s", "links.network.segments",
                                      "links.network.segments[of=a]", "links.network.segments[of=b]",
                                      "links.network.segments[x=1]", "links.network.segments[x=2]"})
        self.assertEqual(replay.numbers_in(machine), 3)
        left = replay.without(machine, names["links.network.segments[of=a]"])
        self.assertEqual(left["links"]["network"]["segments"], [{"of": "b", "x": 2}])
        self.assertEqual(replay.without(machine, names["links"]), {"name": "m"})
        self.assertEqual(len(machine["links"]["network"]["segments"]), 2)

    def test_words(self):
        one = record(200, 1, 1, app="hpl")
        one["problem"] = {"size": 200, "block": 32, "grid": [2, 1]}
        one["variant"] = {"swap": "mix", "threads": 3, "overlap": "on"}
        self.assertEqual(again.words_of(one), "--size 200 --block 32 --grid 2x1 --swap mix --panel host".split())
        self.assertEqual(set(again.OPTIONS), set(matrix.RANGES))


class Kept(CommandTest):
    def test_without_the_names_of_machines(self):
        (self.folder / "1-rank.machine.json").write_text(json.dumps(
            {"name": "m", "provenance": {"host": "secret", "cpu": "a CPU"}}))
        lines = [json.dumps(record(size, 1.0, 1.1)) for size in range(400)]
        (self.folder / "1-rank.0.0.jsonl").write_text("\n".join(lines) + '\n{"app": "cut')
        kept = self.folder / "corpus/a"
        corpus.keep(self.folder, "1-rank", kept)
        self.assertEqual({path.name for path in kept.iterdir()}, {"machine.json", "records.jsonl.gz"})
        found = corpus.Corpus(kept)
        self.assertEqual(found.machine["provenance"], {"cpu": "a CPU"})
        self.assertEqual(len(found.records), 400)
        self.assertNotIn("secret", json.dumps(found.records))
        self.assertEqual(found.records[0]["per_rank"], [{"host": "node0", "cores": [0]}])
        before = (kept / "records.jsonl.gz").read_bytes()
        corpus.keep(self.folder, "1-rank", kept)
        self.assertEqual((kept / "records.jsonl.gz").read_bytes(), before)


if __name__ == "__main__":
    unittest.main()
