# SPDX-License-Identifier: MIT
"""Calibrating with one rank and running microbenchmarks alone: what is absent is said, what cannot
be is refused, and every rank's words come once."""
import json
import os
import re
import unittest
import unittest.mock

import command_test

MOST = 32 << 20
CALIBRATE = ["calibrate", "--quick", "--time-budget", 2, "--largest-memory", MOST]


class Calibrate(command_test.CommandTest):
    def test_one_rank_has_no_links_between_ranks_and_says_so(self):
        table = self.expect_success(*CALIBRATE, "--name", "alone", "-o", "m.json")
        self.assertRegex(table, r"!! one rank: no link was measured; .*shared-memory and network")
        self.assertNotRegex(table, r"(?m)^  (shared_memory|network) ")
        self.assertRegex(table, r"(?m)^  staging  .* off by at most \d+ % up to 64 MiB")
        machine = json.loads((self.folder / "m.json").read_text())
        self.assertEqual(list(machine["links"]), ["staging"])
        self.assertNotIn("allreduce", machine)
        self.assertTrue(any("one rank" in warning for warning in machine["warnings"]))
        for segment in machine["links"]["staging"]["segments"]:
            self.assertIn("value", segment["bandwidth_bytes_per_s"])
        self.assertLessEqual(3 * int(machine["provenance"]["stream_array_bytes"]), MOST)
        self.assertLessEqual(max(point["working_set_bytes"] for curve in machine["device"]["memory"]
                                 for point in curve["points"]), MOST)
        noise = machine["noise"]
        self.assertEqual(noise["shared_fraction"]["value"], 0)
        self.assertRegex(table, r"(?m)^calibrated: \d+ memory curves up to .*, noise, ")
        drift = machine["drift"]
        self.assertIn("memory", [series["of"] for series in drift["series"]])
        self.assertGreater(drift["span_s"], 0)
        self.assertRegex(table, r"(?m)^drift within \d+ s: 90 % of probes took .*memory ")
        samples = json.loads((self.folder / "m.samples.json").read_text())
        self.assertEqual(samples["schema"], "bellwether.samples/1")
        self.assertEqual(machine["provenance"]["samples"], "m.samples.json")

        shown = self.expect_success("machines", "m.json")
        self.assertTrue(table.startswith(shown))
        self.assertLessEqual(len(table.splitlines()), 30)
        details = self.expect_success("machines", "m.json", "--details")
        self.assertIn("machine alone", details)
        self.assertTrue(details.startswith(shown))
        self.assertRegex(details, "links.staging.source +copies between two host buffers")
        self.assertIn("pages below 2 MiB", machine["links"]["staging"]["source"])
        self.assertEqual(self.expect_json("machines", "m.json"), machine)
        predict = ["predict", "diffusion", "--cells", 64, 64, 64, "--machine", "m.json"]
        points = self.expect_json(*predict, "--ranks", 1)["points"]
        self.assertEqual({point["ranks"] for point in points}, {1})
        self.expect_refusal(2, ['link "network" is missing', "calibrate"], *predict, "--ranks", 2)
        run = ["run", "diffusion", "--cells", 33, 31, 30, "--steps", 20, "--machine", "m.json"]
        self.assertRegex(self.expect_success(*run, "--probe"),
                         r"(?mi)^(.*normal|cannot tell) for this machine: 90 % of its runs take \[.*\] .*"
                         r"\n(.*normal|cannot tell) for its speed during the run: 90 % take \[")
        refined = self.expect_json(*run)["records"][0]["predicted"]["refined"]
        self.assertEqual(refined["interval"]["of"], "90 % of runs")
        self.assertLess(refined["low_s"], refined["high_s"])
        self.expect_remarks_on_what_was_calibrated_otherwise(machine, run, predict)

    def expect_remarks_on_what_was_calibrated_otherwise(self, machine, run, predict):
        def remarks(words):
            return re.findall(r"(?m)^bellwether: (m.json was .*)$", self.run_command(*words).stderr)

        self.assertEqual(remarks(run), [])
        self.assertEqual(remarks([*predict, "--ranks", 1]), [])
        machine["provenance"]["kernel_sources"] = "000000000000"
        machine["device"]["name"] = "Abacus"
        (self.folder / "m.json").write_text(json.dumps(machine))
        self.assertEqual([re.sub(" of commit .*| is .*", "", line) for line in remarks(run)],
                         ["m.json was calibrated on Abacus, and this",
                          "m.json was calibrated with other kernels than this program's (those"])
        self.assertEqual(len(remarks([*predict, "--ranks", 1])), 1)

    def test_an_output_that_cannot_be_written_is_refused_before_measuring(self):
        for ranks in [0, 2]:
            self.expect_refusal(2, ["no-folder/m.json", "cannot be written"], "calibrate", "-o",
                                "no-folder/m.json", ranks=ranks)

    def test_unusable_options(self):
        self.expect_refusal(2, ["--time-budget", "'0'"], "calibrate", "--time-budget", 0)
        self.expect_refusal(2, ["--time-budget", "'soon'"], "calibrate", "--time-budget", "soon")
        self.expect_refusal(2, ["--largest-memory", "'4096'"], "calibrate", "--largest-memory", 4096)
        self.expect_refusal(2, ["--fast"], "calibrate", "--fast", ranks=2)
        self.expect_refusal(2, ["none"], "calibrate", "--backend", "none")


class Microbench(command_test.CommandTest):
    def test_the_list_is_printed_once(self):
        names = self.expect_success("microbench", "--benchmark_list_tests", ranks=2).splitlines()
        self.assertGreater(len(names), 100)
        self.assertEqual(len(names), len(set(names)))
        self.assertTrue(any(name.startswith("shared_memory/ping_pong/8/") for name in names))

    def test_what_the_filter_matches_runs_once(self):
        done = self.expect_success(
            "microbench", "--benchmark_filter=^launch/items:1/", "--benchmark_min_time=0.01",
            "--benchmark_format=json", ranks=2)
        self.assertEqual(len(json.loads(done)["benchmarks"]), 1)
        self.assertEqual(json.loads(done)["context"]["executable"], "bellwether")

    def test_times_are_of_one_operation(self):
        done = json.loads(self.expect_success(
            "microbench", "--benchmark_filter=^staging/8/", "--benchmark_min_time=0.01",
            "--benchmark_format=json"))["benchmarks"][0]
        self.assertAlmostEqual(done["real_time"] * done["bytes_per_s"] * 1e-9, 8, delta=1e-3)

    def test_the_environment_does_not_choose(self):
        asking = {"BENCHMARK_OUT_FORMAT": "xml", "BENCHMARK_OUT": "no-folder/x"}
        with unittest.mock.patch.dict(os.environ, asking):
            printed = self.expect_success("microbench", "--benchmark_filter=^launch/items:1/",
                                          "--benchmark_min_time=0.01", ranks=2)
        self.assertEqual(printed.count("launch/items:1/manual_time"), 1)

    def test_unusable_options(self):
        for word, patterns in {
                "--no-such-option": ["found '--no-such-option'"],
                "--benchmark_no_such=1": ["--benchmark_no_such=1"],
                "--benchmark_format=csv": ["--benchmark_format", '"csv"', "console, json"],
                "--benchmark_time_unit=h": ["time_unit", '"h"', "ns, us, ms, s"],
                "--benchmark_color=": ["color", '""'],
                "--benchmark_out=x.json": ["--benchmark_out", "--benchmark_format=json > FILE"],
                "--benchmark_filter=nothing-like-it": ["matches no benchmark"]}.items():
            self.expect_refusal(2, patterns, "microbench", word, ranks=2)


if __name__ == "__main__":
    unittest.main()
