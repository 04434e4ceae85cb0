# SPDX-License-Identifier: MIT
"""Airfoil runs: the same flow from a generated mesh and from files, on any number of ranks, and the
pictures they write."""
import math
import os
import re
import unittest

import command_test
import mesh_test
import test_vtk_file

WITH_HDF5 = os.environ["BELLWETHER_WITH_HDF5"] == "1"
RUN = ["run", "airfoil"]
SMALL = ["--cells", 8, 9, "--iterations", 30]
GAMMA = 1.4


class AirfoilTest(command_test.CommandTest):
    def record(self, *words, ranks=0):
        overlap = [] if "--overlap" in words else ["--overlap", "off"]
        (record,) = self.expect_json(*RUN, *words, *overlap, ranks=ranks)["records"]
        self.assertTrue(record["verification"]["passed"], record["verification"])
        return record

    def result(self, *words, ranks=0):
        return self.record(*words, ranks=ranks)["result"]


class Runs(AirfoilTest):
    def test_iterations_are_as_many_as_asked_for(self):
        record = self.record("--cells", 8, 9, "--iterations", 7)
        self.assertEqual(record["result"]["iterations"], 7)
        self.assertEqual(record["result"]["timed_steps"], 7)
        self.assertEqual(record["problem"]["sets"],
                         {"nodes": 250, "cells": 216, "edges": 407, "bedges": 50})
        self.assertEqual(record["problem"]["precision"], "f64")
        self.assertEqual(record["variant"]["loops"], "fused")

    def test_one_flow_however_it_is_computed(self):
        """To the bit for each partition; between partitions additions have other orders, of which
        each rounds by 1.1e-16 or 6e-8 of numbers of order 1: the app's README states the bounds."""
        alone = self.result(*SMALL)
        single = self.result(*SMALL, "--precision", "f32")
        for ranks, partitioner in [(2, "rcb"), (3, "block")]:
            words = [*SMALL, "--partitioner", partitioner]
            one = self.result(*words, ranks=ranks)
            self.assertAlmostEqual(one["rms"], alone["rms"], delta=1e-15)
            self.assertAlmostEqual(self.result(*words, "--precision", "f32", ranks=ranks)["rms"],
                                   single["rms"], delta=1e-7)
            for variant in [["--halo", "direct"], ["--overlap", "on"]]:
                self.assert_same_flow(self.result(*words, *variant, ranks=ranks), one)
            five = self.record(*words, "--loops", "five", ranks=ranks)
            fused = self.result(*words, "--increments", five["variant"]["increments"], ranks=ranks)
            self.assert_same_flow(five["result"], fused)

    def assert_same_flow(self, other, one):
        self.assertEqual(other["fingerprint"], one["fingerprint"])
        self.assertEqual(other["rms"], one["rms"])

    def test_gathers_are_one_flow_on_any_ranks(self):
        """To the bit, and but for the order of additions that of the edges one after another."""
        for precision, delta in [("f64", 1e-15), ("f32", 1e-7)]:
            words = [*SMALL, "--precision", precision]
            plain = self.result(*words)
            gathered = [*words, "--increments", "gather"]
            record = self.record(*gathered)
            self.assertEqual(record["variant"]["increments"], "gather")
            self.assertEqual(set(record["measured"]["terms"]) & {"compute.stage", "compute.res_calc"},
                             {"compute.stage"})
            self.assertAlmostEqual(record["result"]["rms"], plain["rms"], delta=delta)
            for ranks, *more in [(2, "rcb"), (3, "block", "--overlap", "on"),
                                 (4, "rcb", "--halo", "direct")]:
                other = self.result(*gathered, "--partitioner", *more, ranks=ranks)
                self.assertEqual(other["fingerprint"], record["result"]["fingerprint"], ranks)
                self.assertAlmostEqual(other["rms"], record["result"]["rms"], delta=1e-15)

    def test_the_change_falls(self):
        changes = [self.result("--cells", 8, 9, "--iterations", n)["rms"] for n in [1, 10, 100, 400]]
        for before, after in zip(changes, changes[1:]):
            self.assertLess(after, before / 2)
        single = self.result("--cells", 8, 9, "--iterations", 10, "--precision", "f32")["rms"]
        self.assertAlmostEqual(single / changes[1], 1, delta=1e-4)

    def test_a_mesh_from_a_file_is_the_generated_one(self):
        expected = self.result(*SMALL, ranks=2)
        for name in ["grid.dat", *(["grid.h5"] if WITH_HDF5 else [])]:
            self.expect_success("mesh", "airfoil", "--cells", 8, 9, "-o", name)
            record = self.record("--mesh", name, "--iterations", 30, ranks=2)
            self.assertEqual(record["problem"]["mesh"], name)
            for key in ["fingerprint", "rms"]:
                self.assertEqual(record["result"][key], expected[key], name)

    def test_a_run_that_is_done_is_not_repeated(self):
        words = [*RUN, *SMALL, "--overlap", "off", "-o", "r.jsonl", "--resume"]
        for loops, count in [("fused", 1), ("fused", 1), ("five", 2)]:
            self.expect_success(*words, "--loops", loops)
            self.assertEqual(len(self.records("r.jsonl")), count)


class Instability(AirfoilTest):
    def mesh_with_a_side_turned_round(self, name):
        """What leaves one of the side's cells is taken from the other: that is not stable."""
        self.expect_success("mesh", "airfoil", "--cells", 16, 20, "-o", name)
        lines = (self.folder / name).read_text().splitlines()
        nodes, cells, edges, _ = map(int, lines[0].split())
        row = 1 + nodes + cells + edges // 2
        first, second, one, other = lines[row].split()
        lines[row] = f"{first} {second} {other} {one}"
        (self.folder / name).write_text("\n".join(lines) + "\n")

    def test_gathers_refuse_a_mesh_whose_sides_are_not_its_cells(self):
        self.mesh_with_a_side_turned_round("turned.dat")
        for ranks in [0, 2]:
            self.expect_refusal(2, ["turned.dat, line", "edge [0-9]+ is no side of cell", "gather",
                                    "atomics, colours or plain"], *RUN, "--mesh", "turned.dat",
                                "--increments", "gather", ranks=ranks)

    def test_a_run_that_blows_up_says_where_that_began(self):
        self.mesh_with_a_side_turned_round("turned.dat")
        words = [*RUN, "--mesh", "turned.dat", "--overlap", "off", "--iterations", 3000,
                 "--increments", "plain"]
        for ranks, loops in [(0, "fused"), (2, "fused"), (2, "five")]:
            places = set()
            for _ in range(2):
                done = self.run_command(*words, "--loops", loops, ranks=ranks)
                told = done.stdout + done.stderr
                self.assertEqual(done.returncode, 1, told)
                place = re.search(r"WRONG RESULT: values not finite: iteration (\d+), rank [01], "
                                  r"cell (\d+), the first of (\d+)", done.stdout)
                self.assertTrue(place, told)
                places.add(place.groups())
            self.assertEqual(len(places), 1, f"not the same twice: {places}")
            iteration, cell, count = map(int, places.pop())
            self.assertGreater(iteration, 1)
            self.assertLess(cell, 960)
            self.assertLess(count, 96, "of 960 cells")


class Pictures(AirfoilTest):
    def picture(self, ranks):
        self.record(*SMALL, "--partitioner", "rcb", "--output", "flow.vtu", ranks=ranks)
        return test_vtk_file.read_grid(self.folder / "flow.vtu")

    def test_the_mesh_and_the_flow_whatever_the_ranks(self):
        self.expect_success("mesh", "airfoil", "--cells", 8, 9, "-o", "grid.dat")
        _, (nodes, cells, _, _) = mesh_test.read_ascii(self.folder / "grid.dat")
        points, corners, alone = self.picture(0)
        self.assertEqual(corners, [tuple(row) for row in cells])
        for point, node in zip(points, nodes):
            self.assertAlmostEqual(point[0], node[0], delta=1e-5)
            self.assertAlmostEqual(point[1], node[1], delta=1e-5)
            self.assertEqual(point[2], 0)
        self.assertEqual(list(alone["cell"]), list(range(216)))
        self.assertEqual(set(alone["rank"]), {0})
        self.assertGreater(len(set(alone["density"])), 100)
        for n in range(216):
            u, v, w = alone["velocity"][3 * n:3 * n + 3]
            self.assertEqual(w, 0)
            kinetic = alone["density"][n] * (u * u + v * v) / 2
            self.assertAlmostEqual(alone["pressure"][n] / ((GAMMA - 1) * (alone["energy"][n] - kinetic)),
                                   1, delta=1e-5)
            self.assertLess(math.hypot(u, v), 1, "it stays below the speed of sound")
        among_three = self.picture(3)
        self.assertEqual(among_three[:2], (points, corners))
        self.assertEqual(set(among_three[2].pop("rank")), {0, 1, 2})
        alone.pop("rank")
        for name, values in alone.items():
            for a, b in zip(values, among_three[2][name]):
                self.assertAlmostEqual(a, b, delta=1e-6)

    def test_pictures_that_cannot_be_written_are_refused_before_the_run(self):
        self.expect_refusal(2, ["'no-folder/x.vtu'", "cannot be written", "No such file"], *RUN,
                            *SMALL, "--output", "no-folder/x.vtu", ranks=2)
        self.expect_refusal(2, ["'x.vti'", "a picture, which airfoil does not write"], *RUN, *SMALL,
                            "--output", "x.vti")


class Refusals(AirfoilTest):
    def refuse(self, patterns, *words, ranks=0):
        self.expect_refusal(2, patterns, *RUN, *words, ranks=ranks)

    def test_options(self):
        for ranks in [0, 2]:
            self.refuse(["--cells, --mesh: found neither, expected one"], ranks=ranks)
            self.refuse(["--cells, --mesh: found both, expected one"], "--cells", 8, 9, "--mesh",
                        "grid.dat", ranks=ranks)
        for word in ["0", "-1", "1.5", "x", ""]:
            self.refuse(["--cells", f"found '{word}'"], "--cells", 4, word)
            self.refuse(["--iterations", f"found '{word}'", "at least 1"], "--cells", 8, 9,
                        "--iterations", word)
        self.refuse(["--cells", "100000 x 100000", "at most 2147483647 edges"],
                    "--cells", 100000, 100000)
        for option, expected in [
                ("--precision", "f32, f64"), ("--loops", "five, fused"),
                ("--partitioner", "scotch, rcb or block"), ("--halo", "staged, direct"),
                ("--increments", "gather, atomics, colours, plain")]:
            self.refuse([option, "nonsense", expected], *SMALL, option, "nonsense")
        for ranks in [0, 2]:
            self.refuse(["--increments gather, --loops five: found both, expected one of them"],
                        *SMALL, "--increments", "gather", "--loops", "five", ranks=ranks)
        self.refuse(["run airfoil: found '--stores'"], *SMALL, "--stores", "cached")
        self.refuse(["run airfoil: found '--rate'"], *SMALL, "--rate", "measured")
        self.refuse(["--edges"], *SMALL, "--edges", 1000)

    def test_more_ranks_than_cells(self):
        self.refuse(["3 cells for 4 ranks", "no more ranks than cells"], "--cells", 1, 1, ranks=4)

    def test_meshes_that_cannot_be_computed_on(self):
        self.expect_success("mesh", "airfoil", "--cells", 2, 1, "-o", "good.dat")
        lines = (self.folder / "good.dat").read_text().splitlines()
        self.assertEqual(lines[0].split(), ["14", "6", "7", "10"])
        nodes, cells, edges = 1, 15, 21  # where lines of each set begin, counted from 0

        def refuse(name, content, *patterns, ranks=0):
            (self.folder / name).write_bytes(content)
            self.refuse([name, *patterns], "--mesh", name, "--iterations", 2, ranks=ranks)

        def changed(at, line):
            return "\n".join([*lines[:at], line, *lines[at + 1:]]).encode() + b"\n"

        corner = [int(word) for word in lines[cells].split()]
        refuse("outside.dat", changed(cells, f"{corner[0]} {corner[1]} {corner[2]} 14"),
               "line 16", "cell 0 has node 14", "0 to 13", ranks=2)
        refuse("counts.dat", changed(0, "14 6 7 11"), "10 elements|after")
        refuse("twice.dat", changed(cells, f"{corner[0]} {corner[0]} {corner[2]} {corner[3]}"),
               "line 16", f"cell 0 has node {corner[0]} twice")
        refuse("turned.dat", changed(cells, " ".join(map(str, reversed(corner)))),
               "line 16", "cell 0 has the area -")
        edge = lines[edges].split()
        refuse("edge.dat", changed(edges, " ".join([*edge[:3], edge[2]])),
               "line 22", f"edge 0 has cell {edge[2]} twice")
        refuse("cut.dat", "\n".join(lines[:20]).encode(), "line 2[01]", ranks=2)
        refuse("binary.dat", bytes(range(256)) * 8, "bytes that are 0")
        refuse("empty.dat", b"", "line 1")
        refuse("words.dat", changed(nodes, "x y"), "line 2", "a node")
        self.refuse(["none.dat", "No such file"], "--mesh", "none.dat", ranks=2)

    @unittest.skipUnless(WITH_HDF5, "this build has no parallel HDF5")
    def test_hdf5_files_without_what_is_expected(self):
        self.expect_success("mesh", "airfoil", "--cells", 2, 1, "-o", "good.h5")
        content = (self.folder / "good.h5").read_bytes()
        self.assertEqual(content.count(b"pbedge\0"), 1)
        (self.folder / "lacks.h5").write_bytes(content.replace(b"pbedge\0", b"pbedgf\0"))
        self.refuse(["lacks.h5", "pbedge"], "--mesh", "lacks.h5", ranks=2)
        (self.folder / "cut.h5").write_bytes(content[:len(content) // 2])
        self.refuse(["cut.h5"], "--mesh", "cut.h5", ranks=2)
        (self.folder / "text.h5").write_text("14 6 7 10\n")
        self.refuse(["text.h5"], "--mesh", "text.h5", ranks=2)
        self.refuse(["none.h5"], "--mesh", "none.h5", ranks=2)


if __name__ == "__main__":
    unittest.main()
