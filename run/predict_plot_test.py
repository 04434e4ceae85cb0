# SPDX-License-Identifier: MIT
"""`predict --plot`: the picture of a scaling curve, and what is measured in it."""
import json
import os
import subprocess
import unittest
import unittest.mock
import xml.etree.ElementTree

import command_test
from predict_test import PREDICT


class Plot(command_test.CommandTest):
    def ids(self, name):
        root = xml.etree.ElementTree.parse(self.folder / name).getroot()
        self.assertTrue(root.tag.endswith("svg"))
        self.text = " ".join(text for text in root.itertext())
        return {element.get("id") for element in root.iter() if element.get("id")}

    def setUp(self):
        super().setUp()
        pythons = [["/usr/bin/python3"], ["python3"]]
        def has(python):
            try:
                return subprocess.run([*python, "-c", "import matplotlib.figure"],
                                      capture_output=True).returncode == 0
            except OSError:
                return False
        if not any(map(has, pythons)):
            self.skipTest("no Python has matplotlib")

    def records(self):
        """What a run of this problem would write, and records of other kinds."""
        record = {"schema": "bellwether.record/1", "app": "diffusion", "ranks": 4,
                  "problem": {"cells": [256, 256, 256], "precision": "f32",
                              "decomposition": [1, 2, 2], "boundary": "periodic"},
                  "variant": {"overlap": "on", "halo": "staged", "stores": "cached"},
                  "measured": {"total_s": {"median": 2e-3, "low": 1.9e-3, "high": 2.2e-3}},
                  "verification": {"passed": True}}
        others = [{"app": "lbm"}, {"problem": {**record["problem"], "cells": [64, 64, 64]}},
                  {"verification": {"passed": False}}, {"variant": {"halo": "direct"}}]
        lines = [record, *({**record, **other} for other in others),
                 {**record, "variant": {"overlap": "off"}, "ranks": 2}]
        text = "".join(json.dumps(line) + "\n" for line in lines) + '{"app": "diffu'
        (self.folder / "r.jsonl").write_text(text)

    def test_svg(self):
        self.records()
        words = [*PREDICT, "--ranks", "1:1024", "--plot", "p.svg", "--measured", "r.jsonl", "--halo", "staged",
                 "--what-if", "links.network.bandwidth_bytes_per_s=2x"]
        text = self.expect_success(*words)
        self.assertIn("plot: p.svg", text)
        self.assertIn("measured: 2 of 6 records of r.jsonl; passed over: another application 1, "
                      "another cells 1, another halo 1, not verified 1", text)
        ids = self.ids("p.svg")
        for overlap in ["off", "on"]:
            for form in ["paper", "refined"]:
                for what in ["time", "efficiency", "what-if", "what-if-efficiency"]:
                    self.assertIn(f"{what}-{form}-{overlap}", ids)
            self.assertIn(f"measured-{overlap}", ids)
            self.assertIn(f"term-{overlap}-compute.interior", ids)
            self.assertIn(f"term-{overlap}-network", ids)
        self.assertIn("ideal", ids)
        for expected in ["diffusion on tsubame2.0", "256 \u00d7 256 \u00d7 256", "overlap on",
                         "refined form", "measured", "what if", "efficiency", "ranks"]:
            self.assertIn(expected, self.text)
        self.assertEqual(set(os.listdir(self.folder)), {"p.svg", "r.jsonl"})

    def test_the_same_picture_each_time_and_beside_json(self):
        words = [*PREDICT, "--ranks", "1:8", "--form", "paper", "--overlap", "off"]
        self.expect_success(*words, "--plot", "a.svg")
        document = self.expect_json(*words, "--plot", "b.svg")
        self.assertEqual(len(document["points"]), 4)
        self.assertEqual((self.folder / "a.svg").read_text(), (self.folder / "b.svg").read_text())
        ids = self.ids("a.svg")
        self.assertIn("time-paper-off", ids)
        self.assertFalse([name for name in ids if "refined" in name or name.endswith("-on")])

    def test_other_formats_and_one_rank_count(self):
        for name, begin in [("p.png", b"\x89PNG"), ("p.pdf", b"%PDF")]:
            self.expect_success(*PREDICT, "--ranks", 4, "--plot", name)
            self.assertTrue((self.folder / name).read_bytes().startswith(begin))

    def test_refusals(self):
        words = [*PREDICT, "--ranks", 2, "--plot"]
        self.expect_refusal(2, ["'p.jpeg'", r"\.svg, \.pdf or \.png"], *words, "p.jpeg")
        self.expect_refusal(2, ["'no/p.svg'", "folder that exists"], *words, "no/p.svg")
        (self.folder / "d.svg").mkdir()
        self.expect_refusal(2, ["'d.svg'", "folder"], *words, "d.svg")
        self.expect_refusal(2, ["--plot", "found ''"], *words, "")
        self.expect_refusal(2, ["none.jsonl: cannot be read"], *PREDICT,
                            "--ranks", 2, "--measured", "none.jsonl")


class WithoutMatplotlib(command_test.CommandTest):
    def test_the_package_is_named_before_anything_is_predicted(self):
        """A module that cannot be imported stands in front of the real one."""
        (self.folder / "matplotlib.py").write_text("raise ImportError('not here')\n")
        with unittest.mock.patch.dict(os.environ, PYTHONPATH=str(self.folder)):
            self.expect_refusal(3, ["--plot", "python3-matplotlib", "pip install matplotlib"],
                                *PREDICT, "--ranks", "1:65536", "--plot", "p.svg")
        self.assertFalse((self.folder / "p.svg").exists())


if __name__ == "__main__":
    unittest.main()
