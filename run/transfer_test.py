# SPDX-License-Identifier: MIT
"""`transfer`: an H200 that was calibrated, moved by data sheets to GPUs whose rates others published."""
import json
import pathlib
import statistics
import unittest

import command_test

ROOT = pathlib.Path(__file__).resolve().parents[1]
H200 = ROOT / "results/validation/corpus/h200/machine.json"
LBM = json.loads((ROOT / "results/published/outside.json").read_text())["lbm"]
SIDE = LBM["cells_of_device"]


class Transfer(command_test.CommandTest):
    def spec_of(self, row):
        spec = json.loads(self.expect_success("machines", "--template", "gpu"))
        spec["name"] = "mine"
        spec["device"].update(
            name=f"{row['vendor']} {row['device']}", memory_bandwidth_bytes_per_s=1e9 * row["bandwidth"],
            peak_flops_per_s={"f32": 1e12 * row["peak"], "f64": 5e11 * row["peak"]})
        (self.folder / "spec.json").write_text(json.dumps(spec))

    def predicted(self, machine, app="lbm", problem=("--cells", SIDE, SIDE, SIDE)):
        (point,) = self.expect_json("predict", app, *problem, "--machine", machine, "--ranks", 1, "--form",
                                    "refined", "--overlap", "off")["points"]
        return point

    def test_published_rates_of_large_gpus(self):
        """About what the published rows miss of each other, and as often within the interval."""
        errors, within = {"NVIDIA": [], "AMD": []}, []
        for row in LBM["one_device"]:
            if row["kind"] != "gpu" or row["bandwidth"] < 800 or row["vendor"] not in errors:
                continue
            self.spec_of(row)
            self.expect_success("transfer", H200, "spec.json", "-o", "new.json")
            point = self.predicted("new.json")
            error = point["total_s"] * row["rate"] * 1e6 / SIDE**3 - 1
            errors[row["vendor"]].append(abs(error))
            within.append(point["low_s"] <= point["total_s"] / (1 + error) <= point["high_s"])
        self.assertEqual({vendor: len(all) for vendor, all in errors.items()}, {"NVIDIA": 18, "AMD": 7})
        self.assertLess(statistics.median(errors["NVIDIA"]), 0.12)
        self.assertLess(statistics.median(errors["AMD"]), 0.15)
        self.assertGreaterEqual(statistics.mean(within), 0.85)

    def test_what_it_writes_is_said_and_predicts_every_app(self):
        text = self.expect_success("transfer", H200, "b200", "-o", "new.json")
        for line in [r"new.json: b200 .* from h200, calibrated, and its data sheet h200 ",
                     r"times memory bandwidth: 1.67 \(", r"times matrix products, f64: ",
                     r"as calibrated: .*device.launch_latency_s.*noise", "as on the data sheet: links.shared_memory"]:
            self.assertRegex(text, line)
        machine = self.expect_json("machines", "new.json")
        self.assertIn("transferred from h200", machine["source"])
        self.assertEqual(machine["layout"], self.expect_json("machines", "b200")["layout"])
        for app, problem in {"diffusion": ("--cells", 384, 384, 384), "airfoil": ("--cells", 800, 1200),
                             "hpl": ("--size", 32768), "cholesky": ("--size", 8192, "--block", 128)}.items():
            new, old = self.predicted("new.json", app, problem), self.predicted(H200, app, problem)
            slower = app in ("hpl", "cholesky")  # in f64 the newer GPU is
            self.assertEqual(new["total_s"] > old["total_s"], slower, app)
            self.assertGreater(new["high_s"] / new["low_s"], old["high_s"] / old["low_s"], app)

    def test_refusals(self):
        self.expect_refusal(2, ["h200", "/device/backend", "found nothing", "calibrated machine"],
                            "transfer", "h200", H200, "-o", "n.json")
        self.expect_refusal(2, ["/device/kind", "found cpu", "expected gpu"],
                            "transfer", H200, "grace", "-o", "n.json")
        self.expect_refusal(2, ["h20", "neither a file nor a shipped machine"],
                            "transfer", H200, "b200", "--reference-spec", "h20", "-o", "n.json")
        self.expect_refusal(2, ["spec"], "transfer", H200, "-o", "n.json")
        machine = json.loads(H200.read_text())
        machine["device"]["name"] = "cuda/NVIDIA X1"
        (self.folder / "x1.json").write_text(json.dumps(machine))
        self.expect_refusal(2, ["/device/name", "NVIDIA X1", "--reference-spec", "--template"],
                            "transfer", "x1.json", "b200", "-o", "n.json")
        self.assertFalse((self.folder / "n.json").exists())


if __name__ == "__main__":
    unittest.main()
