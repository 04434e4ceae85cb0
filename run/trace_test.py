# SPDX-License-Identifier: MIT
"""`trace`: folders of traces, what it refuses, and what SimGrid makes of them."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import command_test

HERE = pathlib.Path(__file__).resolve().parent
MACHINE = HERE / "lab" / "simulation" / "assumed_cluster.json"
DIFFUSION = ["trace", "diffusion", "--cells", 32, 32, 32, "--machine", MACHINE]
SIMULATE = [sys.executable, HERE / "lab" / "simulate", "--program", command_test.PROGRAM]


class Traces(command_test.CommandTest):
    def test_a_folder_holds_all_that_a_simulation_needs(self):
        told = self.expect_json(*DIFFUSION, "--ranks", 5, "--steps", 2, "-o", "traces")
        self.assertEqual((told["app"], told["ranks"], told["steps"]), ("diffusion", 5, 2))
        folder = self.folder / "traces"
        self.assertEqual(json.loads((folder / "trace.json").read_text()), told)
        names = (folder / "index.txt").read_text().split()
        self.assertEqual(names, [f"rank{rank}.txt" for rank in range(5)])
        lines = [(folder / name).read_text().splitlines() for name in names]
        for rank, mine in enumerate(lines):
            self.assertEqual((mine[0], mine[-1]), (f"{rank} init", f"{rank} finalize"))
            started = sum(line.split()[1] in ("isend", "irecv") for line in mine)
            self.assertEqual(sum(line.split()[1] == "wait" for line in mine), started)
        every = "\n".join("\n".join(mine) for mine in lines)
        self.assertEqual(told["bytes"], len(every) + 1)
        sent = sorted(re.findall(r"(\d+) isend (\d+) \d+ (\d+)", every))
        received = sorted((source, target, size) for target, source, size in
                          re.findall(r"(\d+) irecv (\d+) \d+ (\d+)", every))
        self.assertEqual(sent, received)
        self.assertEqual(len(sent), 5 * 2 * 2)
        self.assertEqual((folder / "hosts.txt").read_text().split(), [f"node{n}" for n in range(5)])
        self.assertTrue(os.access(folder / "replay", os.X_OK))

    def test_what_cannot_be_written_is_named_and_nothing_is(self):
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine").write_text("kept")
        (self.folder / "file").write_text("kept")
        to = ["--ranks", 4, "-o"]
        self.expect_refusal(2, ["-o full", "new or an empty one"], *DIFFUSION, *to, "full")
        self.expect_refusal(2, ["-o file", "found a file"], *DIFFUSION, *to, "file")
        self.expect_refusal(2, ["--steps 100000000", r"\d GB", "at most 2", "--large"], *DIFFUSION,
                            "--steps", 100000000, *to, "new")
        self.expect_refusal(2, ["topology", "ring:4", "torus:16x16x16"], *DIFFUSION,
                            "--topology", "ring:4", *to, "new")
        machine = json.loads(MACHINE.read_text())
        machine["links"] = {"shared_memory": machine["links"]["network"]}
        (self.folder / "alone.json").write_text(json.dumps(machine))
        self.expect_refusal(2, ["machine simulated", "network", "missing"], "trace", "diffusion",
                            "--cells", 32, 32, 32, "--machine", "alone.json", *to, "new")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["alone.json", "file", "full"])

    def test_simulate_refuses_what_it_does_not_know(self):
        for words, said in ((["--ranks", "1"], "--ranks: found 1"), (["--ranks", "x"], "found x"),
                            (["--apps", "nothing"], "--apps: found nothing"),
                            (["--topologies", "ring"], "--topologies: found ring")):
            done = subprocess.run([*map(str, SIMULATE), *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(said, done.stderr)


@unittest.skipIf(shutil.which("smpirun") is None, "no smpirun: SimGrid (libsimgrid-dev) is not here")
class Simulation(command_test.CommandTest):

    def simulated(self, *words):
        done = subprocess.run([*map(str, SIMULATE), "-o", "table.json", *words], cwd=self.folder,
                              capture_output=True, text=True, timeout=self.patience_s)
        self.assertIn(done.returncode, (0, 4), done.stderr)
        return json.loads((self.folder / "table.json").read_text())["rows"]

    def test_every_mini_app_replays(self):
        rows = self.simulated("--ranks", "8", "--topologies", "flat")
        self.assertEqual({(row["app"], row["overlap"]) for row in rows},
                         {(app, overlap) for overlap in ("off", "on") for app in
                          ("diffusion", "lbm", "airfoil", "hpl", "cholesky", "amg")})
        for row in rows:
            self.assertGreater(row["simulated"]["total_s"], row["simulated"]["network_s"])

    def test_stencils_take_what_the_model_says_flat_and_on_topologies(self):
        for row in self.simulated("--ranks", "64", "--apps", "diffusion"):
            self.assertLess(abs(row["error"]), 0.05 if row["topology"] == "flat" else 0.15, row)


if __name__ == "__main__":
    unittest.main()
