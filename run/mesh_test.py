# SPDX-License-Identifier: MIT
"""The verb mesh: files as OP2's Airfoil reads them, the same from any number of ranks."""
import math
import os
import unittest

import command_test

MESH = ["mesh", "airfoil"]
WITH_HDF5 = os.environ["BELLWETHER_WITH_HDF5"] == "1"


def read_ascii(path):
    """Counts and records, read plainly: whitespace-separated numbers, four sections."""
    words = path.read_text().split()
    counts = [int(word) for word in words[:4]]
    sections, at = [], 4
    for count, width, number in zip(counts, [2, 4, 4, 4], [float, int, int, int]):
        numbers = [number(word) for word in words[at:at + count * width]]
        sections.append([numbers[n:n + width] for n in range(0, len(numbers), width)])
        at += count * width
    assert at == len(words), f"{len(words) - at} numbers too many"
    return counts, sections


class Mesh(command_test.CommandTest):
    def test_counts_and_indices(self):
        said = self.expect_success(*MESH, "--cells", 4, 6, "-o", "grid.dat")
        self.assertEqual(
            said, "grid.dat: 91 nodes, 72 cells, 130 edges, 28 boundary edges\n")
        counts, (nodes, cells, edges, bedges) = read_ascii(self.folder / "grid.dat")
        self.assertEqual(counts, [91, 72, 130, 28])
        for rows, column, total in [(cells, slice(0, 4), 91), (edges, slice(0, 2), 91),
                                    (edges, slice(2, 4), 72), (bedges, slice(0, 2), 91),
                                    (bedges, slice(2, 3), 72)]:
            used = {index for row in rows for index in row[column]}
            self.assertTrue(used <= set(range(total)))
        self.assertEqual(sorted(row[3] for row in bedges), [1] * 4 + [2] * 24)
        self.assertTrue(all(math.isfinite(x) for node in nodes for x in node))

    def test_any_number_of_ranks_writes_the_same(self):
        texts = set()
        for ranks in [0, 1, 2, 3, 4]:
            document = self.expect_json(*MESH, "--cells", 5, 3, "-o", "grid.dat", ranks=ranks)
            self.assertEqual(document, {"mesh": {"file": "grid.dat", "nodes": 64, "cells": 45,
                                                 "edges": 77, "bedges": 26}})
            texts.add((self.folder / "grid.dat").read_text())
            self.assertEqual(os.listdir(self.folder), ["grid.dat"])
        self.assertEqual(len(texts), 1)

    @unittest.skipUnless(WITH_HDF5, "this build has no parallel HDF5")
    def test_hdf5(self):
        for name in ["grid.h5", "grid.hdf5"]:
            self.expect_success(*MESH, "--cells", 5, 3, "-o", name, ranks=2)
            written = (self.folder / name).read_bytes()
            self.assertEqual(written[:8], b"\x89HDF\r\n\x1a\n")
            for dataset in ["pcell", "p_x", "p_q", "p_qold", "p_adt", "p_res", "gam", "qinf"]:
                self.assertIn(dataset.encode() + b"\0", written)

    @unittest.skipIf(WITH_HDF5, "this build has parallel HDF5")
    def test_no_hdf5(self):
        self.expect_refusal(3, ["grid.h5", "no parallel HDF5"],
                            *MESH, "--cells", 5, 3, "-o", "grid.h5", ranks=2)

    def test_refusals(self):
        self.expect_refusal(2, ["mesh: found nothing, expected one of: airfoil"], "mesh")
        self.expect_refusal(2, ["--cells"], *MESH, "-o", "grid.dat")
        self.expect_refusal(2, ["--output"], *MESH, "--cells", 4, 6)
        for word in ["0", "-1", "1.5", "x", "9999999999"]:
            self.expect_refusal(2, ["--cells", f"found '{word}'"], *MESH, "--cells", 4, word,
                                "-o", "grid.dat")
        self.expect_refusal(2, ["--cells", "100000 x 100000", "at most 2147483647 edges"],
                            *MESH, "--cells", 100000, 100000, "-o", "grid.dat", ranks=2)
        self.expect_refusal(2, ["'no/grid.dat' cannot be written"],
                            *MESH, "--cells", 4, 6, "-o", "no/grid.dat", ranks=2)
        self.expect_refusal(2, ["3 cells for 4 ranks"],
                            *MESH, "--cells", 1, 1, "-o", "grid.dat", ranks=4)
        self.assertEqual(os.listdir(self.folder), [])


if __name__ == "__main__":
    unittest.main()
