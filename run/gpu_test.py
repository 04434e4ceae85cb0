# SPDX-License-Identifier: MIT
"""Runs on a CUDA device, with its streams and halos, held against the host's. Skipped where no such
device can be used; with BELLWETHER_REQUIRE_CUDA=1 that is a failure."""
import os
import unittest

import command_test

DEVICE = "cuda"
STENCILS = ["--cells", 37, 29, 43, "--steps", 21]
SHAPES = {1: "1x1x1", 2: "2x1x1", 4: "1x2x2"}


class GpuTest(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        done = self.run_command("run", "diffusion", "--cells", 8, 8, 8, "--steps", 1,
                                "--backend", DEVICE)
        if done.returncode == 3 and os.environ.get("BELLWETHER_REQUIRE_CUDA") != "1":
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def results(self, *words, ranks=0):
        """Without overlap and with it, both verified."""
        records = self.expect_json("run", *words, "--overlap", "both", ranks=ranks)["records"]
        self.assertEqual([record["variant"]["overlap"] for record in records], ["off", "on"])
        for record in records:
            self.assertTrue(record["verification"]["passed"], record["verification"])
        return [record["result"] for record in records]

    def on_the_device(self, *words, ranks):
        return self.results(*words, "--backend", DEVICE, "--halo", "staged", ranks=ranks)


class Stencils(GpuTest):
    def expect_the_hosts_bits(self, *words):
        expected = self.results(*words, "--backend", "kokkos")[0]["fingerprint"]
        for ranks, shape in SHAPES.items():
            for result in self.on_the_device(*words, "--decomposition", shape, ranks=ranks):
                self.assertEqual(result["fingerprint"], expected, shape)

    def test_diffusion(self):
        self.expect_the_hosts_bits("diffusion", *STENCILS, "--precision", "f32")
        self.expect_the_hosts_bits("diffusion", *STENCILS, "--precision", "f64",
                                   "--boundary", "dirichlet")

    def test_lbm(self):
        for precision in ["f32", "f64"]:
            self.expect_the_hosts_bits("lbm", *STENCILS, "--precision", precision)

    def test_lbm_with_a_geometry_a_force_and_eddies(self):
        self.expect_the_hosts_bits("lbm", *STENCILS, "--precision", "f32", "--geometry", "sphere",
                                   "--force", 1e-5, 0, 0, "--les")


class Knobs(GpuTest):
    def test_a_record_tells_those_of_the_library(self):
        record, = self.expect_json("run", "lbm", "--cells", 8, 8, 8, "--steps", 2, "--overlap", "off",
                                   "--backend", DEVICE)["records"]
        knobs = dict(knob.split("=") for knob in record["provenance"]["cuda_knobs"].split())
        self.assertGreaterEqual(int(knobs["LBM_THREADS"]), 32)
        self.assertIn("STAR_PLANES", knobs)


class Airfoil(GpuTest):
    WORDS = ["airfoil", "--cells", 12, 17, "--iterations", 30]

    def test_gathers_have_the_hosts_bits(self):
        """On any ranks: a cell adds its fluxes up in the order of the mesh's edges."""
        for precision in ["f32", "f64"]:
            words = [*self.WORDS, "--precision", precision]
            expected = self.results(*words, "--backend", "kokkos", "--increments", "gather")[0]
            for ranks in [1, 2, 3, 4]:
                for result in self.on_the_device(*words, ranks=ranks):
                    self.assertEqual(result["fingerprint"], expected["fingerprint"], ranks)
                    if ranks == 1:
                        self.assertEqual(result["rms"], expected["rms"])

    def test_the_change_of_increments_is_the_hosts(self):
        """But for the order of additions, of which each rounds by half an epsilon of numbers of
        order 1, some dozens of times an iteration."""
        for precision, epsilon in [("f32", 2.0 ** -23), ("f64", 2.0 ** -52)]:
            for loops in ["fused", "five"]:
                words = [*self.WORDS, "--precision", precision, "--loops", loops]
                expected = self.results(*words, "--backend", "kokkos")[0]["rms"]
                for ranks, increments in [(1, "atomics"), (2, "atomics"), (4, "atomics"),
                                          (1, "colours"), (2, "colours")]:
                    for result in self.on_the_device(*words, "--increments", increments,
                                                     ranks=ranks):
                        self.assertAlmostEqual(result["rms"], expected, delta=16 * epsilon)


if __name__ == "__main__":
    unittest.main()
