# SPDX-License-Identifier: MIT
"""Runs on a CUDA device, with its streams and halos, held against the host's. Skipped where no such
device can be used; with BELLWETHER_REQUIRE_CUDA=1 that is a failure."""
import json
import os
import unittest

import command_test

DEVICE = "cuda"
STENCILS = ["--cells", 37, 29, 43, "--steps", 7]
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


class Factorizations(GpuTest):
    def test_solve_with_the_matrix_there_and_with_a_part_of_the_update(self):
        for ranks, grid in [(1, "1x1"), (2, "1x2"), (2, "2x1"), (4, "2x2")]:
            for share in [[], ["--device-share", 0.6]]:
                for result in self.results("hpl", "--size", 411, "--block", 48, "--grid", grid,
                                           "--backend", DEVICE, *share, ranks=ranks):
                    self.assertLess(result["residual"], 0.5, (grid, share))
                    self.assertIn("libcublas", result["blas"])


    def test_by_columns_have_the_hosts_bits_and_by_blocks_a_small_residual(self):
        for precision in ["f32", "f64"]:
            words = ["cholesky", "--precision", precision, "--factorizations", 1, "--size"]
            expected = self.results(*words, 203, "--backend", "kokkos")[0]
            for ranks in [1, 2, 4]:
                for result in self.results(*words, 203, "--backend", DEVICE, ranks=ranks):
                    self.assertEqual(result["fingerprint"], expected["fingerprint"], ranks)
                for result in self.results(*words, 411, "--block", 48, "--backend", DEVICE,
                                           ranks=ranks):
                    self.assertLess(result["residual"], 1, ranks)
                    self.assertIn("libcublas", result["blas"])


class Airfoil(GpuTest):
    WORDS = ["airfoil", "--cells", 12, 17, "--iterations", 10]

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
        for precision, epsilon, loops in [("f32", 2.0 ** -23, "fused"), ("f64", 2.0 ** -52, "five")]:
            words = [*self.WORDS, "--precision", precision, "--loops", loops]
            expected = self.results(*words, "--backend", "kokkos")[0]["rms"]
            for ranks, increments in [(1, "atomics"), (2, "atomics"), (4, "atomics"),
                                      (1, "colours"), (2, "colours")]:
                for result in self.on_the_device(*words, "--increments", increments, ranks=ranks):
                    self.assertAlmostEqual(result["rms"], expected, delta=16 * epsilon)


class Devices(GpuTest):
    SMALL = ["diffusion", "--cells", 12, 12, 12, "--steps", 3, "--backend", DEVICE]

    def test_ranks_that_share_one_are_told(self):
        for ranks in [1, 3]:
            done = self.run_command("run", *self.SMALL, "--json", ranks=ranks)
            self.assertEqual(done.returncode, 0, done.stderr)
            for record in json.loads(done.stdout)["records"]:
                shared = record["ranks_per_device"]
                self.assertIn(shared, range(1, ranks + 1))
                self.assertEqual(done.stderr.count("bellwether: SHARED DEVICE: "), shared > 1,
                                 done.stderr)
                gpus = {json.dumps(rank.get("gpu", {}).get("uuid"))
                        for rank in record["per_rank"]}
                self.assertEqual(len(gpus) > 1, shared < ranks, gpus)

    def test_the_record_tells_which_gpu_it_was(self):
        gpu = self.expect_json("run", *self.SMALL)["records"][0]["provenance"]["gpu"]
        self.assertRegex(gpu["uuid"], r"^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
        self.assertRegex(gpu["pci_bus_id"], r"^[0-9a-f]{8}:[0-9a-f]{2}:[0-9a-f]{2}\.0$")
        self.assertRegex(gpu["runtime"], r"^CUDA \d+\.\d+$")
        self.assertTrue(gpu["name"])
        self.assertLessEqual({"driver", "sm_clock_mhz", "sm_clock_max_mhz", "memory_clock_mhz",
                              "memory_clock_max_mhz", "power_w", "power_limit_w", "temperature_c",
                              "ecc", "mig", "during"}, gpu.keys())
        if gpu["driver"] is not None:  # NVML is there
            self.assertGreaterEqual(gpu["during"]["readings"], 1)
            self.assertLessEqual({"sm_clock_mhz", "power_w", "slowed_by"}, gpu["during"].keys())

    @unittest.skipIf("BELLWETHER_HOST_GPU" in os.environ, "a GPU's arithmetic takes a CPU too long")
    def test_a_machine_file_tells_it_too(self):
        self.expect_success("calibrate", "--quick", "--time-budget", 1, "--largest-edge", 16,
                            "--largest-message", 64, "--largest-memory", 64 << 20, "--backend", DEVICE, "-o", "m.json", ranks=2)
        machine = json.loads((self.folder / "m.json").read_text())
        self.assertRegex(machine["provenance"]["gpu_uuid"], "^GPU-")
        shared = machine["provenance"]["ranks_per_device"]
        self.assertEqual(any("SHARED DEVICE" in text for text in machine["warnings"]),
                         shared == "2", machine["warnings"])
        # Either messages between GPUs were measured, or it is said why not.
        self.assertNotEqual("shared_memory_direct" in machine["links"],
                            any("between GPUs" in text for text in machine["warnings"]))


if __name__ == "__main__":
    unittest.main()
