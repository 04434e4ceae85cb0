# SPDX-License-Identifier: MIT
"""`predict`: terms and totals, what the sweep finds, changed machines."""
import json
import pathlib
import unittest

import command_test

CELLS = ["--cells", 256, 256, 256]
PREDICT = ["predict", "diffusion", *CELLS, "--machine", "tsubame2.0"]


def totals(points):
    return {(p["ranks"], p["overlap"], p["model"]): p["total_s"] for p in points}


APPS = {"diffusion": CELLS, "lbm": ["--cells", 96, 80, 64], "hpl": ["--size", 20000],
        "amg": ["--cells", 100, 100, 100], "airfoil": ["--cells", 40, 60],
        "cholesky": ["--size", 1000]}


class EveryApp(command_test.CommandTest):
    def test_terms_add_up_in_both_forms_and_modes_on_every_machine(self):
        machines = {m["name"]: m for m in self.expect_json("machines")["machines"]}
        self.assertEqual(len(machines), 25)
        for app, problem in APPS.items():
            for machine, described in machines.items():
                with self.subTest(app=app, machine=machine):
                    added = ([] if "network" in described["links"]
                             else ["--add-link", "network=1.5us,12GB/s"])
                    points = self.expect_json("predict", app, *problem, "--machine", machine,
                                              "--ranks", "1:16", *added)["points"]
                    self.assertEqual({(p["model"], p["overlap"]) for p in points},
                                     {(model, overlap) for model in ("paper", "refined")
                                      for overlap in ("off", "on")})
                    for point in points:
                        total = point["total_s"]
                        self.assertGreater(total, 0)
                        self.assertAlmostEqual(sum(point["terms"].values()), total,
                                               delta=1e-9 * total)
                        self.assertLessEqual(point["low_s"], total)
                        self.assertGreaterEqual(point["high_s"], total)

    def test_overlap_never_costs_in_the_paper_forms(self):
        for app, problem in APPS.items():
            total = totals(self.expect_json("predict", app, *problem, "--machine", "tsubame2.0",
                                            "--form", "paper", "--ranks", "1:64")["points"])
            for (ranks, overlap, form), seconds in total.items():
                if overlap == "on":
                    self.assertLessEqual(seconds, total[ranks, "off", form] * (1 + 1e-9), app)


class Documents(command_test.CommandTest):
    def test_terms_add_up_and_findings_follow_from_the_points(self):
        document = self.expect_json(*PREDICT, "--ranks", "1:4096")
        points = document["points"]
        self.assertEqual(len(points), 13 * 2 * 2)
        base = {}
        for point in points:
            total = point["total_s"]
            self.assertAlmostEqual(sum(point["terms"].values()), total, delta=1e-12 * total)
            self.assertEqual(set(point["terms"]), set(point["intervals"]))
            self.assertLessEqual(point["low_s"], total)
            self.assertGreaterEqual(point["high_s"], total)
            self.assertAlmostEqual(point["rate"] * total, 256**3, delta=1)
            one = base.setdefault((point["model"], point["overlap"]), total * point["ranks"])
            self.assertAlmostEqual(point["efficiency"], one / (total * point["ranks"]), places=12)
        total = totals(points)
        for form in ["paper", "refined"]:
            expected, bound = [], None
            for ranks in sorted({p["ranks"] for p in points}):
                on, off = total[ranks, "on", form], total[ranks, "off", form]
                best = "on" if off > 1.01 * on else "off" if on > 1.01 * off else None
                if best and (not expected or expected[-1]["overlap"] != best):
                    expected.append({"from_ranks": ranks, "overlap": best})
            self.assertEqual(document["best_overlap"][form], expected)
            for point in points:
                if (bound is None and point["model"] == form and point["overlap"] == "on" and
                        point["communication_s"] > point["hiding_s"] * (1 + 1e-6)):
                    bound = point["ranks"]
            self.assertEqual(document["communication_bound_from"][form], bound)
            fastest = document["fastest"][form]
            least = min(value for key, value in total.items() if key[2] == form)
            self.assertEqual(fastest["total_s"], least)
        self.assertIsNotNone(document["communication_bound_from"]["refined"])
        self.assertEqual(document["asked"]["cells"], [256, 256, 256])
        self.assertEqual(document["left_out"], {"count": 0, "first": None, "reason": ""})

    def test_energy_is_the_watts_of_the_limit_by_nodes_and_seconds(self):
        machine = self.expect_json("machines", "tsubame2.0")  # of three ranks a node
        machine["power"] = {"source": "packages, gpus", "memory_w": {"value": 700}}
        (self.folder / "counted.json").write_text(json.dumps(machine))
        words = ["predict", "diffusion", *CELLS, "--overlap", "off", "--ranks", "3,4,6"]
        document = self.expect_json(*words, "--machine", "counted.json")
        for point in document["points"]:
            if point["ranks"] == 4:
                self.assertNotIn("joules_per_step", point)  # a node and a third
                continue
            joules = 700 * point["ranks"] // 3 * point["total_s"]
            self.assertAlmostEqual(point["joules_per_step"] / joules, 1, places=9)
            self.assertAlmostEqual(point["units_per_joule"] * joules / 256**3, 1, places=9)
        plain = self.expect_json(*words, "--machine", "tsubame2.0")["points"]
        self.assertEqual([{key: value for key, value in point.items()
                           if key not in ("joules_per_step", "units_per_joule")}
                          for point in document["points"]], plain)
        heading, *rows = self.expect_success(*words, "--machine", "counted.json").splitlines()[2:6]
        self.assertRegex(heading, r"efficiency +energy +per joule +largest term$")
        joules = [p["joules_per_step"] for p in document["points"]
                  if p["ranks"] == 3 and p["model"] == "refined"]
        self.assertRegex(rows[0], rf" {joules[0]:.3g} J +[\d.]+ .?cells/J +")
        self.assertRegex(rows[1], r"% +- +- +\w")
        self.assertNotIn("joule", self.expect_success(*words, "--machine", "tsubame2.0"))

    def test_intervals_are_those_of_runs_where_the_drift_is_known(self):
        machine = self.expect_json("machines", "tsubame2.0")
        slowness = [0.8, 0.9, 1, 1, 1, 1.1, 1.6]
        machine["drift"] = {"span_s": 60, "series": [{"of": "memory", "slowness": slowness}]}
        (self.folder / "drifts.json").write_text(json.dumps(machine))
        words = ["predict", "diffusion", *CELLS, "--overlap", "off", "--ranks", "1,4"]
        known = self.expect_json(*words, "--machine", "drifts.json")["points"]
        before = self.expect_json(*words, "--machine", "tsubame2.0")["points"]
        for now, plain in zip(known, before):
            if now["model"] == "paper":
                self.assertEqual(now, plain)
                continue
            self.assertNotIn("interval", plain)
            self.assertEqual(now["total_s"], plain["total_s"])
            interval = now["interval"]
            self.assertEqual(interval["of"], "90 % of runs")
            self.assertEqual(interval["machine_s"], [plain["low_s"], plain["high_s"]])
            self.assertLess(interval["drift"][0], 0.9)
            self.assertGreater(interval["drift"][1], 1.1)
            for end, of in (("low_s", min), ("high_s", max)):
                self.assertEqual(of(now[end], now["total_s"]), now[end])
        table = self.expect_success(*words, "--machine", "drifts.json")
        self.assertIn("[interval] of 90 % of runs, ", table)
        last = known[-1]
        self.assertIn(f"[{1e3 * last['low_s']:.3f}, ", table)

    def test_one_form_and_one_mode(self):
        document = self.expect_json(*PREDICT, "--ranks", "2,8", "--form", "paper", "--overlap",
                                    "off")
        self.assertEqual({(p["model"], p["overlap"]) for p in document["points"]},
                         {("paper", "off")})
        self.assertEqual(document["best_overlap"], {"paper": []})
        text = self.expect_success(*PREDICT, "--ranks", "2,8", "--form", "paper", "--overlap",
                                   "off")
        self.assertNotIn("refined", text)
        self.assertNotIn("best overlap", text)

    def test_one_rank_alone_says_nothing_of_communication(self):
        text = self.expect_success(*PREDICT, "--ranks", 1)
        self.assertNotIn("communication", text)
        self.assertIn("largest term", text)

    def test_halos_are_staged_on_gpus_alone_unless_told_otherwise(self):
        for app in [["diffusion", "--cells", 256, 256, 256], ["lbm", "--cells", 128, 128, 128],
                    ["airfoil", "--cells", 400, 600]]:
            for machine, own, other in [("tsubame2.0", "staged", "direct"), ("crossroads", "direct", "staged")]:
                words = ["predict", *app, "--machine", machine, "--ranks", "2:4"]
                seconds = {halo: [point["total_s"] for point in self.expect_json(*words, *halo)["points"]]
                           for halo in [(), ("--halo", own), ("--halo", other)]}
                self.assertEqual(seconds[()], seconds["--halo", own])
                if app[0] == "diffusion" or own == "staged":  # else a CPU's machine file has no copies
                    self.assertNotEqual(seconds[()], seconds["--halo", other])

    def test_terms_are_printed_where_they_are_asked_for(self):
        heading = "terms, refined form"
        self.assertNotIn(heading, self.expect_success(*PREDICT, "--ranks", "1:4"))
        self.assertIn(heading, self.expect_success(*PREDICT, "--ranks", "1:4", "--terms"))
        self.assertIn(heading, self.expect_success(*PREDICT, "--ranks", "1:65536", "--terms"))

    def test_lines_fit_a_terminal(self):
        text = self.expect_success(*PREDICT, "--ranks", "1:65536", "--terms")
        for line in text.splitlines():
            if "OUTSIDE" not in line:
                self.assertLessEqual(len(line), 120, line)

    def test_the_heading_says_of_which_form_and_against_which_count(self):
        columns = "rate, efficiency, hidden, largest term: "
        self.assertIn(columns + "refined form; efficiency against 1 rank\n",
                      self.expect_success(*PREDICT, "--ranks", "1:4"))
        self.assertIn(columns + "paper form; efficiency against 4 ranks\n",
                      self.expect_success(*PREDICT, "--ranks", "4:8", "--form", "paper"))

    def test_the_reasons_of_extrapolation_are_one_line_and_the_rest_details(self):
        words = ["predict", "amg", "--cells", 100, 100, 100, "--machine", "tsubame2.0", "--ranks",
                 "1:64"]
        reasons = ["at every rank count: not calibrated for amg", "messages within the node timed",
                   "contention not modelled"]
        loud = [line for line in self.expect_success(*words).splitlines() if "OUTSIDE" in line]
        self.assertEqual(len(loud), 1, loud)
        for reason in reasons:
            self.assertIn(reason, loud[0])
        self.assertNotIn("12 bytes per matrix entry", loud[0])
        details = [line for line in self.expect_success(*words, "--details").splitlines()
                   if "OUTSIDE" in line]
        self.assertEqual(len(details), loud[0].count(";") + 1)
        self.assertTrue(any("from 2 ranks on" in line for line in details))
        self.assertRegex(details[0], r"at every rank count, \d+ of \d+ predictions: not calibrated for "
                         "amg: .*12 bytes per matrix entry")
        hpl = self.expect_success("predict", "hpl", "--size", 20000, "--machine", "mi50-cluster",
                                  "--ranks", 2)
        self.assertRegex(hpl, "! OUTSIDE CALIBRATED RANGE at every rank count: not calibrated: no "
                         "dgemm rate, no hpl.kernels \\(--details\\)\n")
        self.assertNotRegex(hpl, "(?m)^ .*!$")  # what all lines have in common marks none

    def test_what_the_machine_has_no_room_for_is_said_up_to_where_it_fits(self):
        words = ["predict", "hpl", "--size", 127000, "--machine", "mi50-cluster", "--ranks"]
        said = self.expect_success(*words, "1:8")
        self.assertRegex(said, r"(?m)^! OUTSIDE THE MACHINE up to 2 ranks: memory: 129 GB of each "
                         r"rank asked, which has 34\.4 GB; fits from 4 ranks on \(--details\)$")
        marked = {int(line.split()[0]) for line in said.splitlines() if line.endswith("!")
                  and line[0] == " "}
        self.assertEqual(marked, {1, 2})
        self.assertNotIn("OUTSIDE THE MACHINE", self.expect_success(*words, "4:8"))

    def test_hpl_that_fills_the_memory_grows_with_the_ranks(self):
        words = ["predict", "hpl", "--size", "auto", "--ranks", "1,4", "--form", "refined",
                 "--machine"]
        points = self.expect_json(*words, "mi50-cluster")["points"]
        for point in points:
            n = point["size"]
            self.assertEqual(n % point["block"], 0)
            self.assertAlmostEqual(point["rate"] * point["total_s"] / (2 / 3 * n ** 3 + 1.5 * n * n),
                                   1, delta=1e-9)
        self.assertAlmostEqual(points[-1]["size"] / points[0]["size"], 2, delta=0.05)
        first, last = points[0], points[-2]  # without overlap
        self.assertAlmostEqual(last["efficiency"], last["rate"] / (4 * first["rate"]), delta=1e-9)
        printed = self.expect_success(*words, "mi50-cluster")
        self.assertIn(f"  N {points[0]['size']}, 1x1, NB {points[0]['block']}  ", printed)
        self.assertNotIn("fastest, refined", printed)  # the smallest problem always is
        self.expect_refusal(2, ["--size auto: machine tsubame2.0: found no device.memory_bytes"],
                            *words, "tsubame2.0")

    def test_hpls_panels_are_of_whoever_is_asked(self):
        calibrated = pathlib.Path(__file__).resolve().parent.parent / "results/validation/corpus/h200/machine.json"
        machine = json.loads(calibrated.read_text())
        machine["hpl"]["kernels"]["device_panel"] = {"column_s": {"value": 5e-6}, "flops_per_s": {"value": 1e13}}
        (self.folder / "both.json").write_text(json.dumps(machine))

        def point(file, *words, size=16384):
            return self.expect_json("predict", "hpl", "--size", size, "--block", 512, "--ranks", 1, "--form", "refined",
                                    "--overlap", "on", "--machine", file, *words)["points"][0]

        host, old = point("both.json", "--panel", "host"), point(calibrated)
        device, chosen = point("both.json", "--panel", "device"), point("both.json")
        self.assertEqual(chosen, device)
        self.assertEqual((host["total_s"], host["terms"]), (old["total_s"], old["terms"]))
        self.assertEqual((host["panel"], device["panel"], "panel" in old), ("host", "device", False))
        self.assertLess(device["total_s"], host["total_s"] / 4)
        self.assertEqual({term for term in host["terms"] if term not in device["terms"]},
                         {"copy.to_host", "copy.to_device"})
        # What the last columns' updates do not hide is the same of any matrix that is large.
        shown = [point("both.json", size=size)["terms"]["compute.panel"] for size in (65536, 98304)]
        self.assertAlmostEqual(shown[1] / shown[0], 1, delta=0.05)
        (note,) = [text for text in point(calibrated, "--panel", "device")["outside_range"]
                   if "hpl.kernels.device_panel" in text]
        self.assertIn("not calibrated: no hpl.kernels.device_panel (bellwether calibrate); panels derived", note)
        words = ["predict", "hpl", "--size", 2000, "--ranks", 4, "--machine"]
        self.expect_refusal(2, ["--panel: found cusolver, expected host or device"], *words, "both.json",
                            "--panel", "cusolver")
        self.expect_refusal(2, ["--panel: found device, expected host: machine hector has no GPU"], *words,
                            "hector", "--panel", "device")
        self.expect_refusal(2, ["--panel: found device on a grid of 2 rows"], *words, "both.json",
                            "--panel", "device", "--grid", "2x2")

    def test_counts_of_a_range_that_cannot_divide_the_problem_are_left_out_and_said(self):
        words = ["predict", "diffusion", "--cells", 8, 8, 8, "--machine", "tsubame2.0", "--ranks"]
        document = self.expect_json(*words, "1:16:1")
        self.assertEqual({p["ranks"] for p in document["points"]}, {*range(1, 17)} - {11, 13})
        self.assertEqual(document["left_out"]["count"], 2)
        self.assertEqual(document["left_out"]["first"], 11)
        self.assertRegex(self.expect_success(*words, "1:16:1"),
                         "left out: 2 of 16 rank counts, the first of them 11: .*cannot divide")
        self.expect_refusal(2, ["11 ranks cannot divide"], *words, "1,11,16")
        self.expect_refusal(2, ["11 ranks cannot divide"], *words, "1:11:1")


class WhatIf(command_test.CommandTest):
    def document(self, *changes):
        words = [word for change in changes for word in ("--what-if", change)]
        return self.expect_json(*PREDICT, "--ranks", "1:64", *words)

    def test_without_a_change_nothing_changes(self):
        document = self.document("links.network.latency_s=1x")
        self.assertEqual(document["what_if"]["points"], document["points"])
        self.assertNotIn("what_if", self.document())

    def test_memory_twice_as_fast_alone(self):
        # 13 flops and 32 bytes (paper) a cell of 4 bytes: compute.interior alone at one rank.
        document = self.document("device.memory_bandwidth_bytes_per_s=2x")
        cells, peak, memory = 256**3, 1030e9, 148e9
        before = cells * (13 / peak + 32 / memory)
        after = cells * (13 / peak + 32 / (2 * memory))
        self.assertAlmostEqual(totals(document["points"])[1, "off", "paper"] / before, 1, places=12)
        changed = totals(document["what_if"]["points"])
        self.assertAlmostEqual(changed[1, "off", "paper"] / after, 1, places=12)
        (change,) = document["what_if"]["changes"]
        self.assertEqual(change["key"], "device.memory_bandwidth_bytes_per_s")
        self.assertEqual((change["before"], change["after"]), (148e9, 296e9))

    def test_changes_add_to_each_other(self):
        once = self.document("links.network.latency_s=6x")
        twice = self.document("links.network.latency_s=2x", "links.network.latency_s=3x")
        for key, seconds in totals(once["what_if"]["points"]).items():
            self.assertAlmostEqual(totals(twice["what_if"]["points"])[key] / seconds, 1, places=12)
        self.assertEqual(len(twice["what_if"]["changes"]), 2)

    def test_table(self):
        text = self.expect_success(*PREDICT, "--ranks", "1:4", "--what-if",
                                   "links.network.latency_s=2x")
        self.assertIn("what if links.network.latency_s is 1.494e-05 (before: 7.47e-06)", text)
        self.assertIn("scaled along: links.network.unaligned.latency_s", text)
        self.assertRegex(text, r"as it is: best overlap mode")
        self.assertRegex(text, r"what if: best overlap mode")
        unchanged = self.expect_success(*PREDICT, "--ranks", 1, "--what-if",
                                        "links.network.latency_s=2x")
        self.assertIn("no total changes", unchanged)

    def test_refusals(self):
        words = [*PREDICT, "--ranks", 2, "--what-if"]
        self.expect_refusal(2, ["--what-if", "found 'abc'", "KEY=2x"], *words, "abc")
        self.expect_refusal(2, ["--what-if links.network.latency", '"latency" in links.network',
                                "latency_s"], *words, "links.network.latency=2x")
        self.expect_refusal(2, ["finite number > 0", "memory_bandwidth"], *words,
                            "device.memory_bandwidth_bytes_per_s=0")


if __name__ == "__main__":
    unittest.main()
