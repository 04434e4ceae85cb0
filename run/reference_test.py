# SPDX-License-Identifier: MIT
"""References of others. OP2's: the change after 1000 iterations on 720000 cells, of the generated mesh and
of one read from a file, each partitioned its own way. hypre's: the cycles, iterations, levels and
complexity that its own solvers have for its driver ij's right-hand side of ones."""
import os
import unittest

import command_test

RMS = 0.0001060114637578
RUN = ["run", "airfoil", "--iterations", 1000, "--overlap", "off"]


class Reference(command_test.CommandTest):

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

    @unittest.skipUnless(os.environ["BELLWETHER_WITH_HYPRE"] == "1", "built without hypre")
    def test_convergence_of_hypres_own_driver(self):
        for solver, cycles in [("amg", 44), ("pcg", 16)]:
            (record,) = self.expect_json(
                "run", "amg", "--cells", 200, 100, 100, "--right-hand-side", "ones", "--relax",
                "l1-gauss-seidel", "--solver", solver, "--overlap", "on", "--cycles", 7,
                ranks=2)["records"]
            result = record["result"]
            self.assertEqual(result["layout"], "2x1x1")
            self.assertEqual(result["cycles"], cycles)
            self.assertEqual(len(result["hierarchy"]["levels"]), 8)
            self.assertAlmostEqual(result["operator_complexity"], 1.370, delta=5e-4)
            self.assertNotIn("error", result)


if __name__ == "__main__":
    unittest.main()
