# SPDX-License-Identifier: MIT
"""Ranks that stop answering or die, and signals, in the middle of a run: the launcher's exit status,
one line that says where it happened, whole records on disk, and no process left."""
import os
import pathlib
import signal
import subprocess
import tempfile
import time
import unittest

import command_test

RANKS = 2
WHERE = r"in phase [a-z][a-z_. ]*, step [0-9]+"


def ranks_of(launcher):
    """The launcher's children that run the command."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue  # it has ended meanwhile
        if parent == launcher and words[0] == command_test.PROGRAM.encode():
            found.append(int(entry.name))
    return sorted(found)


def is_left(pid):
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


class Faults(command_test.CommandTest):
    def end_by(self, strike, records=2):
        """Starts a run of many cases, strikes once so many are on disk, and returns the launcher's
        exit status and the command's lines. No rank is left."""
        results = pathlib.Path(tempfile.mkstemp(dir=self.folder)[1])
        launcher = subprocess.Popen(
            command_test.launched(RANKS) + [
                command_test.PROGRAM, "run", "diffusion", "--cells", "24", "24", "24", "--steps",
                "2000", "--repeats", "1000", "--stall-limit", "2", "-o", str(results)],
            cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        ranks = []
        try:
            deadline = time.monotonic() + 30
            while len(ranks) < RANKS or results.read_text().count("\n") < records:
                self.assertIsNone(launcher.poll(), "ended before it was struck")
                self.assertLess(time.monotonic(), deadline, "no records")
                ranks = ranks_of(launcher.pid)
            strike(launcher.pid, ranks)
            said = launcher.communicate(timeout=20)[1]
            deadline = time.monotonic() + 10
            while (left := [pid for pid in ranks if is_left(pid)]):
                self.assertLess(time.monotonic(), deadline, f"left running: {left}")
                time.sleep(0.05)
        finally:
            for pid in [launcher.pid, *ranks]:
                if is_left(pid):
                    os.kill(pid, signal.SIGKILL)
            launcher.wait()
            launcher.stderr.close()
        self.assertGreaterEqual(len(self.records(results.name)), records)
        return launcher.returncode, [line for line in self.without_remarks(said).splitlines()
                                     if line.startswith("bellwether: ")]

    def test_a_rank_that_stops_answering(self):
        for rank in range(RANKS):
            status, (line,) = self.end_by(lambda _, pids: os.kill(pids[rank], signal.SIGSTOP))
            self.assertEqual(status, 5)
            self.assertRegex(line, rf"rank {rank} \(host \S+\) stopped answering for ([2-9]|[1-9][0-9]+) s "
                                   rf"{WHERE}; the run ends here, finished records are on disk")

    def test_a_rank_that_dies(self):
        status, (line,) = self.end_by(lambda _, pids: os.kill(pids[1], signal.SIGKILL))
        self.assertIn(status, [5, 128 + signal.SIGKILL])  # the launcher's way to report a signal
        self.assertRegex(line, rf"rank 1 \(host \S+\) died {WHERE}; the run ends here, "
                               r"finished records are on disk")

    def test_a_rank_that_stops_as_mpi_starts(self):
        for rank in range(RANKS):
            status, (line,) = self.end_by(lambda _, pids: os.kill(pids[rank], signal.SIGSTOP), records=0)
            self.assertEqual(status, 5)
            self.assertRegex(line, rf"rank {rank} \(host \S+\) stopped answering for ([2-9]|[1-9][0-9]+) s "
                                   r"in phase MPI_Init, step 0; the run ends here")

    def test_signals_to_the_launcher(self):
        # SIGUSR1 and SIGUSR2 it passes on. Of others Open MPI 4's says 1, whatever its ranks say.
        for number, statuses in [(signal.SIGTERM, [1, 5]), (signal.SIGINT, [1, 5]), (signal.SIGUSR1, [5])]:
            with self.subTest(number=number):
                status, (line,) = self.end_by(lambda launcher, _: os.kill(launcher, number))
                self.assertIn(status, statuses)
                # To its ranks it sends SIGTERM, whatever it got itself.
                self.assertRegex(line, rf"ended by SIG(TERM|USR[12]) {WHERE} \(rank [01], host \S+\); "
                                       r"finished records are on disk")

    def test_no_rank_outlives_its_launcher(self):
        self.end_by(lambda launcher, _: os.kill(launcher, signal.SIGKILL))


if __name__ == "__main__":
    unittest.main()
