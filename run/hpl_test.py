# SPDX-License-Identifier: MIT
"""HPL as its user meets it: the cases that options and HPL.dat list, its result line, the curve, and
what is refused."""
import itertools
import json
import re
import unittest

import command_test

SMALL = ["run", "hpl", "--size", 120, "--block", 32]
RESULT = re.compile(r"^WR([01])([0-6])R2R8 +(\d+) +(\d+) +(\d+) +(\d+) +([\d.]+) +(\d\.\d{4}e[+-]\d\d)$",
                    re.MULTILINE)
RESIDUAL = re.compile(r"^\|\|Ax-b\|\|_oo/\(eps\*\(\|\|A\|\|_oo\*\|\|x\|\|_oo\+\|\|b\|\|_oo\)\*N\)= +"
                      r"(\d\.\d{8}e[+-]\d\d) \.\.\.\.\.\. PASSED$", re.MULTILINE)


def dat(**changes):
    """HPL's input file for one case on one rank; line_6="…" puts another text in line 6."""
    lines = ["a title", "another", "out (file)", "6 (device)", "1 (N)", "96 Ns", "1 (NB)", "16 NBs",
             "0 (map)", "1 (grids)", "1 Ps", "1 Qs", "16.0 (bound)", "1", "2 (PFACTs)", "1",
             "4 (NBMINs)", "1", "2 (NDIVs)", "1", "1 (RFACTs)", "1", "1 (BCASTs)", "1",
             "1 (DEPTHs)", "2 (swap)", "64 (columns)", "0 (L1)", "0 (U)", "1 (equil)", "8 (align)"]
    for key, text in changes.items():
        lines[int(key.removeprefix("line_")) - 1] = text
    return "\n".join(lines) + "\n"


def case_of(record):
    problem, variant = record["problem"], record["variant"]
    return (tuple(problem["grid"]), problem["size"], problem["block"], variant["overlap"],
            variant["bcast"], variant["swap"])


class HplTest(command_test.CommandTest):
    def write(self, **changes):
        (self.folder / "HPL.dat").write_text(dat(**changes))
        return ["run", "hpl", "--input", "HPL.dat"]


class Cases(HplTest):
    def test_lists_make_a_case_each(self):
        words = ["run", "hpl", "--size", 100, "--block", "16,32", "--grid", "1x2,2x1", "--bcast",
                 "ring,tree", "--swap", "mix,spread-roll"]
        records = self.expect_json(*words, ranks=2)["records"]
        self.assertEqual([case_of(record) for record in records],
                         [(grid, 100, block, overlap, bcast, swap)
                          for block, grid, bcast, swap, overlap in itertools.product(
                              [16, 32], [(1, 2), (2, 1)], ["ring", "tree"],
                              ["mix", "spread-roll"], ["off", "on"])])

    def test_what_is_not_given_is_chosen_and_said(self):
        done = self.run_command("run", "hpl", "--size", 400, "--overlap", "on", "-o", "r.jsonl",
                                ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        (record,) = self.records("r.jsonl")
        self.assertEqual(record["problem"], {"size": 400, "block": 192, "grid": [1, 2]})
        self.assertEqual(done.stderr.count("--block auto: 192, as no machine file says"), 1)
        done = self.run_command("run", "hpl", "--size", 400, "--overlap", "on", "--machine",
                                "mi50-cluster", "--json", ranks=2)
        self.assertEqual((done.returncode, self.without_remarks(done.stderr)), (0, ""))

    def test_a_threads_option_reaches_the_blas(self):
        (record,) = self.expect_json(*SMALL, "--threads", 1, "--overlap", "on")["records"]
        self.assertEqual(record["variant"]["threads"], 1)

    def test_a_finished_file_gets_nothing_more(self):
        words = self.write(line_5="2", line_6="64 96", line_24="2", line_25="0 1")
        words += ["-o", "r.jsonl", "--resume"]
        self.assertEqual(len(self.expect_json(*words)["records"]), 4)
        self.assertEqual(self.expect_json(*words)["records"], [])
        self.write(line_5="2", line_6="64 80")
        (record,) = self.expect_json(*words)["records"]
        self.assertEqual(record["problem"]["size"], 80)
        # Not the same where mix changes over at another number of columns.
        self.write(line_5="1", line_6="64", line_27="32")
        self.assertEqual(len(self.expect_json(*words)["records"]), 1)


class Split(HplTest):
    """The CPU as the device too, which takes a part of every update."""

    def test_any_share_solves(self):
        for ranks, grid in [(0, "1x1"), (2, "1x2,2x1")]:
            for share in [0, 0.4, 1, "auto"]:
                words = ["run", "hpl", "--size", 150, "--block", 16, "--grid", grid,
                         "--device-share", share, "-o", f"{ranks}{share}.jsonl", "--resume"]
                records = self.expect_json(*words, ranks=ranks)["records"]
                self.assertEqual(len(records), 2 * len(grid.split(",")))
                for record in records:
                    self.assertTrue(record["verification"]["passed"], record)
                    self.assertEqual(record["variant"]["device_share"], share)
                    self.assertIn(" and ", record["result"]["blas"])
                    used = record["result"]["device_share"]
                    self.assertTrue(0 <= used <= 1 if share == "auto" else used == share, used)
                self.assertEqual(self.expect_json(*words, ranks=ranks)["records"], [])

    def test_auto_shares_where_there_is_something_to_measure(self):
        """Host and device are one CPU: each is worth a part."""
        (record,) = self.expect_json("run", "hpl", "--size", 1500, "--block", 64, "--threads", 1,
                                     "--overlap", "on", "--device-share", "auto")["records"]
        self.assertGreater(record["result"]["device_share"], 0.02)
        self.assertLess(record["result"]["device_share"], 0.98)

    def test_without_it_nothing_is_said_of_it(self):
        (record,) = self.expect_json(*SMALL, "--overlap", "on")["records"]
        self.assertNotIn("device_share", {**record["variant"], **record["result"]})

    def test_no_panel_is_factored_on_a_device_that_is_none(self):
        for panel in ["device", "cusolver"]:
            self.expect_refusal(2, [f"--panel: found {panel}, expected host"], *SMALL, "--panel",
                                panel)
        records = self.expect_json(*SMALL, "--panel", "host")["records"]
        self.assertTrue(all(record["verification"]["passed"] for record in records))

    def test_what_is_no_share_is_refused(self):
        for word in ["1.01", "-0.1", "nan", "half", ""]:
            self.expect_refusal(2, ["--device-share", "a number from 0 to 1, or auto"], *SMALL,
                                "--device-share", word)


class InputFile(HplTest):
    def test_every_case_is_run_in_hpls_order(self):
        words = self.write(line_5="2", line_6="64 96", line_7="2", line_8="16 24", line_10="2",
                           line_11="1 2", line_12="2 1", line_22="3", line_23="0 3 5",
                           line_24="2", line_25="1 0", line_26="1")
        done = self.run_command(*words, "-o", "r.jsonl", ranks=2)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        cases = [case_of(record) for record in self.records("r.jsonl")]
        wanted = list(itertools.product([(1, 2), (2, 1)], [64, 96], [16, 24], ["on", "off"],
                                        ["ring", "two-rings-modified", "pipeline"],
                                        ["spread-roll"]))
        self.assertEqual(cases, wanted)
        digits = {"ring": "0", "two-rings-modified": "3", "pipeline": "4"}
        self.assertEqual(
            [(code, bcast, *map(int, numbers))
             for code, bcast, *numbers, _, _ in RESULT.findall(done.stdout)],
            [("1" if overlap == "on" else "0", digits[bcast], size, block, *grid)
             for grid, size, block, overlap, bcast, _ in wanted])

    def test_a_case_that_does_not_fit_leaves_the_others(self):
        words = self.write(line_5="2 (N)", line_6="2000000 64")
        for ranks in [0, 2]:
            if ranks == 2:
                words = self.write(line_5="2 (N)", line_6="64 2000000", line_12="2")
            done = self.run_command(*words, "--repeats", 2, "--json", ranks=ranks)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            records = json.loads(done.stdout)["records"]
            (left,) = [record for record in records if "not_run" in record]
            self.assertEqual([case_of(record)[1] for record in records if record is not left],
                             [64, 64])
            which = f"case {1 if ranks == 0 else 2} of 2"
            self.assertEqual(left["problem"]["size"], 2000000)
            self.assertEqual(done.stderr.count(f"bellwether: {which} did not run: {left['not_run']}"),
                             1)
            self.assertIn("not enough memory", left["not_run"])

    def test_the_line_is_the_records(self):
        self.write()
        done = self.run_command("run", "hpl", "--input", "HPL.dat", "-o", "r.jsonl")
        (record,) = self.records("r.jsonl")
        (found,) = RESULT.findall(done.stdout)
        self.assertAlmostEqual(float(found[7]) * 1e9, record["rate"]["value"],
                               delta=1e-4 * record["rate"]["value"])
        (residual,) = RESIDUAL.findall(done.stdout)
        self.assertAlmostEqual(float(residual), record["verification"]["value"], delta=1e-8)
        self.assertIn("T/V                N    NB     P     Q               Time                 "
                      "Gflops\n", done.stdout)
        self.assertEqual(len(self.expect_json(*self.write())["records"]), 1)

    def test_what_is_not_told_apart_is_run_once_and_said_once(self):
        words = self.write(line_14="3", line_15="0 1 2", line_16="2", line_17="2 4", line_22="2",
                           line_23="4 5", line_24="3", line_25="1 2 3", line_13="8")
        done = self.run_command(*words, "--json", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count('"app"'), 2)  # the record, and its request
        for said in ["line 13: the residual is held against 2 / sqrt(N), not 8",
                     "line 23: pipeline in the place of the long broadcasts, 4 and 5",
                     "line 25: look-ahead by one panel, not by 3",
                     "PFACT, NBMIN, NDIV, RFACT, L1, U, Equilibration and alignment are this "
                     "program's own, one for the 6 combinations",
                     "HPL.dat, lines 11 and 12: 1x1 leaves 1 of 2 ranks without a part"]:
            self.assertEqual(done.stderr.count(said), 1, done.stderr)

    def test_as_netlibs_takes_them(self):
        words = self.write(line_8="97", line_9="1", line_11="2", line_12="2", line_23="7")
        done = self.run_command(*words, "--json", ranks=4)
        self.assertEqual(done.returncode, 0, done.stderr)
        (record,) = json.loads(done.stdout)["records"]
        self.assertEqual(record["problem"]["block"], 96)
        self.assertEqual(record["problem"]["pmap"], "column-major")
        self.assertEqual(record["variant"]["bcast"], "ring-modified")
        for said in ["line 8: of an N below 97 all is one block",
                     "line 9: ranks lie along the columns of the grids",
                     "line 23: BCAST 7 is taken as 1, ring-modified"]:
            self.assertEqual(done.stderr.count(said), 1, done.stderr)

    def test_refused_by_line(self):
        for number, text, expected in [
                (5, "2 (N)", r'line 6: found "96 Ns", expected Ns: 2 whole numbers from 1'),
                (6, "0", r'line 6: found "0", expected Ns: 1 whole number from 1 to 100000000'),
                (8, "0 (NB)", r'line 8: found "0 \(NB\)", expected NBs: 1 whole number from 1'),
                (9, "2", 'line 9: found "2", expected PMAP: a whole number from 0 to 1'),
                (10, "0", "line 10: found \"0\", expected the number of Ps: a whole number from 1"),
                (23, "six", "line 23: found \"six\", expected BCASTs: 1 whole number from 0 to"),
                (31, "", 'line 31: found "", expected memory alignment')]:
            for ranks in [0, 2]:
                self.expect_refusal(2, ["HPL.dat, " + expected],
                                    *self.write(**{f"line_{number}": text}), ranks=ranks)
        (self.folder / "HPL.dat").write_text("".join(dat().splitlines(True)[:20]))
        for ranks in [0, 2]:
            self.expect_refusal(2, ["HPL.dat, line 21: found the file's end, expected RFACTs"],
                                "run", "hpl", "--input", "HPL.dat", ranks=ranks)

    def test_more_processes_than_ranks(self):
        """A grid of several is a case that did not run; the only one is refused."""
        why = ("(HPL.dat, lines 11 and 12|--grid): found 2x2, which is 4 processes, expected at most "
               "2, the ranks that there are")
        self.expect_refusal(2, [why], *SMALL, "--grid", "2x2", "-o", "r.jsonl", ranks=2)
        self.assertFalse((self.folder / "r.jsonl").exists())
        for words in [self.write(line_10="2", line_11="2 1", line_12="2 2"),
                      [*SMALL, "--overlap", "on", "--grid", "2x2,1x2"]]:
            (self.folder / "r.jsonl").unlink(missing_ok=True)
            done = self.run_command(*words, "-o", "r.jsonl", ranks=2)
            self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
            refused, ran = self.records("r.jsonl")
            self.assertRegex(refused["not_run"], why)
            self.assertNotIn("measured", refused)
            self.assertTrue(ran["verification"]["passed"])
        # What reads results passes it over, and says so.
        for form in ("csv", "openmetrics", "extra-p"):
            self.assertIn("1 record left out: not run",
                          self.run_command("export", "r.jsonl", "--format", form).stderr)
        self.expect_success("report", "r.jsonl", "-o", "page.html")
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("1 of 2 cases did not run.", page)
        self.assertRegex(page, f"Did not run: hpl, 2 ranks.*{why}")
        (compared,) = self.expect_json("compare", "r.jsonl", "r.jsonl")["comparisons"]
        self.assertEqual(len(compared["changes"]), 1)

    def test_a_file_that_is_none(self):
        self.expect_refusal(2, ["no.dat: cannot be read"],
                            "run", "hpl", "--input", "no.dat")
        self.expect_refusal(2, [r"\.: is a directory"],
                            "run", "hpl", "--input", ".", ranks=2)
        self.expect_refusal(2, ["--input", "a file"], "run", "hpl", "--input", "")


class Options(HplTest):
    def refuse(self, patterns, *words, ranks=0):
        self.expect_refusal(2, patterns, *words, ranks=ranks)

    def test_no_problem(self):
        self.refuse(["--size: found none, expected --size N, --size auto or --input FILE"],
                    "run", "hpl")

    def test_numbers_and_names(self):
        for word in ["0", "-5", "1e3", "100000001", "half", ""]:
            self.refuse(["--size", f"found '{word}'", "from 1 to 100000000, or auto"],
                        "run", "hpl", "--size", word)
        for word in ["0", "65537", "32,", ",32", "32,x", "auto,32", ""]:
            self.refuse(["--block", f'found "{word}"', "auto or whole numbers from 1 to 65536"],
                        "run", "hpl", "--size", 100, "--block", word)
        self.refuse(["--block: found 101, expected at most --size, 100"],
                    "run", "hpl", "--size", 100, "--block", "10,101")
        for word in ["0x1", "1", "2x", "1x1,", "axb", "-1x-1", "1x1x1", ""]:
            self.refuse(["--grid", "auto or the rows and columns of processes as PxQ"],
                        *SMALL, "--grid", word)
        for option, names in [("--bcast", "ring, ring-modified, two-rings, two-rings-modified"),
                              ("--swap", "spread-roll, binary-exchange, mix")]:
            for word in ["long", "", f"{names.split(', ')[0]},1rg", ","]:
                self.refuse([option, f"found '{word.split(',')[-1]}'", f"one of: {names}"],
                            *SMALL, option, word)
        for word in ["-1", "4097", "two", ""]:
            self.refuse(["--threads", f"found '{word}'", "from 0 to 4096"],
                        *SMALL, "--threads", word)

    def test_two_words_for_one_thing(self):
        words = self.write()
        for option, word in [("--size", 100), ("--block", 32), ("--grid", "1x1"),
                             ("--bcast", "ring"), ("--swap", "mix"), ("--overlap", "on")]:
            self.refuse(["--input", option], *words, option, word)

    def test_too_little_memory_is_told_before_it_is_taken(self):
        self.expect_refusal(3, ["the matrix and its buffers", r"\d"],
                            "run", "hpl", "--size", 100000000, "--block", 192)


class Curve(HplTest):
    def test_details_print_it_up_to_the_end(self):
        printed = self.expect_success("run", "hpl", "--size", 300, "--block", 16, "--overlap", "on",
                                      "--details")
        rows = re.findall(r"^ *([\d.]+) % +(\d+) +([\d.]+) +([\d.]+) +([\d.]+)$", printed,
                          re.MULTILINE)
        self.assertGreater(len(rows), 8)
        self.assertEqual((rows[-1][0], rows[-1][1]), ("100.0", "300"))
        for before, after in zip(rows, rows[1:]):
            self.assertLess(int(before[1]), int(after[1]))
            self.assertLessEqual(float(before[2]), float(after[2]))
        self.assertNotIn("so far", self.expect_success(*SMALL))


if __name__ == "__main__":
    unittest.main()
