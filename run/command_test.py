# SPDX-License-Identifier: MIT
"""What the tests of the command share: running it, alone or under the launcher, in a folder of its
own. ctest gives the program and the launcher in the environment (run/tests.cmake)."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import jsonschema

PROGRAM = os.environ["BELLWETHER_PROGRAM"]
LAUNCHER = os.environ["BELLWETHER_LAUNCHER"].split()  # its last word is replaced by the ranks


def launched(ranks):
    """The words before the command's own: none for one process without a launcher."""
    return [] if ranks == 0 else LAUNCHER[:-1] + [str(ranks)]


class CommandTest(unittest.TestCase):
    maxDiff = None
    patience_s = 240  # as the launcher

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bellwether-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_command(self, *words, ranks=0):
        return subprocess.run(
            launched(ranks) + [PROGRAM, *map(str, words)],
            cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s)

    @staticmethod
    def without_remarks(stderr):
        """All of it but for what is said of this machine: energy that it does not count, a BLAS that does
        not know it."""
        return re.sub(r"(?m)^bellwether: (energy|SLOW BLAS): .*\n", "", stderr)

    def expect_success(self, *words, ranks=0):
        """Its standard output, if it went well."""
        done = self.run_command(*words, ranks=ranks)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def expect_json(self, *words, ranks=0):
        """json.loads refuses anything before or after the one document."""
        return json.loads(self.expect_success(*words, "--json", ranks=ranks))

    def expect_refusal(self, status, patterns, *words, ranks=0):
        """The exit status, and one line of the command's that has all the patterns."""
        done = self.run_command(*words, ranks=ranks)
        said = [line for line in self.without_remarks(done.stderr).splitlines() if line.startswith("bellwether: ")]
        told = f"{' '.join(map(str, words))}\n{done.stdout}{done.stderr}"
        self.assertEqual(done.returncode, status, told)
        self.assertEqual(len(said), 1, told)
        for pattern in patterns:
            self.assertTrue(re.search(pattern, said[0]), f"{pattern} is not in: {said[0]}")
        self.assertEqual(done.stdout, "", told)

    def refusal_where_one_rank_lacks(self, name, content, *words):
        """Of two ranks the first alone finds the file: the one line that both say of it."""
        folders = [self.folder / "with", self.folder / "without"]
        for folder in folders:
            folder.mkdir()
        (folders[0] / name).write_bytes(content)
        command = [PROGRAM, *map(str, words)]
        done = subprocess.run(
            launched(1) + ["--wdir", folders[0], *command, ":",
                           "-n", "1", "--wdir", folders[1], *command],
            capture_output=True, text=True, timeout=self.patience_s)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        said = [line for line in self.without_remarks(done.stderr).splitlines() if line.startswith("bellwether: ")]
        self.assertEqual(len(said), 1, done.stderr)
        return said[0]

    def expect_published(self, document, name):
        """The document is as a schema below results/ says."""
        schema = json.loads((pathlib.Path(__file__).parents[1] / "results" / name).read_text())
        jsonschema.Draft7Validator.check_schema(schema)
        jsonschema.validate(document, schema)

    def records(self, name):
        """The records in a results file, every line whole."""
        text = (self.folder / name).read_text()
        self.assertTrue(text == "" or text.endswith("\n"), "the last line has no end")
        return [json.loads(line) for line in text.splitlines()]
