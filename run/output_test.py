# SPDX-License-Identifier: MIT
"""What the command writes where it cannot be written, where others write too, and where others have left
something: exit status 2 and why, the old file or the new, and nothing of others runs or is overwritten."""
import fcntl
import json
import os
import pathlib
import resource
import signal
import stat
import subprocess
import unittest

import command_test
import install_test
import test_vtk_file

ROOT = pathlib.Path(__file__).resolve().parents[1]
MACHINE = ROOT / "models" / "machines" / "tsubame2.0.json"
PREDICT = ["predict", "diffusion", "--cells", 64, 64, 64, "--machine", "tsubame2.0", "--ranks", "1:4"]
EXPORT = ["export", "--format", "extra-p"]
RUN = ["run", "diffusion", "--cells", 8, 8, 8, "--steps", 2, "--overlap", "off"]
LBM = ["run", "lbm", "--cells", 12, 10, 8, "--steps", 2, "--overlap", "off"]
AIRFOIL = ["run", "airfoil", "--cells", 40, 40, "--iterations", 2, "--overlap", "off"]
TIMES = "n,ranks,seconds\n" + "".join(
    f"{n},{ranks},{1e-4 * n / ranks + 1e-3 * ranks}\n" for n in (100, 200, 400) for ranks in (1, 2, 4, 8))
LOST = "bellwether: standard output cannot be written: "


class OutputTest(command_test.CommandTest):
    def run_with(self, *words, ranks=0, **how):
        how = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, **how}
        return subprocess.run(command_test.launched(ranks) + [command_test.PROGRAM, *map(str, words)],
                              cwd=self.folder, text=True, timeout=self.patience_s, check=False, **how)

    def left(self):
        return sorted(path.name for path in self.folder.iterdir())


class StandardOutput(OutputTest):
    def verbs(self):
        (self.folder / "times.csv").write_text(TIMES)
        self.expect_success(*RUN, "-o", "results.jsonl")
        return [["--version"], ["--help"], ["machines"], ["machines", "tsubame2.0", "--json"],
                ["reproduce", "orii", "--json"], ["compare", MACHINE, MACHINE], ["compare", "results.jsonl", "results.jsonl", "--json"],
                PREDICT, [*PREDICT[:-1], "1:4096", "--json"], [*EXPORT, "times.csv"],
                ["fit", "times.csv"],
                ["mesh", "airfoil", "--cells", 4, 4, "-o", "mesh.dat"],
                ["trace", "diffusion", "--cells", 8, 8, 8, "--machine", "tsubame2.0", "--ranks", 2, "-o", "t"],
                RUN, [*RUN, "--json"],
                ["microbench", "--benchmark_filter=^launch/items:1/", "--benchmark_min_time=0.01"]]

    def test_a_full_disk_is_told_by_every_verb(self):
        for words in self.verbs():
            with self.subTest(words=words), open("/dev/full", "w") as full:
                done = self.run_with(*words, stdout=full)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertIn(LOST + "No space left on device\n", done.stderr)

    def test_one_that_is_closed_too_and_no_file_takes_its_place(self):
        for words in [["machines"], [*RUN, "--json", "-o", "kept.jsonl"]]:
            done = self.run_with(*words, stdout=None, preexec_fn=lambda: os.close(1))
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(LOST + "Bad file descriptor\n", done.stderr)
        self.assertEqual(len(self.records("kept.jsonl")), 1)

    def test_what_fails_besides_is_told_first(self):
        with open("/dev/full", "w") as full:
            done = self.run_with("machines", "none", stdout=full)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("standard output", done.stderr)

    def test_a_reader_that_wants_no_more_is_no_fault(self):
        for heeded in (True, False):
            reading, writing = os.pipe()
            os.close(reading)
            done = self.run_with(*PREDICT[:-1], "1:4096", "--json", stdout=writing,
                                 restore_signals=False, preexec_fn=lambda: signal.signal(
                                     signal.SIGPIPE, signal.SIG_DFL if heeded else signal.SIG_IGN))
            os.close(writing)
            self.assertEqual(done.stderr, "")
            self.assertEqual(done.returncode, -signal.SIGPIPE if heeded else 0)

    def test_no_control_character_of_a_file_passes(self):
        machine = json.loads(MACHINE.read_text())
        machine["name"] = machine["description"] = "\x1b[31mred\x1b[m\r\x7f\x9b1m\u202ename"
        (self.folder / "m.json").write_text(json.dumps(machine))
        machine["\x1b[2J"] = 1
        (self.folder / "bad.json").write_text(json.dumps(machine, ensure_ascii=False))
        for words in [["machines", "m.json"], ["machines", "m.json", "--json"], ["machines", "bad.json"],
                      ["machines", "\x1b[2J"], ["compare", "m.json", MACHINE], ["run", "\x1b[2J"],
                      [*PREDICT[:6], "--machine", "m.json", "--ranks", 2]]:
            done = self.run_with(*words)
            said = done.stdout + done.stderr
            self.assertRegex(said, r"\\u00(1b|9b)\[?")
            self.assertNotRegex(said, "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]")
        printed = json.loads(self.run_with("machines", "m.json", "--json").stdout)
        self.assertTrue(printed["name"].startswith("\x1b[31mred"))


class Files(OutputTest):
    def test_a_limit_of_a_files_size_keeps_the_old_and_leaves_no_part(self):
        (self.folder / "out").mkdir()
        most = 8 << 20  # more than MPI's own files have
        limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))}
        mesh = ["mesh", "airfoil", "--cells", 240, 180]
        lbm = ["run", "lbm", "--cells", 64, 64, 160, *LBM[6:]]
        airfoil = ["run", "airfoil", "--cells", 200, 180, *AIRFOIL[5:]]
        for name, words, ranks in [("q.dat", mesh, 0), ("q.h5", mesh, 2), ("a.vti", lbm, 0),
                                   ("a.vtu", airfoil, 2)]:
            if name == "q.h5" and os.environ.get("BELLWETHER_WITH_HDF5") != "1":
                continue
            with self.subTest(name=name, ranks=ranks):
                path = self.folder / "out" / name
                path.write_text("old")
                done = self.run_with(*words, "--output", f"out/{name}", ranks=ranks, **limited)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                said = [line for line in self.without_remarks(done.stderr).splitlines()
                        if line.startswith("bellwether: ")]
                self.assertEqual(len(said), 1, done.stderr)
                self.assertIn(f"file 'out/{name}' cannot be written: File too large", said[0])
                self.assertEqual(path.read_text(), "old")
                self.assertEqual(os.listdir(path.parent), [name])
                path.unlink()

    def test_a_full_disk_of_pictures(self):
        if not install_test.HIDE:
            self.skipTest("no mounts of its own")
        (self.folder / "s").mkdir()
        script = ('mount -t tmpfs -o size=32k tmpfs s && printf old >"s/$0" && { "$@"; status=$?; }; '
                  'cat "s/$0" && ls -A s && exit $status')
        for words, name in [(["run", "lbm", "--cells", 32, 32, 32, *LBM[6:]], "a.vti"), (AIRFOIL, "a.vtu")]:
            for ranks in (1, 2):
                done = subprocess.run(
                    ["unshare", "--mount", "sh", "-c", script, name, *command_test.launched(ranks),
                     command_test.PROGRAM, *map(str, words), "--output", f"s/{name}"],
                    cwd=self.folder, capture_output=True, text=True, timeout=self.patience_s, check=False)
                self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
                self.assertIn(f"file 's/{name}' cannot be written: No space left on device", done.stderr)
                self.assertTrue(done.stdout.endswith(f"old{name}\n"), done.stdout)

    def test_a_device_is_written_to(self):
        (self.folder / "times.csv").write_text(TIMES)
        self.expect_refusal(2, ["/dev/full: cannot be written: No space left"], *EXPORT, "times.csv",
                            "-o", "/dev/full")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        self.assertEqual(self.expect_success(*EXPORT, "times.csv", "-o", "/dev/stdout"),
                         self.expect_success(*EXPORT, "times.csv"))
        self.expect_refusal(2, ["/dev/full", "no regular file"], "mesh", "airfoil", "--cells", 4, 4, "-o",
                            "/dev/full")

    def test_no_link_of_others_is_followed(self):
        (self.folder / "times.csv").write_text(TIMES)
        (self.folder / "victim").write_text("precious")
        (self.folder / "shared").mkdir()
        names = ["o.csv", "o.csv.tmp", "o.csv.part", "q.dat.part", "a.vti.part"]
        names += [f"{name}.{os.getpid() + i}.tmp" for name in ("o.csv", "q.dat", "a.vti") for i in range(40)]
        for name in names:
            (self.folder / "shared" / name).symlink_to("../victim")
        self.expect_success(*EXPORT, "times.csv", "-o", "shared/o.csv")
        self.expect_success("mesh", "airfoil", "--cells", 4, 4, "-o", "shared/q.dat")
        self.expect_success(*LBM, "-o", "shared/a.vti")
        self.assertEqual((self.folder / "victim").read_text(), "precious")
        self.assertTrue((self.folder / "shared" / "o.csv").read_text().startswith('{"callpath"'))
        self.assertFalse((self.folder / "shared" / "o.csv").is_symlink())

    def test_a_trace_overwrites_nothing(self):
        words = ["trace", "diffusion", "--cells", 8, 8, 8, "--machine", "tsubame2.0", "--ranks", 4, "-o", "t"]
        done = self.run_with(*words, "--steps", 200, preexec_fn=lambda: resource.setrlimit(
            resource.RLIMIT_FSIZE, (8192, 8192)))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("rank0.txt: cannot be written: File too large", done.stderr)
        self.assertEqual(os.listdir(self.folder / "t"), [])


class AtOnce(OutputTest):
    def test_one_picture_of_two_whole(self):
        for _ in range(2):
            running = [subprocess.Popen(
                [command_test.PROGRAM, "run", "airfoil", "--cells", *cells, "--iterations", "20", "--overlap",
                 "off", "--output", "same.vtu"], cwd=self.folder, stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE, text=True) for cells in (["60", "60"], ["80", "40"])]
            for one in running:
                said = one.communicate(timeout=self.patience_s)[1]
                self.assertIn(one.returncode, (0, 2), said)
                if one.returncode == 2:
                    self.assertIn("another program has written it since", said)
            _, cells, _ = test_vtk_file.read_grid(self.folder / "same.vtu")
            self.assertIn(len(cells), (3 * 60 * 60, 3 * 80 * 40))
            self.assertEqual(self.left(), ["same.vtu"])

    def test_an_acceptance_has_its_folder_alone(self):
        (self.folder / "accs").mkdir()
        folder = os.open(self.folder / "accs", os.O_RDONLY)
        fcntl.flock(folder, fcntl.LOCK_EX)
        self.expect_refusal(2, ["-o: another acceptance is at work in 'accs'"], "accept", "-o", "accs")
        os.close(folder)
        self.assertEqual(os.listdir(self.folder / "accs"), [])

    def test_an_acceptance_that_cannot_begin_leaves_its_folder_as_it_was(self):
        for there in (False, True):
            if there:
                (self.folder / "accs").mkdir()
            done = self.run_command("accept", "-o", "accs", "--time-limit", 1)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertEqual(self.left(), ["accs"] if there else [])
            if there:
                self.assertEqual(os.listdir(self.folder / "accs"), [])


class WorkingDirectory(OutputTest):
    def test_no_python_of_it_runs(self):
        for module in ("matplotlib", "jinja2", "json", "io", "types", "numpy", "site", "os"):
            (self.folder / module).mkdir()
            (self.folder / module / "__init__.py").write_text('open("RAN", "w").write("ran")\n')
            (self.folder / f"{module}.py").write_text('open("RAN", "w").write("ran")\n')
        (self.folder / "matplotlibrc").write_text("font.size: 30\nno.such: key\n")
        (self.folder / "times.csv").write_text(TIMES)
        for words in [[*PREDICT, "--plot", "p.svg"], ["fit", "times.csv", "--plot", "f.svg"],
                      ["report", MACHINE, "-o", "r.html"]]:
            done = self.run_with(*words, env={**os.environ, "PYTHONPATH": ":."})
            self.assertIn(done.returncode, (0, 3), done.stderr)
            self.assertNotIn("no.such", done.stderr)
            self.assertNotIn("RAN", self.left())


if __name__ == "__main__":
    unittest.main()
