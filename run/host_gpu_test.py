# SPDX-License-Identifier: MIT
"""What a machine with GPUs can do to a run, on GPUs made of CPU (kernels/launch/host_gpu): several of
them, several ranks on one, an MPI that takes their memory, calls that fail."""
import json
import os
import re
import subprocess
import unittest

import command_test

LIBRARIES = os.environ["BELLWETHER_HOST_GPU"]  # the folder of the libraries
RUNS = {
    "diffusion": ["diffusion", "--cells", 19, 13, 16, "--steps", 7],
    "lbm": ["lbm", "--cells", 12, 10, 9, "--steps", 7, "--geometry", "sphere", "--force", 1e-5, 0, 0],
    "airfoil": ["airfoil", "--cells", 12, 17, "--iterations", 7],
    "hpl": ["hpl", "--size", 70, "--block", 16],
    "cholesky": ["cholesky", "--size", 70],
}
SPLIT = ["--device-share", 0.8]
STAGED = {app: ["--halo", "staged"] for app in ["diffusion", "lbm", "airfoil"]}


class HostGpuTest(command_test.CommandTest):
    def environment(self, **changes):
        """Until the test's end."""
        for name, value in changes.items():
            before = os.environ.get(name)
            os.environ[name] = str(value)
            self.addCleanup(
                lambda name=name, before=before:
                os.environ.pop(name) if before is None else os.environ.__setitem__(name, before))

    def fingerprints(self, app, *words, ranks, backend="cuda"):
        records = self.expect_json("run", *RUNS[app], "--overlap", "both", "--backend", backend,
                                   *words, ranks=ranks)["records"]
        self.assertEqual(len(records), 2)
        return {record["result"]["fingerprint"] for record in records}


class Devices(HostGpuTest):
    def test_each_rank_has_its_own(self):
        self.environment(HOST_GPU_DEVICES=3)
        for app in ["diffusion", "lbm"]:
            expected = self.fingerprints(app, ranks=0, backend="kokkos")
            record, = self.expect_json("run", *RUNS[app], "--overlap", "off", "--backend", "cuda",
                                       ranks=2)["records"]
            self.assertEqual(record["variant"]["halo"], "staged")  # without --halo
            for ranks in [2, 3, 4]:
                self.assertEqual(self.fingerprints(app, ranks=ranks), expected)

    def test_a_launcher_of_another_mpi_is_told(self):
        """One whose ranks all take themselves for the first of the node, on which MPI puts them all."""
        self.environment(HOST_GPU_DEVICES=2)
        other = ["env", "-u", "OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID=0"]
        words = ["run", *map(str, RUNS["diffusion"]), "--overlap", "off", "--json", "--backend"]
        for backend, told in [("cuda", 1), ("kokkos", 0)]:
            done = subprocess.run(
                [*command_test.launched(2), *other, command_test.PROGRAM, *words, backend],
                cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("the launcher does not number"), told, done.stderr)
            record = json.loads(done.stdout)["records"][0]
            self.assertEqual(record.get("ranks_per_device", 1), 1)  # MPI's numbers hold

    def test_none_is_told_before_anything_runs(self):
        self.environment(HOST_GPU_DEVICES=0)
        self.expect_refusal(3, ["--backend cuda", "no device"], "run", *RUNS["diffusion"],
                            "--backend", "cuda", ranks=2)

    def test_memory_is_that_of_the_ranks_that_share_it(self):
        words = ["run", "diffusion", "--cells", 64, 64, 64, "--steps", 1, "--backend", "cuda"]
        self.environment(HOST_GPU_MEMORY=2 << 20)
        for ranks in [1, 2]:
            self.expect_refusal(3, ["not enough memory", "on the device"], *words, ranks=ranks)
        self.environment(HOST_GPU_DEVICES=2)
        self.expect_success(*words, ranks=2)


class DirectHalos(HostGpuTest):
    def gpu_aware_mpi(self):
        self.environment(HOST_GPU_HOST_ACCESS=1, ASAN_OPTIONS="verify_asan_link_order=0:" +
                         os.environ.get("ASAN_OPTIONS", ""),
                         LD_PRELOAD=os.path.join(LIBRARIES, "libbellwether_gpu_aware_mpi.so"))

    def test_are_predicted_from_messages_between_gpus(self):
        """Or it is said that they were not measured."""
        self.gpu_aware_mpi()
        machine = json.loads(self.expect_success("machines", "tsubame2.0", "--json"))
        file = self.folder / "machine.json"

        def network():
            """The paper's form's time, and the notes on direct halos."""
            file.write_text(json.dumps(machine))
            record = self.expect_json("run", *RUNS["diffusion"], "--backend", "cuda", "--overlap",
                                      "off", "--halo", "direct", ranks=2)["records"][0]
            predicted = [record["predicted"][form] for form in ["paper", "refined"]]
            return (predicted[0]["terms"]["network"],
                    [text for form in predicted for text in form["outside_range"]
                     if "_direct" in text])

        standing_in, told = network()
        self.assertEqual(told, 2 * ["not calibrated: no links.network_direct, network between host "
                                    "memories stands for it"])
        machine["links"]["network_direct"] = json.loads(json.dumps(machine["links"]["network"]))
        self.assertEqual(network(), (standing_in, []))
        machine["links"]["network_direct"]["latency_s"] = {"value": 1.0}
        self.assertGreater(network()[0], standing_in + 1)

    def test_are_refused_by_an_mpi_that_takes_no_device_memory(self):
        self.expect_refusal(3, ["--halo direct", "--halo staged"], "run", *RUNS["diffusion"],
                            "--backend", "cuda", "--halo", "direct", ranks=2)

    def test_give_the_same_bits_where_the_mpi_takes_it(self):
        expected = {app: self.fingerprints(app, ranks=0, backend="kokkos")
                    for app in ["diffusion", "lbm"]}
        self.gpu_aware_mpi()
        for app, fingerprint in expected.items():
            for ranks in [2, 3]:
                self.assertEqual(self.fingerprints(app, "--halo", "direct", ranks=ranks),
                                 fingerprint)


class Factorizations(HostGpuTest):
    def test_solve_on_every_grid(self):
        """One GPU, or one each; blocks that divide the size and that do not."""
        grids = {1: "1x1", 2: "1x2,2x1", 4: "1x4,2x2,4x1"}
        for ranks, names in grids.items():
            for devices, size, block in [(1, 90, 16), (4, 64, 32)]:
                self.environment(HOST_GPU_DEVICES=devices)
                records = self.expect_json(
                    "run", "hpl", "--size", size, "--block", block, "--grid", names, "--swap",
                    "spread-roll,binary-exchange", "--overlap", "both", "--backend", "cuda",
                    ranks=ranks)["records"]
                self.assertEqual(len(records), 4 * len(names.split(",")))
                for record in records:
                    self.assertTrue(record["verification"]["passed"], record)
                    self.assertIn("libcublas", record["result"]["blas"])
                    # As small as on CPUs: other roundings, no other algorithm.
                    self.assertLess(record["result"]["residual"], 0.5)

    def test_panels_are_factored_by_whom_is_asked(self):
        words = ["run", "hpl", "--size", 90, "--block", 40, "--overlap", "both", "--backend", "cuda"]
        for ranks, grid in [(1, "1x1"), (3, "1x3"), (2, "2x1"), (4, "2x2")]:
            one_row = grid.startswith("1x")
            for panel in ["", "host", "device"] + one_row * ["cusolver"]:
                asked = ["--panel", panel] if panel else []
                records = self.expect_json(*words, "--grid", grid, *asked, ranks=ranks)["records"]
                self.assertEqual(len(records), 2)
                for record in records:
                    self.assertTrue(record["verification"]["passed"], record)
                    chosen = panel or ("device" if one_row else "host")
                    self.assertEqual(record["variant"]["panel"], chosen)
                    self.assertEqual("libcusolver" in record["result"].get("cusolver", ""),
                                     panel == "cusolver")
                    self.assertEqual("copy.to_host" in record["measured"]["terms"],
                                     not grid.endswith("x1") or chosen == "host")
        self.expect_refusal(2, ["--panel: found cusolver on a grid of 2 rows of processes"], *words,
                            "--grid", "2x1", "--panel", "cusolver", ranks=2)

    def test_panels_are_calibrated_and_predicted_of_whoever_factors_them(self):
        self.expect_success("calibrate", "--quick", "--time-budget", 1, "--largest-edge", 16, "--largest-message",
                            1024, "--largest-memory", 16 << 20, "--backend", "cuda", "-o", "m.json")
        file = self.folder / "m.json"
        machine = json.loads(file.read_text())
        kernels = machine["hpl"]["kernels"]
        self.assertEqual(kernels["panel_on"], "host")
        widths = [panel["width"] for panel in kernels["panel"]]
        self.assertEqual([rate["width"] for rate in kernels["device_panel"]["triangle"]], widths)
        self.assertGreaterEqual(kernels["device_panel"]["column_s"]["value"], 0)
        self.assertGreater(kernels["device_panel"]["flops_per_s"]["value"], 0)

        def predicted(panel):
            (record,) = self.expect_json("run", "hpl", "--size", 130, "--block", 64, "--overlap", "on", "--backend",
                                         "cuda", "--panel", panel, "--machine", "m.json")["records"]
            return record["predicted"]

        host, device = (predicted(panel)["refined"] for panel in ("host", "device"))
        self.assertEqual([("copy.to_host" in form["terms"]) for form in (host, device)], [True, False])
        for form in (host, device):
            self.assertFalse([text for text in form["outside_range"] if "panel" in text])
        self.assertEqual(predicted("cusolver"), {})
        del kernels["device_panel"]
        file.write_text(json.dumps(machine))
        self.assertTrue([text for text in predicted("device")["refined"]["outside_range"] if text.startswith(
            "not calibrated: no hpl.kernels.device_panel (bellwether calibrate)")])
        self.assertEqual(predicted("host")["refined"]["terms"], host["terms"])

    def test_by_columns_and_by_blocks_give_the_factor(self):
        for precision in ["f32", "f64"]:
            words = ["run", "cholesky", "--size", 90, "--precision", precision, "--overlap", "both",
                     "--factorizations", 1]
            expected = self.expect_json(*words, ranks=0)["records"][0]["result"]["fingerprint"]
            for ranks, devices in [(1, 1), (2, 1), (4, 4)]:
                self.environment(HOST_GPU_DEVICES=devices)
                for block in [1, 8, 64]:
                    records = self.expect_json(*words, "--block", block, "--backend", "cuda",
                                               ranks=ranks)["records"]
                    self.assertEqual(len(records), 2)
                    for record in records:
                        self.assertTrue(record["verification"]["passed"], record)
                        self.assertLess(record["result"]["residual"], 1)
                        if block == 1:
                            self.assertEqual(record["result"]["fingerprint"], expected)
                        else:
                            self.assertIn("libcublas", record["result"]["blas"])

    def test_share_the_update_with_the_host(self):
        """Any part of it; of a matrix that the GPU has no room for, too."""
        for ranks, grid in [(1, "1x1"), (2, "1x2,2x1"), (4, "2x2")]:
            for share in [0, 0.3, 1, "auto"]:
                self.environment(HOST_GPU_MEMORY=300_000)
                records = self.expect_json(
                    "run", "hpl", "--size", 200, "--block", 8, "--grid", grid, "--overlap", "both",
                    "--backend", "cuda", "--device-share", share, ranks=ranks)["records"]
                for record in records:
                    self.assertTrue(record["verification"]["passed"], record)
                    self.assertLess(record["result"]["residual"], 0.5)
                    self.assertRegex(record["result"]["blas"], " and .*libcublas")
                    self.assertEqual(record["variant"]["device_share"], share)
                    if share != "auto":
                        self.assertEqual(record["result"]["device_share"], share)
        matrix = ["run", "hpl", "--size", 200, "--block", 8, "--backend", "cuda"]
        self.expect_refusal(3, ["not enough memory", "on the device"], *matrix)
        self.environment(HOST_GPU_MEMORY=10_000)
        self.expect_refusal(3, ["not enough memory", "a panel and blocks of columns"], *matrix,
                            "--device-share", 0.5)


class Failures(HostGpuTest):
    """A call that fails, on one of two ranks, ends the run with the call and the device named."""

    def failures(self, app, call, times, recovers=False, words=()):
        """What is said for the n-th call; nothing where a run may go on without and does."""
        for n in times:
            self.environment(HOST_GPU_FAIL=f"{call}:{n}@1")
            done = self.run_command("run", *RUNS[app], "--backend", "cuda", *STAGED.get(app, words),
                                    ranks=2)
            said = [line for line in self.without_remarks(done.stderr).splitlines()
                    if line.startswith("bellwether: ") and "SHARED DEVICE" not in line]
            told = f"{app} {call}:{n}\n{done.stdout}{done.stderr}"
            if recovers and done.returncode == 0:
                continue
            self.assertIn(done.returncode, [3, 6], told)
            self.assertTrue(said, told)
            self.assertRegex(said[0], r"\bdevice 0\b|the NVIDIA driver does not start", told)
            yield said[0]

    def test_of_every_call(self):
        source = os.path.join(os.path.dirname(__file__), "../kernels/launch/host_gpu/runtime.cpp")
        with open(source, encoding="utf-8") as text:
            known = set(re.findall(r'enter\("(cuda\w+)"\)', text.read()))
        launch = {"cudaLaunchKernelEx"}
        of_panels = {call for call in known if "Graph" in call or "Capture" in call}
        unused = {"cudaDeviceSynchronize", "cudaEventSynchronize",
                  "cudaPointerGetAttributes"}  # the last is asked for of hypre's memory
        setting_up = {call for call in known
                      if call.startswith(("cudaGet", "cudaSet", "cudaDevice"))} - unused
        of_a_split = {"cudaMemcpy2DAsync": [1, 3], "cudaStreamWaitEvent": [1, 3],
                      "cudaStreamSynchronize": [1]}
        for call in sorted(known - launch - unused - setting_up - of_panels
                           - {"cudaMemcpy2DAsync"}):
            for said in self.failures("diffusion", call, [1, 2]):
                self.assertIn(call, said)
        for said in self.failures("hpl", "cudaEventSynchronize", [1, 3]):
            self.assertIn("cudaEventSynchronize", said)
        for call in sorted(of_panels):
            for said in self.failures("hpl", call, [1], words=["--grid", "1x2", "--panel", "device"]):
                self.assertRegex(said, call.replace("cudaGraphLaunch", "launch of hpl panel base"))
        for call, times in of_a_split.items():
            for said in self.failures("hpl", call, times, words=SPLIT):
                self.assertIn(call, said)
        # What is freed on the error's way must not be copied later.
        for app in sorted(set(RUNS) - {"diffusion"}):
            for said in self.failures(app, "cudaMemcpyAsync", [2]):
                self.assertIn("cudaMemcpyAsync", said)
        # Before MPI starts a GPU is chosen if it can be, and what is wrong is found afterwards.
        for call in sorted(setting_up):
            all_said = list(self.failures("diffusion", call, range(1, 5), recovers=True))
            self.assertTrue(all_said, call)
            for said in all_said:
                self.assertRegex(said, call + "|the NVIDIA driver|does not answer")

    def test_of_launches_and_kernels(self):
        for app in RUNS:
            for said in self.failures(app, "cudaLaunchKernelEx", [1, 9]):
                self.assertRegex(said, app + "|pack|gather|scatter")
            for said in self.failures(app, "kernel", [1, 11]):
                self.assertRegex(said, "cudaErrorIllegalAddress.*launched before it, the latest "
                                       f"first: .*({app}|pack|gather|scatter)")


if __name__ == "__main__":
    unittest.main()
