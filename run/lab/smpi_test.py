# SPDX-License-Identifier: MIT
"""The mini-apps on 64 ranks that are simulated (SimGrid's MPI, preset smpi): what they compute is
verified, and each rank sends in a step what the traces of the models say, where they know it."""
import collections
import json
import os
import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import command_test  # noqa: E402

MACHINE = HERE / "simulation" / "assumed_cluster.json"
RANKS = 64
LINE = 64  # bytes: the mini-app's columns begin with a whole cache line, and end with one
PLATFORM = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="machine" prefix="node" suffix="" radical="0-63" speed="1Gf" bw="1GBps" lat="{}"/>
</platform>
"""
# Computation takes no simulated time: where steps are repeated until a sample is long enough, messages
# take long, and whoever looks for one looks seldom.
SLOW, FAST = ("10ms", "1e-3"), ("1us", "1e-4")


class Simulated(command_test.CommandTest):
    patience_s = 300

    def setUp(self):
        super().setUp()
        (self.folder / "hosts").write_text("".join(f"node{n}\n" for n in range(RANKS)))

    def simulated(self, ranks, network, *words):
        latency, look = network
        (self.folder / "platform.xml").write_text(PLATFORM.format(latency))
        os.environ.update(BELLWETHER_SENT=str(self.folder), OPENBLAS_NUM_THREADS="1")
        command_test.LAUNCHER[1:] = [
            "-platform", "platform.xml", "-hostfile", "hosts", "--cfg=smpi/simulate-computation:no",
            f"--cfg=smpi/test:{look}", "--log=root.thresh:warning", "-np", "RANKS"]
        self.expect_success(*words, ranks=ranks)

    def sent(self, network, app, problem, steps):
        """Of each rank how often it sends so many bytes to which other."""
        step = "iterations" if app == "airfoil" else "steps"
        if app in ("hpl", "cholesky"):
            step = "factorizations"
        self.simulated(RANKS, network, "run", app, *problem, f"--{step}", steps, "--stall-limit", 0,
                       "-o", f"{steps}.jsonl")
        for line in (self.folder / f"{steps}.jsonl").read_text().splitlines():
            record = json.loads(line)
            self.assertEqual(record["ranks"], RANKS)
            self.assertTrue(record["verification"]["passed"], record["verification"])
        ranks = []
        for rank in range(RANKS):
            lines = (self.folder / f"sent{rank}.txt").read_text().splitlines()
            ranks.append(collections.Counter({tuple(map(int, line.split()[:2])): int(line.split()[2])
                                              for line in lines}))
        return ranks

    def sent_in_a_step(self, network, app, *problem):
        """Of both overlap modes; what comes once is the same in both runs."""
        once = self.sent(network, app, problem, 1)
        return [twice - one for one, twice in zip(once, self.sent(network, app, problem, 2))]

    def traced(self, app, *problem):
        ranks = [collections.Counter() for _ in range(RANKS)]
        for overlap in ("off", "on"):
            self.simulated(1, FAST, "trace", app, *problem, "--ranks", RANKS, "--overlap", overlap,
                           "--machine", MACHINE, "-o", overlap)
            for rank, messages in enumerate(ranks):
                for line in (self.folder / overlap / f"rank{rank}.txt").read_text().splitlines():
                    words = line.split()
                    if words[1] in ("send", "isend"):
                        messages[int(words[2]), int(words[4])] += 1
        return ranks

    def expect_traced(self, network, app, *problem, more=0):
        """As in the traces, messages without content left out; each of `more` bytes at most more."""
        for rank, (found, expected) in enumerate(zip(self.sent_in_a_step(network, app, *problem),
                                                     self.traced(app, *problem))):
            found = sorted(one for one in found.elements() if one[1] > 0)
            expected = sorted(expected.elements())
            self.assertEqual([to for to, _ in found], [to for to, _ in expected], f"rank {rank}")
            for one, other in zip(found, expected):
                self.assertTrue(0 <= one[1] - other[1] <= more, f"rank {rank}: {one}, expected {other}")

    def test_diffusion(self):
        self.expect_traced(SLOW, "diffusion", "--cells", 60, 64, 68, "--decomposition", "4x4x4")

    def test_lbm(self):
        self.expect_traced(SLOW, "lbm", "--cells", 30, 32, 34, "--decomposition", "4x4x4")

    def test_airfoil(self):  # verified alone
        self.sent(SLOW, "airfoil", ["--cells", 60, 90], 1)

    def test_cholesky(self):
        self.expect_traced(FAST, "cholesky", "--size", 100, more=2 * LINE)

    def test_cholesky_by_blocks(self):
        self.expect_traced(FAST, "cholesky", "--size", 300, "--block", 4, more=4 * 3 * LINE)

    def test_hpl(self):  # verified alone: its row exchanges follow the pivots
        self.sent(FAST, "hpl", ["--size", 128, "--block", 8, "--grid", "8x8"], 1)


if __name__ == "__main__":
    unittest.main()
