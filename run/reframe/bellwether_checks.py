# SPDX-License-Identifier: MIT
"""Bellwether as checks of ReFrame 4: one for each mini-app, held against what a calibration of the same
ranks promises, and one for `bellwether accept`. run/acceptance.md says how to start them.

What a check takes is a variable of it, and set with -S: `command`, `backend`, the number of ranks
(`num_tasks`, `num_tasks_per_node`), and of each mini-app its `problem`."""
import json
import math
import pathlib

import reframe as rfm
import reframe.utility.sanity as sn
from reframe.core.exceptions import SanityError
from reframe.core.logging import getlogger

HERE = pathlib.Path(__file__).resolve().parent
# Installed, and in the source tree.
RESIDUALS = [HERE.parent / "residuals.json",
             HERE.parents[1] / "results" / "acceptance" / "residuals.json"]


def records_in(path):
    """The records of a results file that this run began: every line is one, of the schema known here."""
    records = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        try:
            records.append(json.loads(line))
            schema = records[-1]["schema"]
        except (ValueError, RecursionError, TypeError, KeyError):
            raise SanityError(f"{path.name}, line {number}: no record") from None
        if schema != "bellwether.record/1":
            raise SanityError(f"{path.name}, line {number}: found schema {schema!r}, expected "
                              "bellwether.record/1")
    return records


def model_residual(app, rate):
    """What share of the measured time the model of an app is known to miss; exceeded by chance in `rate`
    of the runs, as `bellwether accept` counts."""
    path = next(path for path in RESIDUALS if path.exists())
    residual = json.loads(path.read_text())["residuals"][app]
    return residual["median"] + residual["mean_excess"] * max(0, math.log(0.5 / rate))


def case_name(record, records):
    """What the names of a record's performance variables end in: what tells it from the others of a check,
    as it was asked for. What auto chose may be another the next time."""
    def asked(one):
        return {key: one["provenance"].get("request", {}).get(key, value) for key, value in one["variant"].items()}
    several = {key for one in records for key, value in asked(one).items() if value != asked(records[0]).get(key)}
    return "".join(f"_{key}_{value}" for key, value in sorted(asked(record).items()) if key in several)


def reference(record, rate, largest_excess):
    """A time of the refined prediction with the share that it may be exceeded by: the prediction's own
    interval and the model's residual, in quadrature. A time that is shorter is none to fail. Within the
    calibrated range only what the record's verdict says is slower has this bound; nothing that is predicted
    there may exceed its time by more than `largest_excess`, however wide the interval."""
    refined = record["predicted"]["refined"]
    if refined.get("outside_range"):
        return refined["total_s"], None, None, "s"
    bound = largest_excess
    if record["verdict"]["answer"] == "slower":
        bound = min(bound, math.hypot(refined["high_s"] / refined["total_s"] - 1,
                                      model_residual(record["app"], rate)))
    return refined["total_s"], None, bound, "s"


def logged(record):
    """What else of a record goes into the performance log, none to fail by: (name, value, unit)."""
    rate = record["rate"]
    yield "rate", rate["value"], rate["unit"]
    if rate["fraction_of_limit"]:
        yield "percent_of_limit", 100 * rate["fraction_of_limit"], f"% of {rate['limit']}"
    for name, seconds in record["measured"]["terms"].items():
        yield f"{name.replace('.', '_')}_s", seconds["median"], "s"


class BellwetherRun(rfm.RunOnlyRegressionTest):
    """A verb of the command on all ranks; what it says and leaves is read, never its tables."""
    command = variable(str, value="bellwether")
    backend = variable(str, value="kokkos")
    valid_systems = ["*"]
    valid_prog_environs = ["*"]
    exclusive_access = True  # neighbours would change what is measured
    words = []

    @run_before("run")
    def set_executable(self):
        self.executable = self.command
        self.executable_opts = [*self.words, "--backend", self.backend]

    def left_behind(self, name):
        """The path of a file that the run should have written."""
        path = pathlib.Path(self.stagedir) / name
        if not path.exists():
            said = (pathlib.Path(self.stagedir) / str(self.stderr)).read_text()
            said = [line for line in said.splitlines() if line.startswith("bellwether: ")]
            raise SanityError(said[0] if said else f"it wrote no {name}: see its standard error")
        return path


class Calibration(BellwetherRun):
    """machine.json of the ranks that the checks of this run compute on."""
    calibrate_options = variable(str, value="")

    @run_after("init")
    def set_words(self):
        self.words = ["calibrate", "-o", "machine.json", *self.calibrate_options.split()]

    @sanity_function
    def has_machine(self):
        return sn.assert_true(self.left_behind("machine.json").exists())


class MiniApp(BellwetherRun):
    problem = variable(str)
    run_options = variable(str, value="")
    # How often a time may exceed its bound though nothing is wrong.
    false_alarm_rate = variable(float, value=0.001)
    # No time may exceed its prediction by a larger share, whatever the interval is.
    largest_excess = variable(float, value=0.9)
    calibration = fixture(Calibration, scope="environment")
    app = ""

    @run_after("setup")
    def set_words(self):
        machine = pathlib.Path(self.calibration.stagedir) / "machine.json"
        self.words = ["run", self.app, *self.problem.split(), *self.run_options.split(),
                      "--machine", str(machine), "-o", "results.jsonl"]
        self.keep_files = ["results.jsonl"]

    @sanity_function
    def results_are_right(self):
        records = records_in(self.left_behind("results.jsonl"))
        for record in records:
            if "not_run" in record:
                raise SanityError(f"a case did not run: {record['not_run']}")
            found = record["verification"]
            if not found["passed"]:
                raise SanityError(f"wrong result: {found['what']}, error {found['value']}, "
                                  f"at most {found['tolerance']} expected")
        return sn.assert_true(records, "results.jsonl holds no record")

    @run_before("performance")
    def hold_against_prediction(self):
        records = records_in(self.left_behind("results.jsonl"))
        self.perf_variables, references = {}, {}
        for record in records:
            name = case_name(record, records)
            median = record["measured"]["total_s"]["median"]
            self.perf_variables[f"total_s{name}"] = sn.make_performance_function(sn.defer(median), "s")
            references[f"total_s{name}"] = reference(record, self.false_alarm_rate, self.largest_excess)
            for what, value, unit in logged(record):
                self.perf_variables[what + name] = sn.make_performance_function(sn.defer(value), unit)
            verdict = record["verdict"]
            if verdict["answer"] == "cannot tell":
                getlogger().warning(f"{self.app}, total_s{name}: cannot tell whether that is normal: "
                                    f"{verdict['because']}; {verdict['to_do']}")
        self.reference = {"*": references}


@rfm.simple_test
class DiffusionCheck(MiniApp):
    app, problem = "diffusion", "--cells 384 384 384 --overlap both"


@rfm.simple_test
class LbmCheck(MiniApp):
    app, problem = "lbm", "--cells 192 192 192 --overlap both"


@rfm.simple_test
class AirfoilCheck(MiniApp):
    app, problem = "airfoil", "--cells 400 600 --overlap both"


@rfm.simple_test
class HplCheck(MiniApp):
    app, problem = "hpl", "--size 6000"


@rfm.simple_test
class AmgCheck(MiniApp):
    app, problem = "amg", "--cells 100 100 100"

    @run_before("sanity")
    def without_hypre(self):
        said = (pathlib.Path(self.stagedir) / str(self.stderr)).read_text()
        self.skip_if("run amg: this build has no BoomerAMG" in said, "the build has no hypre")


@rfm.simple_test
class CholeskyCheck(MiniApp):
    app, problem = "cholesky", "--size 3000 --block 64"


@rfm.simple_test
class AcceptCheck(BellwetherRun):
    """Its own calibration, suite and verdict, which alone judges. How long the cases took, in shares of
    the predicted times, is reported by their names."""
    suite = variable(str, value="quick")
    accept_options = variable(str, value="")  # --baseline DIR ...

    @run_after("init")
    def set_words(self):
        self.words = ["accept", "--suite", self.suite, "-o", "accepted",
                      *self.accept_options.split()]
        self.keep_files = ["accepted"]

    def verdict(self):
        return json.loads(self.left_behind("accepted/verdict.json").read_text())

    @sanity_function
    def is_accepted(self):
        verdict = self.verdict()
        worst = [finding["sentence"] for finding in verdict["findings"]
                 if finding["verdict"] in ("wrong", "fail", "missing")]
        return sn.assert_true(verdict["verdict"].startswith("pass"),
                              f"{verdict['verdict']}: {'; '.join(worst)}")

    @run_before("performance")
    def report_what_was_promised(self):
        self.perf_variables, references = {}, {}
        for finding in self.verdict()["findings"]:
            if finding["kind"] == "promised" and finding["verdict"] != "not judged":
                self.perf_variables[finding["subject"]] = sn.make_performance_function(
                    sn.defer(finding["value"]), "of the predicted time")
                references[finding["subject"]] = (1, None, None, "of the predicted time")
        self.reference = {"*": references}
