# SPDX-License-Identifier: MIT
"""`predict` of several machines, of whole nodes, and of a problem that grows with the ranks."""
import math
import pathlib
import statistics
import unittest

import command_test
from predict_test import APPS, CELLS, PREDICT

HIERARCHIES = pathlib.Path(__file__).resolve().parent.parent / "models/amg/gahvari2012_hierarchies.json"
LBM = ["predict", "lbm", "--cells", 256, 256, 256]


def machines(*names):
    return [word for name in names for word in ("--machine", name)]


class Ranking(command_test.CommandTest):
    def places(self, *words):
        (one,) = self.expect_json(*words)["ranking"]
        return one["places"]

    def test_a_machine_has_the_time_that_it_has_alone_in_its_faster_mode(self):
        names = ["h100-node", "mi50-cluster", "tsubame2.0"]
        document = self.expect_json(*LBM, *machines(*names), "--ranks", "1,2")
        self.assertEqual([one["ranks"] for one in document["ranking"]], [1, 2])
        for one in document["ranking"]:
            rates = [place["rate"] for place in one["places"]]
            self.assertEqual(rates, sorted(rates, reverse=True))
            self.assertEqual({place["machine"] for place in one["places"]}, set(names))
            for place in one["places"]:
                alone = self.expect_json(*LBM, "--machine", place["machine"], "--form", "refined",
                                         "--ranks", one["ranks"])["points"]
                best = min(alone, key=lambda point: point["total_s"])
                for key in ["total_s", "low_s", "high_s", "rate", "overlap", "layout"]:
                    self.assertEqual(place[key], best[key])

    def test_the_chance_is_that_of_two_normal_distributions(self):
        first, second = self.places(*LBM, *machines("a100", "h100"), "--ranks", 1)
        self.assertEqual([first["machine"], second["machine"]], ["h100", "a100"])
        side = statistics.NormalDist().inv_cdf(0.95)
        deviation = math.hypot(math.log(first["high_s"] / first["total_s"]),
                               math.log(second["total_s"] / second["low_s"])) / side
        chance = statistics.NormalDist().cdf(math.log(second["total_s"] / first["total_s"]) / deviation)
        self.assertTrue(0.9 < chance < 1)  # 3.35 to 2.04 TB/s, known to some 10 % each
        self.assertAlmostEqual(first["beats"]["a100"], chance, places=6)
        self.assertAlmostEqual(second["beats"]["h100"], 1 - chance, places=6)

    def test_a_machine_beats_itself_every_other_time_and_without_intervals_nobody_knows(self):
        (self.folder / "same.json").write_text(self.expect_success("machines", "h100", "--json"))
        for place in self.places(*LBM, *machines("h100", "same.json"), "--ranks", 1):
            self.assertEqual(list(place["beats"].values()), [0.5])
        for place in self.places("predict", "cholesky", "--size", 1000, *machines("paragon", "vpp500"),
                                 "--ranks", 1):
            self.assertEqual(place["beats"], {})

    def test_nodes_have_their_machines_ranks(self):
        words = [*LBM, *machines("h100-node", "epyc-9654-x2"), "--nodes", 1]
        self.assertEqual([(place["machine"], place["ranks"]) for place in self.places(*words)],
                         [("h100-node", 8), ("epyc-9654-x2", 192)])
        text = self.expect_success(*words)
        self.assertRegex(text, r"(?m)^ +nodes +ranks machine .* beats next$")
        self.assertRegex(text, r"(?m)^ +1 +8 h100-node .* 100\.0 % +> 99 %$")
        for line in text.splitlines():
            if "OUTSIDE" not in line:
                self.assertLessEqual(len(line), 120, line)
        alone = self.expect_json(*LBM, "--machine", "h100-node", "--nodes", 1)["points"]
        self.assertEqual({point["ranks"] for point in alone}, {8})

    def test_what_cannot_take_part_is_named(self):
        words = [*LBM, *machines("h100-node", "frontier"), "--nodes", "1,2"]
        document = self.expect_json(*words)
        self.assertEqual([[place["machine"] for place in one["places"]] for one in document["ranking"]],
                         [["h100-node", "frontier"], ["frontier"]])
        (left_out,) = document["left_out"]
        self.assertEqual((left_out["machine"], left_out["count"], left_out["first"]), ("h100-node", 1, 16))
        self.assertIn("network", left_out["reason"])
        self.assertRegex(self.expect_success(*words),
                         "(?m)^h100-node: left out: 1 of 2 counts, the first of them 16 ranks: .*network")
        self.expect_refusal(2, ["h100", "network"], *LBM, *machines("h100", "a100"), "--ranks", 2)

    def test_refusals(self):
        self.expect_refusal(2, ["--ranks, --nodes", "found neither"], *LBM, *machines("h100"))
        self.expect_refusal(2, ["--ranks", "--nodes"], *LBM, *machines("h100"), "--ranks", 1,
                            "--nodes", 1)
        self.expect_refusal(2, ["^bellwether: nodes: found \"0\""], *LBM, *machines("h100"), "--nodes", 0)
        self.expect_refusal(2, ["nodes: found \"200000\"", "at most 104166 nodes of 192 ranks"], *LBM,
                            *machines("epyc-9654-x2"), "--nodes", 200000)
        self.expect_refusal(2, ["--explain", "found 2 machines", "expected one"], *LBM,
                            *machines("h100", "a100"), "--ranks", 1, "--explain")
        self.expect_refusal(2, ["nothere"], *LBM, *machines("h100", "nothere"), "--ranks", 1)


class WeakScaling(command_test.CommandTest):
    def test_the_problem_grows_with_the_ranks(self):
        grown = {"diffusion": ["--cells", 256, 512, 512], "lbm": ["--cells", 96, 160, 128],
                 "hpl": ["--size", 40000], "amg": ["--cells", 100, 200, 200],
                 "airfoil": ["--cells", 80, 120], "cholesky": ["--size", 2000]}
        for app, problem in APPS.items():
            with self.subTest(app=app):
                ending = ["--machine", "tsubame2.0", "--ranks", 4]
                weak = self.expect_json("predict", app, *problem, *ending, "--scaling", "weak")
                strong = self.expect_json("predict", app, *grown[app], *ending)
                self.assertEqual(weak["asked"]["scaling"], "weak")
                self.assertEqual([point["total_s"] for point in weak["points"]],
                                 [point["total_s"] for point in strong["points"]])
                for one, other in zip(weak["points"], strong["points"]):
                    self.assertAlmostEqual(one["rate"], other["rate"], delta=1e-9 * one["rate"])

    def test_efficiency_is_the_smallest_counts_time_where_cells_grow(self):
        points = self.expect_json(*PREDICT, "--scaling", "weak", "--ranks", "1:64", "--form", "paper",
                                  "--overlap", "off")["points"]
        for point in points:
            self.assertAlmostEqual(point["efficiency"], points[0]["total_s"] / point["total_s"], places=9)
        self.assertNotIn("fastest", self.expect_success(*PREDICT, "--scaling", "weak", "--ranks", "1:64"))

    def test_refusals(self):
        self.expect_refusal(2, ["--cells", "expected"], "predict", "diffusion", "--cells", 512, 512, 512,
                            "--machine", "tsubame2.0", "--scaling", "weak", "--ranks", 20000000)
        self.expect_refusal(2, ["--size", "10000000 of one rank"], "predict", "cholesky", "--size", 10000000,
                            "--machine", "tsubame2.0", "--ranks", 4, "--scaling", "weak")
        self.expect_refusal(2, ["--scaling weak", "no --cells or --unknowns"], "predict", "amg",
                            "--hierarchy", HIERARCHIES, "--machine", "tsubame2.0", "--ranks", 4,
                            "--scaling", "weak")


if __name__ == "__main__":
    unittest.main()
