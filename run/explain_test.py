# SPDX-License-Identifier: MIT
"""`predict --explain`: the numbers of the machine file that make a time, and what a rank does in a step."""
import unittest

import command_test
from predict_test import APPS, CELLS, PREDICT


class Explain(command_test.CommandTest):
    def explained(self, app, ranks=16, machine="tsubame2.0"):
        return self.expect_json("predict", app, *APPS[app], "--machine", machine, "--ranks", ranks,
                                "--explain")["explained"]

    def test_a_time_is_made_of_the_machines_times_and_rates(self):
        """Twice as many seconds and half the rates are twice the total, whatever the model: of it
        Euler's theorem says how much all numbers together make."""
        for app in APPS:
            for one in self.explained(app):
                with self.subTest(app=app, overlap=one["overlap"]):
                    degree = sum(number["total"] * (-1 if "per_s" in number["key"] else 1)
                                 for number in one["numbers"] if "_s" in number["key"])
                    self.assertAlmostEqual(degree, 1, delta=0.01)
                    self.assertAlmostEqual(sum(one["terms"].values()), one["total_s"],
                                           delta=1e-9 * one["total_s"])

    def test_a_number_moves_the_total_as_it_says(self):
        (one, _) = self.explained("diffusion")
        (number,) = [number for number in one["numbers"]
                     if number["key"] == "device.memory_efficiency"]
        asked = ["predict", "diffusion", *CELLS, "--machine", "tsubame2.0", "--ranks", 16,
                 "--overlap", "off", "--form", "refined"]
        changed = self.expect_json(*asked, "--what-if", number["key"] + "=1.01x")
        self.assertEqual(changed["what_if"]["changes"][0]["scaled_along"], [])
        (after,) = changed["what_if"]["points"]
        self.assertAlmostEqual(after["total_s"] / one["total_s"] - 1, 0.01 * number["total"],
                               delta=3e-4)

    def test_shares_of_the_interval_are_those_of_independent_numbers(self):
        for app, machine in [("lbm", "h100"), ("diffusion", "tsubame2.0")]:
            for one in self.explained(app, 1, machine):
                shares = {number["key"]: number["interval_share"] for number in one["numbers"]}
                # The bandwidth is exact; what share of it is reached is not.
                self.assertAlmostEqual(shares["device.memory_efficiency"], 1, places=9)
                self.assertAlmostEqual(sum(shares.values()), 1, places=9)
        for one in self.explained("cholesky", 1, "paragon"):
            self.assertEqual({number["interval_share"] for number in one["numbers"]}, {None})

    def test_twice_a_rate_is_what_it_is_for_what_if(self):
        (one, _) = self.explained("diffusion")
        changes = {change["key"]: change for change in one["changes"]}
        self.assertLess(changes["device.memory_bandwidth_bytes_per_s"]["total"], 0.95)
        for change in one["changes"]:
            self.assertEqual(change["factor"], 0.5 if change["key"].endswith("latency_s") else 2)
            changed = self.expect_json(*PREDICT, "--ranks", 16, "--overlap", "off", "--form", "refined",
                                       "--what-if", f"{change['key']}={change['factor']}x")
            (after,) = changed["what_if"]["points"]
            self.assertAlmostEqual(after["total_s"] / one["total_s"], change["total"], places=9)

    def test_the_program_is_the_slowest_ranks(self):
        (off, on) = self.explained("diffusion")
        computed = sum(operation.get("seconds", 0) for operation in off["program"]["operations"])
        self.assertAlmostEqual(computed, off["total_s"] - off["terms"]["network"], delta=1e-9)
        self.assertEqual(off["program"]["left_out"], 0)
        for one in [off, on]:
            sent = [operation["bytes"] for operation in one["program"]["operations"]
                    if operation["do"] == "send"]
            self.assertEqual(sent, 4 * [256 * 64 * 4])
        text = self.run_command(*PREDICT, "--ranks", 16, "--explain").stdout
        self.assertRegex(text, r"(?m)^16 ranks \(.*\), overlap on: 520.0 us, refined$")
        self.assertRegex(text, r"(?m)^  -0\.\d{3} +\d+ %  device\.\S+ = \S+e\+\d+")
        self.assertRegex(text, r"(?m)^step of rank \d+, which computes longest of 16:\n  \w")

    def test_of_many_ranks_and_operations_some_are_looked_at(self):
        for ranks, said in [(128, "of 64 that were looked at"), (1, "of 1:")]:
            done = self.run_command(*PREDICT, "--ranks", ranks, "--overlap", "on", "--explain")
            self.assertIn(f"longest {said}", done.stdout)
        self.assertIn("\n1 rank (1x1x1), overlap on:", done.stdout)
        for one in self.explained("hpl"):
            self.assertEqual(len(one["program"]["operations"]), 40)
            self.assertGreater(one["program"]["left_out"], 1000)

    def test_refusals(self):
        self.expect_refusal(2, ["--explain", "found 2 rank counts", "expected one"],
                            *PREDICT, "--ranks", "1,2", "--explain")
        self.expect_refusal(2, ["--explain", "found --form paper", "expected refined or both"],
                            *PREDICT, "--ranks", 2, "--form", "paper", "--explain")


if __name__ == "__main__":
    unittest.main()
