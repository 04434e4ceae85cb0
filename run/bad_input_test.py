# SPDX-License-Identifier: MIT
"""Unusable input and environments: exit status, one message that names option, file or key, what
was found and what is expected, also under the launcher."""
import json
import os
import subprocess
import time
import unittest

import command_test

RUN = ["run", "diffusion"]
SMALL = [*RUN, "--cells", 8, 8, 8, "--steps", 2, "--overlap", "off"]
PREDICT = ["predict", "diffusion", "--cells", 64, 64, 64, "--machine", "tsubame2.0"]


class Options(command_test.CommandTest):
    def refuse(self, patterns, *words, ranks=0):
        self.expect_refusal(2, patterns, *words, ranks=ranks)

    def test_cells(self):
        for word in ["0", "-1", "99999999999", "99999999999999999999999", "abc", "4.5", "1e2", ""]:
            for cells in ([word, 4, 4], [4, 4, word]):
                self.refuse(["--cells", f"found '{word}'", "whole number from 1 to 1073741824"],
                            *RUN, "--cells", *cells)
        self.refuse(["--cells"], *RUN)
        self.refuse(["--cells", "3 required"], *RUN, "--cells", 4, 4)
        self.refuse(["run diffusion", "found '7'"], *RUN, "--cells", 4, 4, 4, 7)
        most = 1 << 30
        self.refuse(["--cells", f"found {most} x {most} x {most}", "at most"],
                    *RUN, "--cells", most, most, most)

    def test_decomposition(self):
        for shape in ["axb", "0x1x2", "1x1", "1x1x1x1", "-1x1x1", "", "99999999999x1x1"]:
            self.refuse(["decomposition", f'found "{shape}"', "PXxPYxPZ"],
                        *RUN, "--cells", 8, 8, 8, "--decomposition", shape)

    def test_decomposition_and_ranks(self):
        self.refuse(["--decomposition", "2x2x2 is for 8 ranks", "there are 2"],
                    *RUN, "--cells", 8, 8, 8, "--decomposition", "2x2x2", ranks=2)
        self.refuse(["decomposition 1x1x3", "3 ranks in z for 2 cells"],
                    *RUN, "--cells", 4, 4, 2, "--decomposition", "1x1x3", ranks=3)
        self.refuse(["decomposition", "3 ranks cannot divide 1x1x1 cells"],
                    *RUN, "--cells", 1, 1, 1, ranks=3)

    def test_words(self):
        for option, expected in [
                ("--precision", "f32, f64"), ("--boundary", "periodic, dirichlet"),
                ("--backend", "kokkos, cuda"), ("--overlap", "off, on, both"),
                ("--halo", "staged, direct"), ("--stores", "auto, cached, streaming"),
                ("--rate", "roofline, measured")]:
            self.refuse([option, "nonsense", expected], *SMALL[:6], option, "nonsense")

    def test_options_of_other_apps(self):
        self.refuse(["run lbm: found '--stores'"], "run", "lbm", "--cells", 8, 8, 8, "--stores", "cached")

    def test_noise(self):
        for law in ["", "normal:1:1", "constant:1", "constant:-1:1e-3", "constant:1:0", "constant:1:x"]:
            self.refuse(["--inject-noise", f"found '{law}'", "exponential:100:1e-3"],
                        *SMALL, "--inject-noise", law)
        self.refuse(["--inject-noise", "found rank 2, expected 0 to 1"],
                    *SMALL, "--inject-noise", "constant:1:1e-3:2", ranks=2)

    def test_numbers(self):
        for word in ["0", "-3", "abc", "5x", "1.5", "", "99999999999999999999999"]:
            self.refuse(["--steps", f"found '{word}'", "auto or a number of at least 1"],
                        *SMALL[:6], "--steps", word)
        for word in ["0", "-1", "abc", "nan", "inf", ""]:
            self.refuse(["--time-budget", f"found '{word}'", "above 0"],
                        *SMALL[:6], "--time-budget", word)
        for word in ["-1", "abc", "nan"]:
            self.refuse(["--stall-limit", f"found '{word}'", "at least 0"],
                        *SMALL, "--stall-limit", word)
        for word in ["0", "1001", "abc"]:
            self.refuse(["--repeats", f"found '{word}'", "from 1 to 1000"],
                        *SMALL, "--repeats", word)

    def test_verbs_and_unknown_options(self):
        self.refuse(["found 'frobnicate'", "run, accept, predict, reproduce, machines"], "frobnicate")
        self.refuse(["run: found nothing", "diffusion"], "run")
        self.refuse(["predict: found 'frobnicate'", "diffusion"], "predict", "frobnicate")
        self.refuse([r"run diffusion: found '--frobnicate', .* each \(see"], *SMALL, "--frobnicate")
        for word, meant in [("--cell", "--cells"), ("--overlp=on", "--overlap"),
                            ("--time-buget", "--time-budget"), ("--baknd", "--backend")]:
            self.refuse([f"found '{word}", rf"; did you mean {meant}\? \(see"], *SMALL, word)
        self.refuse([r"calibrate: found '--quik', expected its options alone; did you mean --quick\?"],
                    "calibrate", "--quik")
        self.refuse(["frobnicate", "tsubame2.0"], "machines", "frobnicate")

    def test_a_sweep_in_one_command_is_named_and_not_what_is_missing(self):
        for app, option in [("diffusion", "--cells"), ("lbm", "--cells"), ("airfoil", "--cells"),
                            ("hpl", "--size"), ("amg", "--cells"), ("cholesky", "--size")]:
            for verb in ["run", "predict", "trace"]:
                self.refuse([f"{verb} {app}: found '--sizes', expected its options alone: one "
                             f"problem a command, by {option}, and of several a command each"],
                            verb, app, "--sizes", 10)
        self.refuse(["--size is required"], "run", "cholesky")

    def test_lbm(self):
        small = ["run", "lbm", "--cells", 8, 8, 8, "--steps", 2]
        for option, word, expected in [
                ("--tau", "0.5", "more than 0.5"), ("--tau", "nan", "a number"),
                ("--tau", "-1", "more than 0.5"), ("--speed", "0", "above 0"),
                ("--speed", "x", "above 0"), ("--geometry", "ball", "none, channel, sphere, city"),
                ("--initial", "rest", "auto, taylor-green, flow"),
                ("--boundary", "dirichlet", "periodic, walls"), ("--les", "0", "above 0"),
                ("--les", "x", "above 0"), ("--output", "", "a file"),
                ("--output", "flow.vtu", "a picture, which lbm does not write")]:
            self.refuse([option, f"found '?{word}", expected], *small, option, word)
        self.refuse(["run lbm: found '--stores'"], *small, "--stores", "cached")
        self.refuse(["--output", "'x.vti'", "a picture, which diffusion does not write"],
                    "run", "diffusion", "--cells", 8, 8, 8, "--output", "x.vti")
        self.refuse(["--output", "'b.jsonl'", "a second results file"],
                    *small, "-o", "a.jsonl", "-o", "b.jsonl")
        for ranks in [0, 3]:
            self.refuse(["--speed", "found 0.2", "Mach number of 0.346", "at most 0.3"],
                        *small, "--speed", 0.2, ranks=ranks)
            self.refuse(["--geometry", "channel leaves no fluid among 8 x 8 x 2 cells"],
                        "run", "lbm", "--cells", 8, 8, 2, "--geometry", "channel", ranks=ranks)
        self.refuse(["--initial taylor-green", "--geometry sphere", "expected periodic and none"],
                    *small, "--initial", "taylor-green", "--geometry", "sphere")
        self.refuse(["--geometry channel", "--boundary walls", "expected periodic"],
                    *small, "--geometry", "channel", "--boundary", "walls")
        self.refuse(["--force", "3 required"], *small, "--force", 1)

    def test_lbm_geometry_files(self):
        small = ["run", "lbm", "--cells", 4, 4, 4, "--geometry", "g.raw"]
        for content, told in [(bytes(63), "found 63 bytes, expected 64"),
                              (bytes(40) + b"\7" + bytes(23), "byte 40: found 7, expected 0"),
                              (b"\1" * 64, "g.raw leaves no fluid")]:
            (self.folder / "g.raw").write_bytes(content)
            for ranks in [0, 3]:
                self.refuse(["--geometry", "g.raw", told], *small, ranks=ranks)

    def test_a_geometry_that_one_rank_alone_lacks_is_told_with_its_host(self):
        said = self.refusal_where_one_rank_lacks(
            "g.raw", bytes(64), "run", "lbm", "--cells", 4, 4, 4, "--geometry", "g.raw")
        self.assertRegex(said, r"--geometry: found 'g\.raw'.* \(on \S+\)$")

    def test_a_fast_flow_is_warned_of(self):
        words = ["run", "lbm", "--cells", 8, 8, 8, "--steps", 2, "--overlap", "off"]
        for speed, warned in [(0.05, 0), (0.06, 1), (0.17, 1)]:
            done = self.run_command(*words, "--speed", speed, ranks=2)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertEqual(done.stderr.count("--speed: a Mach number of"), warned, done.stderr)

    def test_predict(self):
        for ranks in ["abc", "0", "-1", "4:2", "1:2:0", "1:", ",,", "1:2:3:4", "99999999999", "",
                      "1:90000000:1"]:
            self.refuse(["ranks", f'found "{ranks}"', "expected"], *PREDICT, "--ranks", ranks)
        self.refuse(["--ranks, --nodes", "found neither"], *PREDICT)
        self.refuse(["--machine", "required"], *PREDICT[:6], "--ranks", 2)
        self.refuse(["300000 ranks cannot divide"], *PREDICT, "--ranks", 300000)
        self.refuse(["decomposition 1x1x2", "found 2 ranks, expected 1"],
                    *PREDICT, "--ranks", "1:2", "--decomposition", "1x1x2")
        for word in ["0", "x"]:
            self.refuse(["--ranks-per-node", f"found '{word}'"],
                        *PREDICT, "--ranks", 2, "--ranks-per-node", word)

    def test_compare(self):
        (self.folder / "text").write_text("hello\n")
        self.refuse(["before"], "compare")
        self.refuse(["'none' is not there", "results file, a machine file"], "compare", "none", "text")
        self.refuse(["text, line 1: no JSON", "bellwether.record/1"], "compare", "text", "text")

    def test_said_once_by_several_ranks(self):
        self.refuse(["--cells", "found '0'"], *RUN, "--cells", 0, 4, 4, ranks=3)
        self.refuse(["--steps", "found 'x'"], *RUN, "--cells", 4, 4, 4, "--steps", "x", ranks=3)
        self.refuse(["--backend"], *SMALL, "--backend", "nonsense", ranks=3)
        self.refuse(["no-folder/x.jsonl"], *SMALL, "-o", "no-folder/x.jsonl", ranks=3)
        self.refuse(["missing.json"], *SMALL, "--machine", "missing.json", ranks=3)


class Files(command_test.CommandTest):
    def refuse_machine(self, patterns, content, ranks=0):
        (self.folder / "m.json").write_text(content)
        self.expect_refusal(2, [r"m\.json", *patterns], *SMALL, "--machine", "m.json", ranks=ranks)

    def test_machine_files(self):
        self.expect_refusal(2, ["machine", '"missing.json"', "tsubame2.0"],
                            *SMALL, "--machine", "missing.json")
        self.expect_refusal(2, ["--machine", "found ''"], *SMALL, "--machine", "")
        self.expect_refusal(2, ["is a directory, expected a file"], *SMALL, "--machine", ".")
        self.refuse_machine(["no valid JSON", "line 1"], "hello")
        self.refuse_machine(["empty"], "")
        self.refuse_machine(["schema"], "{}")
        self.refuse_machine(["schema"], "{}", ranks=3)

    def test_machine_keys(self):
        good = self.expect_json("machines", "tsubame2.0")
        key = "/device/memory_bandwidth_bytes_per_s"

        def changed(change):
            machine = json.loads(json.dumps(good))
            change(machine, machine["device"])
            return json.dumps(machine)

        def bandwidth(value):
            def change(_, device):
                device["memory_bandwidth_bytes_per_s"]["value"] = value
            return changed(change)

        self.refuse_machine(["/schema", "machine/2", "machine/1"],
                            changed(lambda m, _: m.update(schema="bellwether.machine/2")))
        self.refuse_machine(["/device", "memory_bandwidth_bytes_per_s", "missing"],
                            changed(lambda _, d: d.pop("memory_bandwidth_bytes_per_s")))
        self.refuse_machine([key + "/value", "-1", "finite number > 0"], bandwidth(-1))
        self.refuse_machine([key + "/value", "fast", "finite number > 0"], bandwidth("fast"))
        self.refuse_machine([key + "/value", "null"], bandwidth(None))
        self.refuse_machine(["no valid JSON"], bandwidth(float("nan")))
        self.refuse_machine(["no valid JSON"], bandwidth(0).replace('"value": 0', '"value": 1e999'))
        self.refuse_machine(["/device/frobnicate", "no such key"],
                            changed(lambda _, d: d.update(frobnicate=1)))
        self.refuse_machine(["/device/frobnicate"],
                            changed(lambda _, d: d.update(frobnicate=1)), ranks=3)

    def test_a_bad_machine_json_in_the_working_directory_is_not_passed_over(self):
        (self.folder / "machine.json").write_text("{}")
        self.expect_refusal(2, [r"machine\.json", "schema"], *SMALL)

    def test_results_files(self):
        cannot = "cannot be written"
        self.expect_refusal(2, ["'no-folder/x.jsonl'", cannot, "No such file"],
                            *SMALL, "-o", "no-folder/x.jsonl")
        self.expect_refusal(2, [cannot, "directory"], *SMALL, "-o", ".")
        self.expect_refusal(2, ["/dev/full", cannot, "No space left"], *SMALL, "-o", "/dev/full")
        self.expect_refusal(2, ["--output", "found ''"], *SMALL, "-o", "")
        if os.geteuid() != 0:  # nothing is forbidden to root
            (self.folder / "locked").touch(mode=0o400)
            self.expect_refusal(2, ["'locked'", cannot, "denied"], *SMALL, "-o", "locked")


class Environment(command_test.CommandTest):
    def test_a_backend_that_is_not_there(self):
        told = ["--backend cuda"]
        if os.environ.get("BELLWETHER_WITH_CUDA") == "1":
            self.skipTest("this build has a CUDA backend, and a device may be there")
        self.expect_refusal(3, told, *SMALL, "--backend", "cuda")
        self.expect_refusal(3, told, *SMALL, "--backend", "cuda", ranks=3)

    def test_a_mesh_larger_than_memory(self):
        words = [*RUN, "--cells", 20000, 20000, 20000]
        figures = [r"not enough memory on \S+", r"need 59\d\d\d\.\d\d GiB",
                   r"\d+\.\d\d GiB are available"]
        self.expect_refusal(3, figures, *words)
        self.expect_refusal(3, ["of all its ranks", *figures], *words, ranks=3)

    def test_it_is_refused_within_two_seconds_and_before_anything_is_allocated(self):
        took = []
        for _ in range(3):  # the best of three, as other tests may run beside this one
            begin = time.monotonic()
            process = subprocess.Popen([command_test.PROGRAM, *RUN, "--cells", *["20000"] * 3],
                                       cwd=self.folder, stderr=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            took.append(time.monotonic() - begin)
            self.assertEqual(process.returncode, 3)
            self.assertLess(usage.ru_maxrss, 200 * 1024, "KiB of memory")
        self.assertLess(min(took), 2)


if __name__ == "__main__":
    unittest.main()
