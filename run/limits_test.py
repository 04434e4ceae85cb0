# SPDX-License-Identifier: MIT
"""What the system lets a process take: ulimits, and control groups' memory and CPU quotas, where this
machine lets some be made."""
import json
import os
import pathlib
import resource
import subprocess
import time
import unittest

import accept_test
import command_test

SMALL = ["run", "diffusion", "--cells", 16, 16, 16, "--overlap", "off", "--steps", 8]


def own_group(controller, limits):
    """A new control group with these limits in its files, of v1 or v2; None where none can be made."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, own = line.split(":", 2)
        if controller in controllers.split(","):
            root, version = pathlib.Path("/sys/fs/cgroup") / controllers, 1
        elif not controllers:
            root, version = pathlib.Path("/sys/fs/cgroup"), 2
        else:
            continue
        group = root / own.strip("/") / f"bellwether-test-{os.getpid()}"
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            for name, value in limits[version].items():
                (group / name).write_text(value)
            return group
        except OSError:
            group.rmdir()
    return None


class Limits(command_test.CommandTest):
    def limited(self, limits, *words, ranks=0):
        """Under ulimits, by their names in resource."""
        def limit():
            for name, value in limits.items():
                resource.setrlimit(getattr(resource, name), (value, value))
        return subprocess.run(command_test.launched(ranks) + [command_test.PROGRAM, *map(str, words)],
                              cwd=self.folder, capture_output=True, text=True, preexec_fn=limit,
                              timeout=self.patience_s)

    def grouped(self, controller, limits, *words, ranks=0):
        """In a control group of its own."""
        group = own_group(controller, limits)
        if group is None:
            self.skipTest(f"no control group with a limit of {controller} can be made here")
        self.addCleanup(self.remove, group)
        return subprocess.run(command_test.launched(ranks) + [command_test.PROGRAM, *map(str, words)],
                              cwd=self.folder, capture_output=True, text=True,
                              preexec_fn=lambda: (group / "cgroup.procs").write_text(str(os.getpid())),
                              timeout=self.patience_s)

    def remove(self, group):
        """Once what the launcher started there has ended."""
        deadline = time.monotonic() + 20
        while group.exists() and time.monotonic() < deadline:
            try:
                group.rmdir()
            except OSError:
                time.sleep(0.05)

    def refused(self, done, *patterns):
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        said = [line for line in self.without_remarks(done.stderr).splitlines() if line.startswith("bellwether: ")]
        self.assertEqual(len(said), 1, done.stderr)
        for pattern in patterns:
            self.assertRegex(said[0], pattern)


class Ulimit(Limits):
    limits = {"RLIMIT_AS": 1_500_000 << 10}

    def test_too_large_problems_are_refused_with_what_is_needed_and_allowed(self):
        allowed = r"\d\.\d\d GiB are available of the 1\.43 GiB that ulimit -v allows"
        self.refused(self.limited(self.limits, "run", "diffusion", "--cells", 600, 600, 600),
                     r"need 1\.6\d GiB", allowed)
        self.refused(self.limited(self.limits, "run", "hpl", "--size", 20000, "--block", 64),
                     r"need 3\.\d\d GiB", allowed)
        if os.environ["BELLWETHER_WITH_HYPRE"] == "1":
            self.refused(self.limited(self.limits, "run", "amg", "--cells", 200, 200, 200),
                         r"need \d\.\d\d GiB", allowed)
        self.refused(self.limited({"RLIMIT_DATA": 1 << 30}, "run", "lbm", "--cells", *[300] * 3),
                     r"available of the 1\.00 GiB that ulimit -d allows")

    def test_a_size_that_is_chosen_fits(self):
        done = self.limited({"RLIMIT_AS": 800 << 20}, "run", "hpl", "--size", "auto", "--block", 64,
                            "--overlap", "off", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        (record,) = json.loads(done.stdout)["records"]
        self.assertLess(8 * record["problem"]["size"] ** 2, 0.8 * (800 << 20))

    def test_what_is_not_foreseen_is_the_environment_too(self):
        """Reading a file that does not fit."""
        with open(self.folder / "machine.json", "w") as file:
            file.write("[" + "0," * (40 << 20) + "0]")
        self.refused(self.limited({"RLIMIT_AS": 300 << 20}, "machines", "machine.json"),
                     r"not enough memory: .* more are needed, and .* 0\.29 GiB that ulimit -v allows")


class MemoryGroup(Limits):
    limits = {1: {"memory.limit_in_bytes": "1073741824"}, 2: {"memory.max": "1073741824"}}

    def test_too_large_a_problem_is_refused(self):
        self.refused(self.grouped("memory", self.limits, "run", "hpl", "--size", 20000, "--block", 64),
                     r"need 3\.\d\d GiB", r"0\.\d\d GiB are available of the 1\.00 GiB that control group "
                     r"/\S*/bellwether-test-\d+ allows")

    def test_ranks_share_it(self):
        self.refused(self.grouped("memory", self.limits, "run", "lbm", "--cells", 280, 200, 200,
                                  "--precision", "f64", ranks=2),
                     r"of all its ranks need 1\.\d\d GiB", r"1\.00 GiB that control group")

    def test_a_size_that_is_chosen_fits(self):
        small = {1: {"memory.limit_in_bytes": str(48 << 20)}, 2: {"memory.max": str(48 << 20)}}
        done = self.grouped("memory", small, "run", "hpl", "--size", "auto", "--block", 128, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        records = json.loads(done.stdout)["records"]
        self.assertEqual([record["variant"]["overlap"] for record in records], ["off", "on"])
        for record in records:  # what the first one took is there for the second
            self.assertLessEqual(record["problem"]["size"], (0.8 * (48 << 20) / 8) ** 0.5)
            self.assertGreater(record["problem"]["size"], 1200)


class CpuGroup(Limits):
    limits = {1: {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "100000"},
              2: {"cpu.max": "100000 100000"}}

    def test_ranks_that_a_quota_is_too_little_for_are_said_first(self):
        done = self.grouped("cpu", self.limits, *SMALL, "-o", "r.jsonl", ranks=2)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "OVERSUBSCRIBED: 2 ranks have 1 CPU's time together by the quota "
                                      r"of control group /\S*/bellwether-test-\d+ of ")
        self.assertRegex(done.stdout, r"\A.*\nOVERSUBSCRIBED: ")
        (record,) = self.records("r.jsonl")
        self.assertTrue(record["oversubscribed"])

    def test_the_preflight_says_it(self):
        (self.folder / "tiny.json").write_text(json.dumps(accept_test.SUITE))
        done = self.grouped("cpu", self.limits, "accept", "--suite", "tiny.json", "--preflight", "-o",
                            "out", ranks=2)
        self.assertIn("note: OVERSUBSCRIBED: 2 ranks have 1 CPU's time together", done.stdout)

    def test_throttling_is_counted(self):
        tenth = {1: {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "10000"},
                 2: {"cpu.max": "10000 100000"}}
        done = self.grouped("cpu", tenth, "run", "diffusion", "--cells", *[48] * 3, "--overlap", "off",
                            "--time-budget", 0.5, "-o", "r.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\nTHROTTLED: a CPU quota of 0\.1 stopped rank 0 and its control "
                                      r"group in \d+ of \d+ periods, for \d+\.\d\d s;")
        throttled = self.records("r.jsonl")[0]["throttled"]
        self.assertGreater(throttled["throttled_periods"], 0)
        self.assertGreater(throttled["seconds"], 0)

    def test_a_quota_that_is_enough_is_not_mentioned(self):
        plenty = {1: {"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "6400000"},
                  2: {"cpu.max": "6400000 100000"}}
        done = self.grouped("cpu", plenty, *SMALL)
        self.assertEqual((done.returncode, self.without_remarks(done.stderr)), (0, ""))
        self.assertNotIn("THROTTLED", done.stdout)


class Threads(Limits):
    def test_more_of_them_than_cores_is_said(self):
        many = 8 * len(os.sched_getaffinity(0))
        done = self.run_command("run", "hpl", "--size", 200, "--block", 32, "--threads", many, "-o",
                                "r.jsonl")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, f"OVERSUBSCRIBED: 1 rank with {many} threads on ")
        self.assertTrue(self.records("r.jsonl")[0]["oversubscribed"])
        one = self.run_command("run", "hpl", "--size", 200, "--block", 32, "--threads", 1)
        self.assertNotIn("OVERSUBSCRIBED", one.stderr + one.stdout)


if __name__ == "__main__":
    unittest.main()
