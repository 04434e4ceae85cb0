# SPDX-License-Identifier: MIT
"""Files as others make them and as kills leave them, alike in all verbs that read them: marks,
signs, pipes, compression, depth, versions, ranges, and lines without an end."""
import gzip
import json
import os
import subprocess
import unittest

import command_test

RUN = ["run", "diffusion", "--cells", 9, 8, 7, "--steps", 2, "--overlap", "off"]
EXTRA_P = ["export", "--format", "extra-p"]
TABLE = "n,ranks,seconds\n" + "".join(
    f"{n},{ranks},{1 + 1e-4 * n * n / ranks}\n" for n in (100, 200, 400) for ranks in (1, 2, 4))
WITH_HYPRE = os.environ["BELLWETHER_WITH_HYPRE"] == "1"
MARK = b"\xef\xbb\xbf"


def record(ranks=2, schema="bellwether.record/1", size=9):
    """As much as its readers look at."""
    return {"schema": schema, "app": "diffusion", "ranks": ranks,
            "problem": {"cells": [size, 9, 9], "precision": "f32"}, "variant": {"overlap": "off"},
            "measured": {"total_s": {"median": 1.0, "low": 0.9, "high": 1.1, "min": 0.9, "max": 1.1,
                                     "count": 9}, "terms": {}},
            "rate": {"value": 100.0, "unit": "cells/s"}, "verification": {"passed": True},
            "provenance": {}}


def matrix(value="4.75", header="", end="\n", rows=20):
    entries = [(i, j, value if i == j else "-1.0") for i in range(1, rows + 1)
               for j in (i - 1, i, i + 1) if 1 <= j <= rows]
    return (f"%%MatrixMarket matrix coordinate real general{header}\n{rows} {rows} {len(entries)}\n"
            + "\n".join("%d %d %s" % entry for entry in entries) + end)


class ReadingTest(command_test.CommandTest):
    def write(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
        return name

    def lines(self, *records):
        return "".join(json.dumps(one) + "\n" for one in records)

    def piped(self, content, *words):
        return subprocess.run([command_test.PROGRAM, *map(str, words)], input=content,
                              cwd=self.folder, capture_output=True, timeout=self.patience_s)

    def readers(self, name):
        """A command of every verb that reads results."""
        return [["export", name], [*EXTRA_P, name], ["fit", name], ["compare", name, name],
                ["report", name, "-o", "r.html"],
                ["predict", "diffusion", "--cells", 9, 9, 9, "--machine", "tsubame2.0", "--ranks",
                 2, "--measured", name],
                ["predict", "amg", "--hierarchy", name, "--machine", "grotius", "--ranks", 8],
                [*RUN, "-o", name, "--resume"]]


class Tables(ReadingTest):
    def test_marks_signs_and_line_ends_change_nothing(self):
        expected = self.expect_json("fit", self.write("a.csv", TABLE))
        for content in [MARK + TABLE.encode(), TABLE.replace("\n", "\r\n"), TABLE.replace(",1", ",+1"),
                        MARK + TABLE.replace("\n", "\r\n").encode()]:
            self.assertEqual(self.expect_json("fit", self.write("a.csv", content)), expected)

    def test_pipes_are_read(self):
        expected = self.expect_success(*EXTRA_P, self.write("a.csv", TABLE))
        for content in [TABLE.encode(), MARK + TABLE.encode()]:
            done = self.piped(content, *EXTRA_P, "/dev/stdin")
            self.assertEqual((done.returncode, done.stdout.decode()), (0, expected), done.stderr)
        machine = json.dumps(self.expect_json("machines", "tsubame2.0")).encode()
        for content in [machine, MARK + machine]:
            done = self.piped(content, "predict", "diffusion", "--cells", 9, 9, 9, "--ranks", 2,
                              "--machine", "/dev/stdin")
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_numbers_out_of_range(self):
        for word in ["1e-320", "1e-400", "1e400", "inf"]:
            self.expect_refusal(2, ["a.csv, line 2", "finite number above 0"], "fit",
                                self.write("a.csv", f"n,ranks,seconds\n10,1,{word}\n"))

    def test_a_last_line_without_its_end_is_said(self):
        done = self.run_command(*EXTRA_P, self.write("a.csv", TABLE[:-1]))
        self.assertEqual(done.returncode, 0)
        self.assertIn("a.csv, line 10: has no end; was the file cut off", done.stderr)


class Compressed(ReadingTest):
    def test_it_is_said_by_all(self):
        small = ["run", "lbm", "--cells", 4, 4, 4, "--geometry"]
        for words in [["export"], ["fit"], ["compare", "a"], ["report", "-o", "r.html"],
                      ["predict", "hpl", "--size", 99, "--ranks", 2, "--machine"], small,
                      ["run", "airfoil", "--mesh"], ["run", "hpl", "--input"],
                      ["accept", "-o", "x", "--suite"],
                      *([["run", "amg", "--matrix"]] if WITH_HYPRE else [])]:
            self.write("a", "")
            self.expect_refusal(2, [r"a\.gz: is gzip-compressed: unpack it first"], *words,
                                self.write("a.gz", gzip.compress(TABLE.encode())))

    def test_a_pipe_that_is_read_by_parts_is_said(self):
        os.mkfifo(self.folder / "pipe")
        for words in [["run", "lbm", "--cells", 4, 4, 4, "--geometry"], ["run", "airfoil", "--mesh"],
                      *([["run", "amg", "--matrix"]] if WITH_HYPRE else [])]:
            self.expect_refusal(2, ["pipe: is a pipe, expected a plain file"], *words, "pipe")


class Records(ReadingTest):
    def refused_by_all(self, content, patterns):
        for words in self.readers("r.jsonl"):
            self.write("r.jsonl", content)
            self.expect_refusal(2, patterns, *words)

    def test_other_versions(self):
        self.refused_by_all(self.lines(record(), record(schema="bellwether.record/2")),
                            ["line 2: found schema 'bellwether.record/2'", "bellwether.record/1"])
        self.refused_by_all(self.lines(*[record(schema="bellwether.record/2")] * 2),
                            ["line 1: found schema 'bellwether.record/2'", "bellwether.record/1"])

    def test_ranks_out_of_range(self):
        for ranks in [4294967297, 2**31, 0, -1, 2**64 + 1, 1e300]:
            self.refused_by_all(self.lines(record(), record(ranks)), ["line 2: key /ranks: found"])

    def test_depth(self):
        deep = "[" * 100000 + "]" * 100000
        self.refused_by_all(self.lines(record()) + deep + "\n", ["line 2: no JSON, or nested too deep"])
        for content in [deep, '{"schema": "bellwether.machine/1", "name": ' + deep + "}"]:
            self.write("deep.json", content)
            for words in [["predict", "hpl", "--size", 99, "--ranks", 2, "--machine", "deep.json"],
                          ["accept", "-o", "x", "--suite", "deep.json"],
                          ["machines", "deep.json"]]:
                self.expect_refusal(2, ["deep.json: found JSON nested deeper than"], *words)
            self.expect_refusal(2, ["deep.json, line 1: no JSON"], "compare", "deep.json", "deep.json")

    def test_a_line_that_a_kill_cut_off(self):
        whole = self.lines(record(), record(4))
        torn = whole + whole[:200] + "\n" + self.lines(record(8))
        for words in self.readers("r.jsonl"):
            if words[:2] == ["predict", "amg"] or words[0] in ("fit", "report"):
                continue
            self.write("r.jsonl", torn)
            done = self.run_command(*words)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("r.jsonl, line 3: was cut off, left out", done.stderr)
        self.assertEqual(self.expect_success("export", self.write("r.jsonl", torn)),
                         self.expect_success("export", self.write("s.jsonl", whole + self.lines(record(8)))))

    def test_a_line_without_its_end_is_ended_before_the_next(self):
        self.expect_success(*RUN, "-o", "r.jsonl")
        text = (self.folder / "r.jsonl").read_text()
        for kept in [text[:-1], text[:300]]:
            self.write("r.jsonl", kept)
            self.expect_success(*RUN, "-o", "r.jsonl")
            lines = (self.folder / "r.jsonl").read_text().splitlines()
            self.assertEqual(lines[0] + "\n", kept if kept.endswith("\n") else kept + "\n")
            self.assertEqual(json.loads(lines[1])["app"], "diffusion")

    def test_export_says_what_it_left_out(self):
        bad = record(4)
        bad["verification"]["passed"] = False
        done = self.run_command(*EXTRA_P, self.write("r.jsonl", self.lines(record(), bad)))
        self.assertEqual(done.returncode, 0)
        self.assertIn("1 record left out: not verified", done.stderr)


class Resumed(ReadingTest):
    def added(self, *words):
        return len(self.expect_json(*words, "-o", "r.jsonl", "--resume")["records"])

    def test_a_geometry_is_its_contents(self):
        words = ["run", "lbm", "--cells", 6, 6, 6, "--steps", 2, "--overlap", "off", "--geometry"]
        self.write("g.raw", bytes(216))
        self.assertEqual([self.added(*words, "g.raw") for _ in range(2)], [1, 0])
        self.write("h.raw", bytes(216))
        self.assertEqual(self.added(*words, "h.raw"), 0)
        self.write("g.raw", bytes(100) + b"\1" + bytes(115))
        self.assertEqual([self.added(*words, "g.raw") for _ in range(2)], [1, 0])

    def test_a_mesh_and_a_machine_are_their_contents(self):
        words = ["run", "airfoil", "--mesh", "m.dat", "--iterations", 2, "--overlap", "off"]
        for edge, machine in [(6, None), (8, None), (8, "tsubame2.0"), (8, "cx1")]:
            self.expect_success("mesh", "airfoil", "--cells", edge, 4, "-o", "m.dat")
            named = ["--machine", "m.json"] if machine else []
            if machine:
                self.write("m.json", json.dumps(self.expect_json("machines", machine)))
            self.assertEqual([self.added(*words, *named) for _ in range(2)], [1, 0])

    @unittest.skipUnless(WITH_HYPRE, "built without hypre")
    def test_a_matrix_is_its_contents(self):
        words = ["run", "amg", "--cycles", 2, "--overlap", "off", "--matrix", "m.mtx"]
        for value in ["4.75", "4.5"]:
            self.write("m.mtx", matrix(value))
            self.assertEqual([self.added(*words) for _ in range(2)], [1, 0])


@unittest.skipUnless(WITH_HYPRE, "built without hypre")
class Matrices(ReadingTest):
    def solved(self, content, ranks=0):
        self.write("m.mtx", content)
        (one,) = self.expect_json("run", "amg", "--matrix", "m.mtx", "--cycles", 3, "--overlap", "off",
                                  ranks=ranks)["records"]
        return one["problem"], one["result"]["residual"]

    def test_marks_signs_and_words_behind_the_header(self):
        expected = self.solved(matrix())
        for content in [MARK + matrix().encode(), matrix("+4.75"), matrix(header=" made by hand"),
                        matrix().replace("\n", "\r\n")]:
            for ranks in [0, 2]:
                problem, residual = self.solved(content, ranks)
                self.assertEqual(problem["rows"], expected[0]["rows"])
                if ranks == 0:
                    self.assertEqual(residual, expected[1])

    def test_a_file_cut_within_its_last_number_is_refused(self):
        for content in [matrix()[:-1], matrix()[:-4]]:
            for ranks in [0, 3]:
                self.write("m.mtx", content)
                self.expect_refusal(2, ["m.mtx, line 60: found .* expected a line with its end"],
                                    "run", "amg", "--matrix", "m.mtx", ranks=ranks)


class Meshes(ReadingTest):
    def test_a_mark_is_read_and_a_cut_refused(self):
        self.expect_success("mesh", "airfoil", "--cells", 6, 4, "-o", "m.dat")
        text = (self.folder / "m.dat").read_bytes()
        words = ["run", "airfoil", "--mesh", "m.dat", "--iterations", 2, "--overlap", "off"]

        def rms():
            return self.expect_json(*words)["records"][0]["result"]["rms"]

        expected = rms()
        for content in [MARK + text, text.replace(b"\n", b"\r\n")]:
            self.write("m.dat", content)
            self.assertEqual(rms(), expected)
        self.write("m.dat", text[:-1])
        for ranks in [0, 2]:
            self.expect_refusal(2, [r"m.dat, line .*\(a file cut off\?\)"], *words, ranks=ranks)


class Numbers(ReadingTest):
    def test_below_the_normal_range(self):
        self.expect_refusal(2, ["--les", "found '1e-320'"], "run", "lbm", "--cells", 8, 8, 8, "--les",
                            "1e-320")
        machine = self.expect_json("machines", "tsubame2.0")
        machine["links"]["network"]["latency_s"]["value"] = 1e-320
        self.write("m.json", json.dumps(machine))
        self.expect_refusal(2, ["m.json", "latency_s"], "machines", "m.json")

    def test_what_no_machine_has_is_said_by_key(self):
        machine = self.expect_json("machines", "tsubame2.0")
        machine["device"]["memory_bandwidth_bytes_per_s"] = {"value": 1e300, "low": 1e300, "high": 1e300}
        self.write("m.json", json.dumps(machine))
        done = self.run_command("machines", "m.json")
        self.assertEqual(done.returncode, 0)
        self.assertIn("m.json: key /device/memory_bandwidth_bytes_per_s/value: found 1e+300", done.stderr)

    def test_more_ranks_than_any_machine_has(self):
        for app in [["diffusion", "--cells", 64, 64, 64], ["cholesky", "--size", 5000],
                    ["hpl", "--size", 5000]]:
            self.expect_refusal(2, ["ranks", "2147483647", "at most 20000000"], "predict", *app,
                                "--machine", "tsubame2.0", "--ranks", "1:2147483647")


if __name__ == "__main__":
    unittest.main()
