# SPDX-License-Identifier: MIT
"""OP2's reference: the change after 1000 iterations on 720000 cells, of the generated mesh and of one
read from a file, each partitioned its own way."""
import unittest

import command_test

RMS = 0.0001060114637578
RUN = ["run", "airfoil", "--iterations", 1000, "--overlap", "off"]


class Reference(command_test.CommandTest):
    patience_s = 150

    def rms(self, *words):
        (record,) = self.expect_json(*RUN, *words, ranks=2)["records"]
        self.assertTrue(record["verification"]["passed"], record["verification"])
        self.assertEqual(record["verification"]["what"], "rms of the reference")
        self.assertEqual(record["result"]["iterations"], 1000)
        self.assertAlmostEqual(record["result"]["rms"] / RMS, 1, delta=1e-7)
        return record["result"]["rms"]

    def test_rms_after_1000_iterations(self):
        generated = self.rms("--cells", 400, 600, "--partitioner", "rcb")
        self.expect_success("mesh", "airfoil", "--cells", 400, 600, "-o", "grid.dat")
        read = self.rms("--mesh", "grid.dat")  # by PT-Scotch, where this build has it
        self.assertAlmostEqual(read, generated, delta=1e-15)


if __name__ == "__main__":
    unittest.main()
