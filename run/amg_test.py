# SPDX-License-Identifier: MIT
"""BoomerAMG as its user meets it: problems, methods and matrices from files, what is printed and
recorded, predictions from what was recorded, and what is refused."""
import itertools
import json
import os
import unittest

import command_test

SMALL = ["run", "amg", "--cells", 9, 8, 7, "--cycles", 3]
RELAXATIONS = ["hybrid-gauss-seidel", "l1-gauss-seidel", "l1-jacobi", "chebyshev"]
HERE = os.environ["BELLWETHER_WITH_HYPRE"] == "1"


def laplacian(cells):
    """Rows of the 7-point Laplacian, x fastest, as {column: value}."""
    nx, ny, nz = cells
    rows = []
    for z, y, x in itertools.product(range(nz), range(ny), range(nx)):
        row = {x + nx * (y + ny * z): 6.0}
        for dx, dy, dz in [(-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1)]:
            i, j, k = x + dx, y + dy, z + dz
            if 0 <= i < nx and 0 <= j < ny and 0 <= k < nz:
                row[i + nx * (j + ny * k)] = -1.0
        rows.append(row)
    return rows


def matrix_market(rows, symmetric=False):
    entries = [(i, j, value) for i, row in enumerate(rows) for j, value in row.items()
               if not symmetric or j <= i]
    kind = "symmetric" if symmetric else "general"
    return "".join([f"%%MatrixMarket matrix coordinate real {kind}\n% a comment\n",
                    f"{len(rows)} {len(rows)} {len(entries)}\n",
                    *(f"{i + 1} {j + 1} {value!r}\n" for i, j, value in entries)])


class AmgTest(command_test.CommandTest):
    def write(self, name, text):
        (self.folder / name).write_text(text)

    def write_ij(self, name, rows, starts):
        """hypre's files, of the rows from each start up to the next."""
        for file, (first, end) in enumerate(zip(starts, starts[1:])):
            self.write(f"{name}.{file:05}", "".join(
                [f"{first} {end - 1} {first} {end - 1}\n",
                 *(f"{i} {j} {value:.14e}\n" for i in range(first, end)
                   for j, value in rows[i].items())]))

    def expect_solved(self, *words, ranks=0):
        records = self.expect_json(*words, ranks=ranks)["records"]
        for record in records:
            self.assertTrue(record["verification"]["passed"], record["verification"])
            self.assertLess(record["result"]["residual"], record["variant"]["tolerance"])
        return records


@unittest.skipUnless(HERE, "built without hypre")
class Runs(AmgTest):
    def test_any_ranks_and_both_overlaps_record_the_same_solve(self):
        for ranks in [1, 2, 3, 4]:
            off, on = self.expect_solved(*SMALL, ranks=ranks)
            for record, overlap in [(off, "off"), (on, "on")]:
                self.assertEqual((record["ranks"], record["variant"]["overlap"]), (ranks, overlap))
                self.assertEqual(record["problem"]["rows"], 504)
                self.assertEqual(record["rate"]["unit"], "unknowns/s")
            for key in ["cycles", "hierarchy", "operator_complexity"]:
                self.assertEqual(off["result"][key], on["result"][key])

    def test_verified_twice_ends_in_the_same_bits(self):
        for solver in ["amg", "pcg"]:
            for record in self.expect_solved(*SMALL, "--solver", solver, "--verify", "twice", ranks=2):
                self.assertRegex(record["verification"]["what"], ", and twice the same bits$")

    def test_levels_are_what_the_terms_add_up(self):
        (record,) = self.expect_solved(*SMALL, "--overlap", "off", ranks=2)
        hierarchy, levels = record["result"]["hierarchy"], record["result"]["levels"]
        self.assertEqual(len(levels), len(hierarchy["levels"]))
        self.assertEqual(set(levels[-1]), {"coarse_solve"})
        for level in levels[:-1]:
            self.assertEqual(set(level), {"relax", "residual", "restrict", "interpolate"})
        terms = record["measured"]["terms"]
        groups = {term.split(".")[1] for term in terms if "." in term}
        self.assertLessEqual(groups, {"finest", "next", "middle", "coarsest"})
        self.assertLessEqual({"compute.finest", "network.finest", "compute.coarsest"}, set(terms))
        unknowns = [level["unknowns"] for level in hierarchy["levels"]]
        self.assertEqual(unknowns[0], 504)
        self.assertEqual(unknowns, sorted(unknowns, reverse=True))

    def test_every_relaxation_with_either_solver(self):
        for relax in RELAXATIONS:
            for solver in ["amg", "pcg"]:
                words = [*SMALL, "--relax", relax, "--solver", solver, "--overlap", "on"]
                for ranks in [0, 2]:
                    (record,) = self.expect_solved(*words, ranks=ranks)
                    self.assertEqual(record["variant"]["relax"], relax)
                    self.assertEqual("compute.krylov" in record["measured"]["terms"],
                                     solver == "pcg")
                    self.assertLess(record["result"]["cycles"], 60)

    def test_every_method_of_setting_up(self):
        for coarsening, interpolation in itertools.product(
                ["hmis", "pmis", "falgout"], ["ext+i", "classical", "direct"]):
            self.expect_solved(*SMALL, "--coarsening", coarsening, "--interpolation", interpolation,
                               "--overlap", "off", ranks=2)
        self.expect_solved(*SMALL, "--pmax", 0, "--aggressive-levels", 0, "--sweeps", 2)

    def test_every_problem(self):
        for words in [["--problem", "anisotropic"], ["--problem", "jumps"], ["--stencil", 27]]:
            self.expect_solved(*SMALL, *words, "--overlap", "on", ranks=2)
        (record,) = self.expect_solved("run", "amg", "--cells", 6, 5, 4, "--scaling", "weak",
                                       "--cycles", 2, "--overlap", "on", ranks=4)
        self.assertEqual(record["problem"]["rows"], 480)

    def test_a_finished_file_gets_nothing_more(self):
        words = [*SMALL, "-o", "r.jsonl", "--resume"]
        self.assertEqual(len(self.expect_json(*words)["records"]), 2)
        self.assertEqual(self.expect_json(*words)["records"], [])
        for more in [["--relax", "l1-jacobi"], ["--tolerance", "1e-6"], ["--solver", "pcg"]]:
            self.assertEqual(len(self.expect_json(*words, *more, "--overlap", "on")["records"]), 1)
        self.assertEqual(len(self.records("r.jsonl")), 5)

    def test_what_is_printed(self):
        printed = self.expect_success(*SMALL, "--overlap", "off", ranks=2)
        self.assertRegex(printed, r"\noperator complexity \d\.\d{3}, grid complexity \d\.\d{3}; to")
        self.assertRegex(printed, r"\nlevel +rows +nonzeros +per row +ranks +neighbours +messages")
        self.assertRegex(printed, r"\n +0 +504 +3146 +6\.2 +2 +1 +2 +\d+\n")
        self.assertRegex(printed, r"\nsolved in \d+ cycles: residual \d\.\d\de-\d\d, by a factor of")
        self.assertNotIn("coarse solve", printed)
        printed = self.expect_success(*SMALL, "--overlap", "off", "--details", ranks=2)
        self.assertRegex(printed, r"\n +P from the next level +to multiply by P +by its transpose\n")
        self.assertRegex(printed, r"\n +[um]s +relax +residual +restrict +interpolate +coarse solve\n")
        self.assertRegex(printed, r"\n  all( +[\d.]+){11}\n")
        self.assertRegex(printed, r"\nper solve cycle +measured")
        printed = self.expect_success(*SMALL, "--solver", "pcg", "--overlap", "off")
        self.assertRegex(printed, r"\nper iteration +measured")


@unittest.skipUnless(HERE, "built without hypre")
class Matrices(AmgTest):
    def test_a_file_is_the_same_matrix(self):
        rows = laplacian([9, 8, 7])
        self.write("general.mtx", matrix_market(rows))
        self.write("symmetric.mtx", matrix_market(rows, symmetric=True))
        self.write_ij("ij", rows, [0, 100, 504])
        words = ["--cycles", 2, "--overlap", "on"]
        (built,) = self.expect_solved("run", "amg", "--cells", 9, 8, 7, *words)
        for name in ["general.mtx", "symmetric.mtx", "ij"]:
            (read,) = self.expect_solved("run", "amg", "--matrix", name, *words)
            self.assertEqual(read["problem"], {"matrix": name, "rows": 504})
            self.assertEqual(read["result"]["hierarchy"], built["result"]["hierarchy"])
            self.assertEqual(read["result"]["cycles"], built["result"]["cycles"])
        for ranks in [2, 3, 4]:
            found = [self.expect_solved("run", "amg", "--matrix", name, *words, ranks=ranks)[0]
                     for name in ["general.mtx", "symmetric.mtx", "ij"]]
            self.assertEqual(found[0]["result"]["hierarchy"], found[1]["result"]["hierarchy"])
            if ranks == 2:  # divided as the files are
                finest = found[2]["result"]["hierarchy"]["levels"][0]["solve"]
                self.assertEqual(finest["busiest_rows"], 404)

    def test_bad_files_are_refused_by_line(self):
        rows = laplacian([4, 4, 4])
        good = matrix_market(rows).splitlines(keepends=True)

        def changed(line, text):
            return "".join([*good[:line - 1], text, *good[line:]])

        for number, (text, expected) in enumerate([
                (changed(1, "%%MatrixMarket matrix coordinate pattern general\n"),
                 "a.mtx, line 1: found .* expected values that are real or integer"),
                (changed(1, "%%MatrixMarket matrix array real general\n"),
                 "a.mtx, line 1: found .* expected a sparse matrix, coordinate"),
                (changed(3, "64 63 352\n"), 'a.mtx, line 3: found "64 63 352", expected a square'),
                (changed(9, "1 1 nan\n"), 'a.mtx, line 9: found "1 1 nan", expected a value that'),
                (changed(9, "65 1 1\n"), 'a.mtx, line 9: found "65 1 1", expected a row from 1 to'),
                (changed(9, "1 1 6.0\n"),
                 r"a.mtx, line 9: found row 1, column 1 a second time, .*first: a.mtx, line 4"),
                (changed(4, "1 1 0.0\n"), "a.mtx, line 4: found 0 on the diagonal of row 1"),
                (changed(4, "2 4 1.0\n"), "a.mtx: found no diagonal of row 1"),
                ("".join(good[:-1]),
                 f"a.mtx, line {len(good)}: found the end after {len(good) - 4} entries"),
                ("", 'a.mtx, line 1: found "", expected a Matrix Market file')]):
            self.write("a.mtx", text)
            self.expect_refusal(2, [expected], "run", "amg", "--matrix", "a.mtx", "-o", "r.jsonl",
                                ranks=number % 4)
        self.write_ij("ij", rows, [0, 20, 64])
        self.write("ij.00001", "21 63 21 63\n")
        self.expect_refusal(2, ['ij.00001, line 1: found "21 63 21 63", expected rows from 20 on'],
                            "run", "amg", "--matrix", "ij", ranks=2)
        self.expect_refusal(2, ["--matrix: found no file 'no' and no 'no.00000'"],
                            "run", "amg", "--matrix", "no", ranks=2)
        self.assertFalse((self.folder / "r.jsonl").exists())

    def test_a_file_that_one_rank_alone_lacks_is_told_with_its_host(self):
        said = self.refusal_where_one_rank_lacks(
            "a.mtx", matrix_market(laplacian([4, 4, 4])).encode(), "run", "amg", "--matrix", "a.mtx")
        self.assertRegex(said, r"--matrix: found 'a\.mtx', which cannot be read \(on \S+\)$")

    def test_a_solve_that_diverges_or_stalls_ends_with_status_1(self):
        indefinite = laplacian([9, 8, 7])
        for i, row in enumerate(indefinite):
            row[i] = 3.0
        self.write("wild.mtx", matrix_market(indefinite))
        for ranks in [0, 2]:
            done = self.run_command("run", "amg", "--matrix", "wild.mtx", "--overlap", "off", "-o",
                                    "r.jsonl", ranks=ranks)
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            self.assertRegex(done.stdout, r"WRONG RESULT: the solve (diverges|stalls).* after \d+ cycles")
            self.assertNotIn("unknowns/s", done.stdout)
            self.assertNotIn("solved in", done.stdout)
        for record in self.records("r.jsonl"):
            self.assertFalse(record["verification"]["passed"])
            self.assertNotIn("rate", record)


@unittest.skipUnless(HERE, "built without hypre")
class Refused(AmgTest):
    def refuse(self, patterns, *words, ranks=0):
        self.expect_refusal(2, patterns, *words, ranks=ranks)

    def test_problems(self):
        self.refuse(["amg: found no problem, expected --cells NX NY NZ or --matrix FILE"],
                    "run", "amg")
        for word in ["0", "-3", "x", "1048577", "1.5", ""]:
            self.refuse(["--cells", f"found '{word}'", "from 1 to 1048576"],
                        "run", "amg", "--cells", 4, word, 4)
        self.refuse(["--cells 1048576 1048576 1048576: found 1.15e.18 unknowns, expected at most"],
                    "run", "amg", "--cells", 1048576, 1048576, 1048576, ranks=2)
        self.expect_refusal(3, ["not enough memory", "the matrix, its hierarchy and vectors"],
                            "run", "amg", "--cells", 5000, 5000, 5000)
        self.refuse(["BoomerAMG finds nothing to coarsen in this matrix of 1 rows"],
                    "run", "amg", "--cells", 1, 1, 1)
        self.refuse(["--stencil: found 27, which is of --problem laplace alone"],
                    *SMALL, "--stencil", 27, "--problem", "jumps")
        for option, word in [("--cells", [4, 4, 4]), ("--scaling", ["weak"]), ("--stencil", [7]),
                             ("--problem", ["laplace"])]:
            self.refuse(["--matrix", option], "run", "amg", "--matrix", "a.mtx", option, *word)
        self.refuse(["--matrix", "a file"], "run", "amg", "--matrix", "")
        self.refuse(["4 ranks", "2 cells|2 rows|2 unknowns"], "run", "amg", "--cells", 2, 1, 1,
                    ranks=4)

    def test_methods(self):
        for option, names in [("--problem", "laplace, anisotropic, jumps"), ("--stencil", "7, 27"),
                              ("--scaling", "strong, weak"), ("--coarsening", "hmis, pmis, falgout"),
                              ("--interpolation", r"ext\+i, classical, direct"),
                              ("--relax", ", ".join(RELAXATIONS)), ("--solver", "amg, pcg"),
                              ("--overlap", "off, on, both")]:
            for word in ["W", ""]:
                self.refuse([option, f"found '{word}'", f"one of: {names}"], *SMALL, option, word)
        for option, highest in [("--pmax", 1000), ("--aggressive-levels", 25), ("--threads", 4096)]:
            for word in ["-1", highest + 1, "two", ""]:
                self.refuse([option, f"found '{word}'", f"from 0 to {highest}"],
                            *SMALL, option, word)
        for word in ["0,1", "1,1", "1,", ",1", "1;2"]:
            self.refuse(["--threads", f"found '{word}'", "a list of different ones"],
                        *SMALL, "--threads", word)
        for word in ["0", "101", "1.5"]:
            self.refuse(["--sweeps", f"found '{word}'", "from 1 to 100"], *SMALL, "--sweeps", word)
        for word in ["0", "1", "-1e-8", "nan", "1e-8x", ""]:
            self.refuse(["--tolerance", f"found '{word}'", "above 0 and below 1"],
                        *SMALL, "--tolerance", word)


@unittest.skipUnless(HERE, "built without hypre")
class Predictions(AmgTest):
    def predict(self, file, *words):
        return self.expect_json("predict", "amg", "--hierarchy", file, "--machine", "grotius",
                                "--ranks", "2,8", "--ranks-per-node", 2, *words)["points"]

    def test_from_runs(self):
        hierarchies = []
        for ranks in [1, 2]:
            words = [*SMALL, "--relax", "l1-jacobi", "-o", "r.jsonl"]
            for record in self.expect_json(*words, ranks=ranks)["records"]:
                hierarchies.append(record["result"]["hierarchy"])
        self.write("h.json", json.dumps({"hierarchies": hierarchies[::2]}))
        points = self.predict("r.jsonl")
        self.assertEqual(len(points), 8)
        for point in points:
            self.assertGreater(point["total_s"], 0)
            self.assertIn("compute.finest", point["terms"])
        self.assertEqual(points, self.predict("h.json", "--relax", "l1-jacobi"))
        self.assertNotEqual(points, self.predict("r.jsonl", "--relax", "chebyshev"))
        self.assertNotEqual(points, self.predict("r.jsonl", "--sweeps", 2))
        self.assertIn("reduce", self.predict("r.jsonl", "--solver", "pcg")[0]["terms"])

    def test_files_that_do_not_tell(self):
        words = ["predict", "amg", "--machine", "grotius", "--ranks", 8, "--hierarchy"]
        self.expect_json("run", "diffusion", "--cells", 8, 8, 8, "--steps", 2, "-o", "r.jsonl")
        self.expect_refusal(2, ["r.jsonl: found no verified record of amg in 2 lines"],
                            *words, "r.jsonl")
        self.expect_json(*SMALL, "-o", "r.jsonl")
        self.expect_json(*SMALL, "-o", "r.jsonl", "--coarsening", "pmis")
        self.expect_refusal(2, ['r.jsonl, line 5: found coarsening "pmis", expected "hmis" as in '
                                'line 3'], *words, "r.jsonl")

class PredictionOptions(AmgTest):
    def test_methods(self):
        words = ["predict", "amg", "--cells", 8, 8, 8, "--machine", "grotius", "--ranks", 4]
        for option, names in [("--relax", ", ".join(["auto", *RELAXATIONS])),
                              ("--solver", "auto, amg, pcg"), ("--scaling", "strong, weak")]:
            for word in ["W", ""]:
                self.expect_refusal(2, [option, f"found '{word}'", f"one of: {names}"],
                                    *words, option, word)
        for word in ["0", "101", "two", ""]:
            self.expect_refusal(2, ["--sweeps", f"found '{word}'", "from 1 to 100, or auto"],
                                *words, "--sweeps", word)
        for option in ["--stencil", "--matrix", "--coarsening", "--tolerance"]:
            self.expect_refusal(2, [f"predict amg: found '{option}'"], *words, option, 7)


@unittest.skipIf(HERE, "built with hypre")
class Absent(AmgTest):
    def test_the_reason_is_told(self):
        self.expect_refusal(3, ["run amg: this build has no BoomerAMG"], *SMALL, ranks=2)


if __name__ == "__main__":
    unittest.main()
