# SPDX-License-Identifier: MIT
"""What the command prints, held against files in golden/ with all numbers masked. After a change
that is meant: BELLWETHER_UPDATE_GOLDEN=1 ctest -R command.golden, and read the difference."""
import fcntl
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import termios
import unittest

import command_test

GOLDEN = pathlib.Path(__file__).parent / "golden"
RUN = ["run", "diffusion", "--cells", 17, 13, 11, "--steps", 50]


def masked(text):
    """Numbers become N, units and widths that follow from them are evened out."""
    lines = []
    for line in text.splitlines():
        if line.startswith(("The refined total is ", "cannot tell: ", "energy ")):
            continue  # said or not, and of which term, as the times come out and energy is counted
        line = re.sub("^(normal|(SLOWER|FASTER) THAN NORMAL|CANNOT TELL) (by|for) ", r"ANSWER \3 ", line)
        # Why a share is above 100 %, where it is.
        line = re.sub(r" \((the limit was|from a cache)[^)]*\)|, (the limit was|from a cache)[^)]*(?=\))",
                      "", line)
        line = re.sub(r"\d+x\d+x\d+", "NxNxN", line)
        line = re.sub(r"(?<![\w.])[-+]?\d[\d.]*(e[-+]?\d+)?", "N", line)
        line = re.sub(r"N (us|ms|s)\b", "N t", line)
        line = re.sub(r"\] (us|ms|s)\b", "] t", line)
        line = re.sub(r"^ *(us|ms|s) ", "t ", line)
        line = re.sub(r"N [kMGT]?(cells/s|unknowns/s|flop/s|B/s)", r"N \1", line)
        line = re.sub(r"kokkos/\w+", "kokkos/X", line)
        if line[:1].isalpha() and "intervals" not in line:
            line = line.replace("[N, N]", "-")  # a single sample has none, where a machine is slow
        line = re.sub(r" +", " ", line).rstrip()
        if line.startswith("wait "):
            line = re.sub(r" -?[-N]( %)?$", " -", line)  # a run that never waited has no error
        lines.append(line)
    return "\n".join(lines) + "\n"


def keys(value, at=""):
    """Every path of a JSON document with the type at its end."""
    if isinstance(value, dict):
        if at.endswith(".environment"):
            return {at + ": object"}
        return set().union({at + ": object"}, *(keys(v, f"{at}.{k}") for k, v in value.items()))
    if isinstance(value, list):
        return set().union({at + ": array"}, *(keys(v, at + "[]") for v in value))
    names = {bool: "boolean", str: "string", type(None): "null"}
    return {f"{at}: {names.get(type(value), 'number')}"}


class GoldenFiles(command_test.CommandTest):
    def compare(self, name, text):
        path = GOLDEN / name
        if os.environ.get("BELLWETHER_UPDATE_GOLDEN") == "1":
            path.write_text(text)
        self.assertEqual(text, path.read_text())

    def compare_keys(self, name, document):
        # What a host does not tell is null there: its type may differ from host to host.
        lines = {re.sub(r"(\.provenance\.[^:]*): .*", r"\1", line) for line in keys(document)
                 if "above_limit" not in line and not line.startswith(".records[].energy")}
        self.compare(name, "\n".join(sorted(lines)) + "\n")


class Golden(GoldenFiles):
    def test_run_with_a_machine(self):
        self.compare("run_with_machine.txt",
                     masked(self.expect_success(*RUN, "--machine", "tsubame2.0", ranks=2)))

    def test_run_lbm(self):
        words = ["run", "lbm", "--cells", 17, 13, 12, "--geometry", "sphere", "--steps", 50]
        self.compare("run_lbm.txt", masked(
            self.expect_success(*words, "--machine", "tsubame2.0", ranks=2)))

    def test_run_airfoil(self):
        # Cut within a row of cells, so that either rank has edges of the other's.
        words = ["run", "airfoil", "--cells", 8, 9, "--partitioner", "block", "--iterations", 50,
                 "--increments", "plain"]  # named where a processor gathers of itself
        output = masked(self.expect_success(*words, "--machine", "hector", ranks=2))
        self.compare("run_airfoil.txt", output.replace("fused loops, plain,", "fused loops,"))

    def test_run_hpl(self):
        words = ["run", "hpl", "--size", 300, "--block", 32, "--grid", "1x2", "--overlap", "on",
                 "--details"]
        self.compare("run_hpl.txt", masked(self.expect_success(*words, ranks=2)))

    def test_run_cholesky(self):
        words = ["run", "cholesky", "--size", 300, "--overlap", "on", "--factorizations", 3]
        self.compare("run_cholesky.txt", masked(
            self.expect_success(*words, "--machine", "hector", ranks=2)))

    @unittest.skipUnless(os.environ["BELLWETHER_WITH_HYPRE"] == "1", "built without hypre")
    def test_run_amg(self):
        words = ["run", "amg", "--cells", 12, 10, 8, "--overlap", "on", "--cycles", 1, "--details"]
        self.compare("run_amg.txt", masked(self.expect_success(*words, ranks=2)))

    def test_run_without_a_machine(self):
        self.compare("run_without_machine.txt", masked(self.expect_success(*RUN)))

    def test_run_keys(self):
        self.compare_keys("run_keys.txt", self.expect_json(
            *RUN, "--machine", "tsubame2.0", "--probe", ranks=2))

    def test_predict(self):
        words = ["predict", "diffusion", "--cells", 256, 256, 256, "--machine", "tsubame2.0",
                 "--ranks", "1:4"]
        self.compare("predict.txt", masked(self.expect_success(*words)))
        self.compare_keys("predict_keys.txt", self.expect_json(*words))

    def test_predict_the_other_apps(self):
        for words in [["lbm", "--cells", 192, 512, 512, "--machine", "tsubame2.0"],
                      ["hpl", "--size", 88000, "--machine", "mi50-cluster"],
                      ["amg", "--cells", 800, 800, 800, "--machine", "grotius"],
                      ["airfoil", "--cells", 400, 600, "--machine", "hector"],
                      ["cholesky", "--size", 2500, "--machine", "paragon"]]:
            with self.subTest(app=words[0]):
                self.compare(f"predict_{words[0]}.txt", masked(
                    self.expect_success("predict", *words, "--ranks", "2,64")))

    def test_machines(self):
        self.compare("machines.txt", masked(self.expect_success("machines")))
        words = ["machines", "tsubame2.0"]
        self.compare("machines_tsubame2.0.txt", masked(self.expect_success(*words)))
        self.compare("machines_tsubame2.0_details.txt",
                     masked(self.expect_success(*words, "--details")))

    def test_compare(self):
        # A record as a run wrote it, and the same with its network half as fast: nothing to mask.
        self.expect_success(*RUN, "--stores", "cached", "-o", "first.jsonl", ranks=2)
        lines = (self.folder / "first.jsonl").read_text().splitlines()
        for name, network in [("before.jsonl", 1e-3), ("after.jsonl", 2e-3)]:
            records = [json.loads(line) for line in lines]
            for record in records:
                measured = record["measured"]
                measured["terms"]["network"] = self.summary(network)
                measured["total_s"] = self.summary(9e-3 + network)
                record["provenance"]["commit"] = name
            (self.folder / name).write_text("".join(json.dumps(r) + "\n" for r in records))
        self.compare("compare.txt", self.expect_success("compare", "before.jsonl", "after.jsonl"))
        self.compare_keys("compare_keys.txt",
                          self.expect_json("compare", "before.jsonl", "after.jsonl"))
        machines = pathlib.Path(__file__).parents[1] / "models" / "machines"
        for name, machine in [("a", "cx1"), ("b", "hector")]:
            shutil.copy(machines / f"{machine}.json", self.folder / f"{name}.json")
        self.compare("compare_machines.txt", self.expect_success("compare", "a.json", "b.json"))

    def summary(self, seconds):
        return {"median": seconds, "low": 0.99 * seconds, "high": 1.01 * seconds,
                "min": seconds, "max": seconds, "count": 50}


class Help(command_test.CommandTest):
    def expect_help(self, patterns, *words):
        text = self.expect_success(*words, "--help")
        flat = re.sub(r"\s+", " ", text)
        for pattern in patterns:
            self.assertRegex(flat, pattern)
        lines = [line for line in text.partition("Examples:")[0].splitlines()
                 if not line.startswith("  -")]  # an option's name may be long
        self.assertLessEqual(max(map(len, lines)), 80)
        return text

    def verbs(self, *words):
        """Every verb with its help, as words: (), ("run",), ("run", "lbm")."""
        text = self.expect_help([], *words)
        yield words, text
        listed = re.search(r"(?ms)^Subcommands:\n(.*?)(?=^\S|\Z)", text)
        for name in re.findall(r"(?m)^  (\S+)", listed[1] if listed else ""):
            yield from self.verbs(*words, name)

    def test_each_verb_has_an_example_of_options_that_there_are(self):
        helps = dict(self.verbs())
        self.assertGreater(len(helps), 40)
        examples = 0
        for words, text in helps.items():
            example = text.partition("Examples:\n")[2]
            if len(words) == 1 and not any(verb[:-1] == words for verb in helps):
                self.assertTrue(example, words)
            named = not example
            for line in example.splitlines():
                for command in re.findall(r"bellwether ([^&>]*)", line):
                    asked = command.split()
                    verb = max((verb for verb in helps if asked[:len(verb)] == list(verb)), key=len)
                    named = named or verb[:len(words)] == words
                    for option in re.findall(r"(?<!\S)--?[a-z][-_a-z]*", command):
                        self.assertRegex(helps[verb], rf"(?m)(^|[\s,]){option}\b", line)
                    examples += 1
            self.assertTrue(named, example)
        self.assertGreater(examples, 30)

    def test_options_stand_in_groups_and_rare_ones_last(self):
        text = self.expect_success("run", "lbm", "--help")
        heads = re.findall(r"(?m)^([A-Z]\w+):$", text)
        self.assertEqual(heads, ["Problem", "Variant", "Measuring", "Output", "Expert", "Examples"])
        expert = text[text.index("Expert:"):]
        for option in ["--inject-noise", "--shared-stores", "--stall-limit", "--rate"]:
            self.assertIn(option, expert)

    def test_the_list_of_apps_has_a_line_each(self):
        text = self.expect_success("run", "--help")
        self.assertRegex(text, r"(?m)^  diffusion +3-D diffusion, 7-point stencil, forward Euler$")

    def test_it_is_as_wide_as_the_terminal_within_bounds(self):
        for columns, least, most in [(40, 50, 60), (90, 80, 90), (200, 90, 100)]:
            own, other = os.openpty()
            fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            subprocess.run([command_test.PROGRAM, "--help"], stdout=other, check=True)
            os.close(other)
            with os.fdopen(own, "rb") as terminal:
                text = terminal.read1(1 << 16).decode()
            self.assertTrue(least < max(map(len, text.splitlines())) <= most, text)

    def test_alone_it_prints_help(self):
        done = self.run_command()
        self.assertEqual(done.returncode, 2)
        self.assertIn("Subcommands:", done.stdout)

    def test_units_and_defaults(self):
        self.expect_help(["Exit status: 0 done and right", "machines", "predict", "run"])
        self.expect_help(["diffusion"], "run")
        self.expect_help(
            ["10 flops", "8 bytes f32, 16 bytes f64", r"--cells NX NY NZ +Cells.*Required",
             r"--precision \S*=f32", r"--decomposition \S*=auto", r"--boundary \S*=periodic",
             r"--steps \S*=auto", r"--overlap \S*=both", r"--halo \S*=auto",
             r"--backend \S*=kokkos", r"--stores \S*=auto",
             r"--rate \S*=roofline", r"--time-budget \S*=10\s+Seconds", r"--stall-limit \S*=60\s+Seconds",
             r"--repeats \S*=1\b", "--machine", "--output", "--json", "--probe"],
            "run", "diffusion")
        self.expect_help(
            ["10 flops", r"--ranks TEXT\b", r"--nodes COUNTS\b", "1:65536", r"--rank-rate.*\n?.*cells/s",
             "--what-if KEY=VALUE", "--plot FILE", "--measured FILE", "--terms"],
            "predict", "diffusion")
        self.expect_help(
            ["159 flops", "152 bytes f32, 304 bytes f64", "476 flops, 13 values",
             r"--boundary \S*=periodic", r"--geometry \S*=none", r"--initial \S*=auto",
             r"--tau \S*=0.8\s+Relaxation time in steps", "--force FX FY FZ",
             r"--speed \S*=0.05\s+.*\n?.*cells per step", "--drift UX UY UZ", r"--les C",
             r"--output FILE"],
            "run", "lbm")
        self.expect_help(
            [r"--cells I J", r"--mesh FILE", r"--iterations \S*=auto", r"--partitioner \S*=(scotch|rcb)",
             r"--loops \S*=fused", r"--precision \S*=f64", r"two stages"],
            "run", "airfoil")
        self.expect_help(
            ["2/3 N\\^3", r"--size N\b", r"--block \S*=auto", r"--grid \S*=auto",
             r"--bcast \S*=ring-modified\s+.*\n?.*two-rings-modified", r"--swap \S*=mix",
             r"--threads \S*=0", "netlib's HPL.dat",
             r"--factorizations \S*=auto", "--details"], "run", "hpl")
        self.expect_help(
            [r"--cells NX NY NZ", r"--matrix FILE", r"--stencil 7\|27=7", r"--coarsening \S*=hmis",
             r"--interpolation \S*=ext\+i", r"--pmax \S*=4", r"--aggressive-levels \S*=1",
             r"--relax \S*=hybrid-gauss-seidel", r"--solver amg\|pcg=amg", r"--tolerance \S*=1e-08",
             r"--cycles \S*=auto", "--details", "unknowns of the finest level"], "run", "amg")
        self.expect_help(["--json"], "machines")

    def test_counts_are_those_of_the_records(self):
        for app, more in [("diffusion", ()), ("lbm", ()), ("lbm", ("--les", 0.1))]:
            words = ["run", app, "--cells", 8, 8, 8, *more]
            rate = self.expect_json(*words, "--steps", 2, "--overlap", "off")["records"][0]["rate"]
            said = re.sub(r"\s+", " ", self.expect_success("run", app, "--help"))
            counted = round(rate["flops_per_s"] / rate["value"])
            self.assertRegex(said, rf"Counted per [^:]*: .*--les {counted}," if more
                             else rf"Counted per [^:]*: {counted} flops")
            self.assertIn(f"({round(rate['bytes_per_s'] / rate['value'])} bytes f32", said)

    def test_is_printed_once_by_several_ranks(self):
        text = self.expect_success("run", "diffusion", "--help", ranks=2)
        self.assertEqual(text.count("--time-budget"), 1)


if __name__ == "__main__":
    unittest.main()
