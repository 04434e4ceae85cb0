# SPDX-License-Identifier: MIT
"""`cmake --install` into a folder of its own, which is then moved: the command works from there, where it
can be done with the source tree and the build out of sight, and what people read, edit and submit is
beside it."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

import command_test
import run_paths_test

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ["BELLWETHER_BUILD"]).resolve()


def can_hide():
    """Whether a process may have mounts of its own."""
    try:
        return subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"],
                              capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


HIDE = ["unshare", "--mount", "sh", "-c",
        'for hidden in "$0" "$1"; do [ ! -d "$hidden" ] || mount -t tmpfs none "$hidden" || exit 99; done;'
        ' shift; exec "$@"', BUILD, ROOT] if can_hide() else []


class Installed(command_test.CommandTest):
    @classmethod
    def setUpClass(cls):
        cls.place = pathlib.Path(tempfile.mkdtemp(prefix="bellwether-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.place)
        for component in ("command", "models"):
            subprocess.run([os.environ["BELLWETHER_CMAKE"], "--install", BUILD, "--prefix",
                            cls.place / "prefix", "--component", component],
                           check=True, capture_output=True, text=True)
        cls.prefix = (cls.place / "prefix").rename(cls.place / "moved")

    def run_command(self, *words, ranks=0):
        return subprocess.run(
            [*HIDE, *command_test.launched(ranks), self.prefix / "bin" / "bellwether", *map(str, words)],
            cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s)

    def test_predicts_on_a_shipped_machine(self):
        document = self.expect_json("predict", "diffusion", "--cells", 512, 512, 512, "--machine",
                                    "tsubame2.0", "--ranks", "1:64")
        self.assertEqual(document["machine"], "tsubame2.0")
        said = self.expect_success("machines")
        shipped = self.prefix / "share" / "bellwether" / "machines"
        names = {file.stem for file in shipped.glob("*.json")}
        self.assertGreater(len(names), 8)
        for name in names:
            self.assertIn(name, said)
            self.assertEqual(json.loads((shipped / f"{name}.json").read_text())["name"], name)

    def test_a_suite_by_name_and_by_file(self):
        (self.folder / "file.json").write_bytes(
            (self.prefix / "share/bellwether/suites/quick.json").read_bytes())
        for suite in ("quick", "file.json"):
            done = self.run_command("accept", "--preflight", "--suite", suite, "-o", "out", ranks=2)
            # The machine may lack memory for it, which is then said of its cases.
            self.assertIn(done.returncode, (0, 3), done.stdout + done.stderr)
            self.assertRegex(done.stdout, "preflight: suite quick")

    def test_runs_and_reports(self):
        self.expect_success("run", "diffusion", "--cells", 12, 12, 24, "--steps", 5, "--overlap", "off",
                            "--machine", "tsubame2.0", "-o", "results.jsonl", ranks=2)
        done = self.run_command("report", "results.jsonl", "-o", "report.html")
        if done.returncode == 3:
            self.assertRegex(done.stderr, "matplotlib|jinja2")
        else:
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("diffusion", (self.folder / "report.html").read_text(encoding="utf-8"))

    def test_its_libraries_are_its_own(self):
        said = subprocess.run(["ldd", self.prefix / "bin" / "bellwether"], check=True,
                              capture_output=True, text=True).stdout
        own = re.findall(r"(libbellwether_\w+\.so) => (\S+)", said)
        self.assertIn("libbellwether_kernels.so", dict(own))
        for _, path in own:
            self.assertTrue(pathlib.Path(path).is_relative_to(self.prefix), path)

    def test_no_library_of_the_working_directory(self):
        count, wrong = run_paths_test.unsafe(self.prefix)
        self.assertGreater(count, 1)
        self.assertEqual(wrong, {})

    def test_what_is_beside_it(self):
        data, documents = self.prefix / "share" / "bellwether", self.prefix / "share/doc/bellwether"
        for room, pattern in [("run/suites", "*.json"), ("run/batch", "*"), ("run/reframe", "*.py")]:
            for file in (ROOT / room).glob(pattern):
                self.assertEqual((data / file.relative_to(ROOT / "run")).read_bytes(), file.read_bytes())
        self.assertTrue(os.access(data / "batch" / "slurm.sh", os.R_OK))
        for name in ["comparison.schema.json", "fleet.schema.json", "history.schema.json", "machine.schema.json",
                     "record.schema.json", "residuals.json", "study.schema.json", "verdict.schema.json"]:
            json.loads((data / name).read_text())
        # Documents lead to one another as they do in the source tree.
        count = 0
        for path in documents.rglob("*.md"):
            for link in re.findall(r"\]\(([^)\s#]+\.md)[)#]", path.read_text()):
                if not link.startswith("http"):
                    self.assertTrue((path.parent / link).exists(), f"{path}: {link}")
                    count += 1
        self.assertGreater(count, 20)
        self.assertTrue((documents / "LICENSE").exists())
        self.assertRegex((data / "modulefile.lua").read_text(), r'local prefix = "/\S+"')
        if shutil.which("help2man"):
            pages = self.prefix / "share/man/man1"
            self.assertIn("mini\\-app", (pages / "bellwether.1").read_text())
            self.assertIn("\\-\\-overlap", (pages / "bellwether-run-lbm.1").read_text())

    def test_completion(self):
        file = self.prefix / "share/bash-completion/completions/bellwether"
        program = self.prefix / "bin" / "bellwether"
        for words, expected in [(["ru"], "run"), (["run", "ch"], "cholesky"), (["fleet", ""], "plan judge"),
                                (["run", "lbm", "--prec"], "--precision"),
                                (["run", "lbm", "--precision", "f"], "f32 f64"),
                                (["run", "lbm", "--cells", "8", "8", "8", "--over"], "--overlap")]:
            done = subprocess.run(
                ["bash", "-c", 'source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                 '_bellwether "$1" "${@: -1}" "${@: -2:1}"; echo "${COMPREPLY[*]}"',
                 file, program, *words], check=True, capture_output=True, text=True)
            self.assertEqual(done.stdout.strip(), expected, words)
        self.assertTrue((self.prefix / "include/bellwether/models/machine/machine_file.hpp").exists())
        self.assertTrue(list(self.prefix.glob("lib*/**/bellwetherConfig.cmake")))


if __name__ == "__main__":
    unittest.main()
