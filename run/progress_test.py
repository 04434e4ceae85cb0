# SPDX-License-Identifier: MIT
"""The line that says what is being done, under a pseudo-terminal: there is one where a person looks
at a terminal, launched or not, and standard output, files and pipes never hold any of it."""
import fcntl
import os
import re
import select
import subprocess
import termios
import threading
import unittest

import command_test

PREDICT = ["predict", "diffusion", "--cells", 256, 256, 256, "--machine", "tsubame2.0", "--ranks",
           "1:3000:1"]
CLEARED = "\r\033[K"


class Terminal:
    """A pseudo-terminal as stderr and as the controlling terminal, on which processes in the
    background that write are stopped (stty tostop)."""

    def __init__(self):
        self.mine, self.theirs = os.openpty()
        modes = termios.tcgetattr(self.theirs)
        modes[3] |= termios.TOSTOP
        termios.tcsetattr(self.theirs, termios.TCSANOW, modes)
        self.parts = []

    def take_control(self):
        os.setsid()
        fcntl.ioctl(2, termios.TIOCSCTTY, 0)

    def read(self, ended):
        while not ended.is_set() or select.select([self.mine], [], [], 0)[0]:
            if select.select([self.mine], [], [], 0.1)[0]:
                self.parts.append(os.read(self.mine, 4096))

    def run(self, words, folder, patience_s):
        ended = threading.Event()
        reader = threading.Thread(target=self.read, args=[ended])
        reader.start()
        try:
            done = subprocess.run(words, cwd=folder, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=self.theirs, text=True,
                                  timeout=patience_s, preexec_fn=self.take_control)
        finally:
            ended.set()
            reader.join()
            os.close(self.mine)
            os.close(self.theirs)
        return done.returncode, done.stdout, b"".join(self.parts).decode()


class Progress(command_test.CommandTest):
    def on_terminal(self, *words, ranks=0):
        """Standard output, and what the terminal got."""
        status, printed, seen = Terminal().run(
            command_test.launched(ranks) + [command_test.PROGRAM, *map(str, words)], self.folder,
            self.patience_s)
        self.assertEqual(status, 0, printed + seen)
        return (printed.replace("\r\n", "\n"),
                re.sub(r"bellwether: (energy|SLOW BLAS): [^\r\n]*\r?\n", "", seen))

    def expect_line(self, seen, pattern):
        self.assertRegex(seen, r"\r\x1b\[K" + pattern + r"[^\n]*\r")
        self.assertTrue(seen.endswith(CLEARED), repr(seen[-80:]))
        self.assertNotIn("\n", seen)

    def expect_none(self, *words, ranks=0):
        """Standard output, where neither it nor stderr is a terminal."""
        done = self.run_command(*words, ranks=ranks)
        self.assertEqual((done.returncode, self.without_remarks(done.stderr)), (0, ""))
        self.assertNotIn("\r", done.stdout.replace("\r\n", ""))
        return done.stdout.replace("\r\n", "\n")

    def test_predict(self):
        for ranks in [0, 1]:
            with self.subTest(ranks=ranks):
                printed, seen = self.on_terminal(*PREDICT, ranks=ranks)
                self.expect_line(seen, "predicting rank counts: 0 of 3000")
                self.assertEqual(printed, self.expect_none(*PREDICT, ranks=ranks))

    def test_calibrate(self):
        words = ["calibrate", "--quick", "--time-budget", 2, "--largest-edge", 32,
                 "--largest-message", 4096, "--largest-memory", 32 << 20]
        printed, seen = self.on_terminal(*words, ranks=2)
        self.expect_line(seen, r"calibrating: \w+, round \d+: \d+ of \d+, about \d+ s left")
        self.assertIn("written to machine.json", printed)
        self.expect_none(*words)

    def test_run(self):
        words = ["run", "diffusion", "--cells", 16, 16, 16, "--steps", 50, "-o", "r.jsonl"]
        for ranks in [0, 2]:
            with self.subTest(ranks=ranks):
                printed, seen = self.on_terminal(*words, ranks=ranks)
                self.expect_line(seen, "diffusion 16x16x16 f32.*: .* of 50")
                self.assertNotRegex(printed, r"[\r\x1b]| of 50")
                self.assertNotIn(" of 50", (self.folder / "r.jsonl").read_text())
                alone = self.expect_none(*words, ranks=ranks)
                self.assertEqual(alone.split()[:2], printed.split()[:2])

    def test_a_long_step(self):
        words = ["run", "hpl", "--size", 1500, "--block", 64, "--overlap", "on"]
        for ranks in [0, 2]:
            with self.subTest(ranks=ranks):
                printed, seen = self.on_terminal(*words, ranks=ranks)
                self.expect_line(seen, r"\d+ %, (first panel|column \d+ of 1500, \S+ Gflop/s): hpl")
                self.assertNotRegex(printed, r"[\r\x1b]|column \d+ of")

    def test_off_and_on(self):
        printed, seen = self.on_terminal(*PREDICT, "--progress", "off")
        self.assertEqual(seen, "")
        done = self.run_command(*PREDICT, "--progress", "on")
        self.assertEqual(done.stdout, printed)
        self.assertRegex(done.stderr, r"^predicting rank counts: 0 of 3000\n")
        self.assertNotRegex(done.stderr, r"[\r\x1b]")
        self.expect_refusal(2, ["--progress", "always", "auto"], *PREDICT, "--progress", "always")


if __name__ == "__main__":
    unittest.main()
