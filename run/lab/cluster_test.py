# SPDX-License-Identifier: MIT
"""The cluster in a box: what its nodes look like to the program, that its links have their rates, and
that it leaves nothing behind however it ends. Skipped (77), with the reason, where namespaces cannot
be made."""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time
import unittest
import uuid
from unittest import mock

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import command_test  # noqa: E402
from box import links, nodes  # noqa: E402

CLUSTER = str(HERE / "cluster")


def words(box, command):
    return [CLUSTER, *map(str, box), "--timeout", "60", "--", *map(str, command)]


def host_state():
    """What a box must leave as it is: links, addresses, routes, queues, named namespaces, mounts,
    and the files that Open MPI keeps while it runs."""
    told = [subprocess.run(command, capture_output=True, text=True).stdout
            for command in (["ip", "-o", "link"], ["ip", "-o", "address"], ["ip", "route"],
                            ["tc", "qdisc"], ["ip", "netns", "list"])]
    mounts = pathlib.Path("/proc/self/mountinfo").read_text()
    files = [sorted(path.name for folder in ("/tmp", "/dev/shm")
                    for path in pathlib.Path(folder).glob("ompi.node*"))]
    return told + [mounts, files, os.uname().nodename]


def processes_with(mark):
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes())
        except OSError:
            continue  # it has ended meanwhile
    return found


class Arithmetic(unittest.TestCase):
    def test_rates(self):
        self.assertEqual(links.bits_per_s("1gbit"), 1_000_000_000)
        self.assertEqual(links.bits_per_s("0.2Gbit"), 200_000_000)
        for wrong in ("1", "gbit", "1gb", "-1gbit", "1kbit", "nan", ""):
            self.assertRaises(ValueError, links.bits_per_s, wrong)

    def test_headers_take_their_share(self):
        # 9014 bytes a packet, 8948 of them the message's; 1514 and 1448 on a slow link.
        self.assertAlmostEqual(links.payload_bytes_per_s(1e9), 125e6 * 8948 / 9014)
        self.assertAlmostEqual(links.payload_bytes_per_s(1e8), 12.5e6 * 1448 / 1514)

    def test_a_bucket_holds_three_packets_of_72_us(self):
        self.assertEqual(links.burst_bytes(1_000_000), 3 * 1514)
        self.assertEqual(links.burst_bytes(1_000_000_000), 3 * 9014)
        self.assertEqual(links.burst_bytes(5_000_000_000), 3 * 45_014)
        self.assertEqual(links.burst_bytes(100_000_000_000), 3 * 65_014)

    def test_each_node_has_its_own_cores(self):
        self.assertEqual(nodes.shares([0, 1, 2, 3], 2), [[0, 1], [2, 3]])
        self.assertEqual(nodes.shares([4, 6, 7], 2), [[4], [6]])
        self.assertEqual(nodes.shares([0, 1], 4), [[0], [1], [0], [1]])


class Refusals(unittest.TestCase):
    def refusal(self, status, pattern, *box, **how):
        done = subprocess.run([sys.executable, CLUSTER, *box], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL, timeout=30, **how)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertEqual(done.stdout, "")

    def test_unusable_options(self):
        self.refusal(2, "--nodes", "--", "true")
        self.refusal(2, "--nodes", "--nodes", "0", "--", "true")
        self.refusal(2, "--rate", "--nodes", "2", "--rate", "fast", "--", "true")
        self.refusal(2, "--delay", "--nodes", "2", "--delay", "50", "--", "true")
        self.refusal(2, "--burst", "--nodes", "2", "--burst", "100", "--rate", "1gbit",
                     "--", "true")
        self.refusal(2, "--slow", "--nodes", "2", "--slow", "node1=fast", "--", "true")
        self.refusal(2, "--slow: found node2", "--nodes", "2", "--slow", "node2=1gbit", "--", "true")
        self.refusal(2, "--load", "--nodes", "2", "--load", "node1=1.5", "--", "true")
        self.refusal(2, "--loss", "--nodes", "2", "--loss", "node1=1", "--", "true")
        self.refusal(2, "no command", "--nodes", "2")
        self.refusal(2, "--timeout", "--nodes", "2", "--timeout", "0", "--", "true")

    def test_needs_root(self):
        loader = importlib.machinery.SourceFileLoader("cluster", CLUSTER)
        cluster = importlib.util.module_from_spec(importlib.util.spec_from_loader(
            "cluster", loader))
        loader.exec_module(cluster)
        with mock.patch("os.geteuid", return_value=1000), \
                self.assertRaisesRegex(links.NotHere, "needs root"):
            cluster.require(None)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root and setpriv")
    def test_needs_namespaces(self):
        done = subprocess.run(["setpriv", "--bounding-set=-sys_admin", sys.executable, CLUSTER,
                               "--nodes", "2", "--", "true"],
                              capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, "namespaces.*CAP_SYS_ADMIN.*not permitted")

    @unittest.skipUnless(os.geteuid() == 0, "without root that is what is missing")
    def test_names_the_tool_that_is_missing(self):
        self.refusal(3, "needs ip .*iproute2", "--nodes", "2", "--", "true",
                     env={**os.environ, "PATH": "/nowhere"})


class Box(command_test.CommandTest):
    def setUp(self):
        super().setUp()
        self.mark = f"BELLWETHER_TEST_{uuid.uuid4().hex}=1"
        self.environment = {**os.environ, **dict([self.mark.split("=")])}

    def start(self, box, *command):
        return subprocess.Popen(words(box, command), cwd=self.folder, env=self.environment,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def finish(self, process):
        out, said = process.communicate(timeout=90)
        return process.returncode, out, said

    def diffusion(self, box, cells, *options):
        status, out, said = self.finish(self.start(
            box, command_test.PROGRAM, "run", "diffusion", "--cells", *cells, "--steps", 3,
            "--json", *options))
        self.assertEqual(status, 0, said)
        return json.loads(out)["records"]

    def expect_nothing_left(self, before):
        deadline = time.monotonic() + 5
        while (left := processes_with(self.mark)) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(left, [])
        self.assertEqual(host_state(), before)

    def test_nodes_are_distinct_and_the_solution_right(self):
        for count in (2, 4):
            for record in self.diffusion(["--nodes", count], [12, 10, 16]):
                layout = record["provenance"]["layout"]
                self.assertEqual(layout["hosts"], [f"node{node}" for node in range(count)])
                self.assertEqual((layout["nodes"], layout["ranks_per_node"]), (count, 1))
                self.assertEqual(layout["nodes_per_kernel"], count)
                self.assertTrue(record["verification"]["passed"])

    def test_ranks_of_a_node_share_it(self):
        record = self.diffusion(["--nodes", 2, "--ranks-per-node", 2], [12, 10, 16])[0]
        layout = record["provenance"]["layout"]
        self.assertEqual(layout["hosts"], ["node0", "node0", "node1", "node1"])
        self.assertEqual((layout["nodes"], layout["ranks_per_node"]), (2, 2))
        self.assertTrue(record["verification"]["passed"])

    def test_a_link_has_its_rate(self):
        # Two faces of 64 x 64 values of 8 bytes each way, less a bucket each; never faster.
        box = ["--nodes", 2, "--rate", "10mbit", "--burst", 4000]
        record = self.diffusion(box, [64, 64, 8], "--precision", "f64", "--overlap", "off",
                                "--decomposition", "1x1x2")[0]
        least = (2 * 64 * 64 * 8 - 2 * 4000) / links.payload_bytes_per_s(10e6)
        network = record["measured"]["terms"]["network"]["median"]
        self.assertGreater(network, 0.95 * least)
        self.assertLess(network, 2 * least)

    def test_the_exit_status_is_the_commands(self):
        before = host_state()
        status, out, said = self.finish(self.start(
            ["--nodes", 2], command_test.PROGRAM, "run", "diffusion", "--cells", 0, 8, 8))
        self.assertEqual((status, out), (2, ""), said)
        self.assertIn("bellwether: ", said)
        self.expect_nothing_left(before)

    def test_ends_when_told_to_and_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            before = host_state()
            process = self.start(["--nodes", 2, "--rate", "1gbit"], command_test.PROGRAM, "run",
                                 "diffusion", "--cells", 24, 24, 24, "--repeats", 1000,
                                 "-o", f"{number}.jsonl")
            deadline = time.monotonic() + 60
            results = self.folder / f"{number}.jsonl"
            while not (results.exists() and results.read_text().count("\n") >= 1):
                self.assertIsNone(process.poll(), "ended before it was struck")
                self.assertLess(time.monotonic(), deadline, "no records")
                time.sleep(0.05)
            process.send_signal(number)
            status, _, said = self.finish(process)
            self.assertEqual(status, -9 if number == signal.SIGKILL else 128 + number, said)
            self.expect_nothing_left(before)

    def test_two_at_once(self):
        before = host_state()
        command = [command_test.PROGRAM, "run", "diffusion", "--cells", 12, 10, 16, "--steps", 200,
                   "--overlap", "off", "--json"]
        both = [self.start(["--nodes", 2, "--rate", "1gbit"], *command) for _ in range(2)]
        for status, out, said in map(self.finish, both):
            self.assertEqual(status, 0, said)
            self.assertTrue(json.loads(out)["records"][0]["verification"]["passed"])
        self.expect_nothing_left(before)


def why_not():
    """Why a box cannot be made here; empty if it can."""
    tried = subprocess.run(words(["--nodes", "2", "--rate", "1gbit"], ["true"]),
                           capture_output=True, text=True, timeout=60)
    return tried.stderr.strip() if tried.returncode == 3 else ""


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    reason = why_not()
    if reason:
        arithmetic = unittest.defaultTestLoader.loadTestsFromNames(
            ["Arithmetic", "Refusals"], sys.modules[__name__])
        passed = unittest.TextTestRunner().run(arithmetic).wasSuccessful()
        print(f"SKIPPED, the box itself: {reason}")
        sys.exit(77 if passed else 1)
    unittest.main()
