# SPDX-License-Identifier: MIT
"""`history`: runs and parameters of months in a SQLite file, trends with their changes; and `export` of every
number. The files are read by Python's own sqlite3 and csv, and by open_metrics_test.py."""
import csv
import datetime
import json
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import time
import unittest

import jsonschema

import command_test
import golden_test
import open_metrics_test

ROOT = pathlib.Path(__file__).parents[1]
MACHINE = ROOT / "models" / "machines" / "tsubame2.0.json"
FIRST = datetime.datetime(2026, 3, 1, 2, 0, 0)


def record(seconds, day=0, *, host="node1", overlap="off", passed=True, nodes=1, schema="bellwether.record/1",
           **provenance):
    when = (FIRST + datetime.timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")
    total = {"median": seconds, "low": 0.99 * seconds, "high": 1.01 * seconds, "min": 0.98 * seconds,
             "max": 1.05 * seconds, "count": 31}
    return {"schema": schema, "app": "diffusion", "ranks": 2,
            "problem": {"cells": [64, 64, 64], "precision": "f32"}, "variant": {"overlap": overlap},
            "measured": {"total_s": total, "terms": {"compute.interior": total}},
            "rate": {"value": 64**3 / seconds, "unit": "cells/s", "limit": "memory bandwidth",
                     "fraction_of_limit": 0.8},
            "verification": {"passed": passed, "what": "mode decay", "value": 1e-7, "tolerance": 1e-6},
            "provenance": {"time": when, "host": host, "kernel": "Linux 6.1", "layout": {"nodes": nodes},
                           "environment": {"SLURM_JOB_ID": str(1000 + day)}, **provenance}}


def numbers(value, pointer=""):
    """Every number, true and false of a document by its JSON pointer."""
    if isinstance(value, dict):
        pairs = [(key.replace("~", "~0").replace("/", "~1"), one) for key, one in value.items()]
    elif isinstance(value, list):
        pairs = list(enumerate(value))
    else:
        return {pointer: value} if isinstance(value, (bool, int, float)) else {}
    return {at: number for key, one in pairs for at, number in numbers(one, f"{pointer}/{key}").items()}


class HistoryTest(golden_test.GoldenFiles):
    def results(self, records, name="results.jsonl"):
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(json.dumps(one) + "\n" for one in records))
        return name

    def rows(self, sql, store="history.sqlite"):
        connection = sqlite3.connect(self.folder / store)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def add(self, *paths):
        return self.expect_success("history", "add", *paths)

    def step(self, after=1.05):
        """40 nights of which the last 12 are slower, as another driver came, and as many that are not."""
        source = random.Random(4)
        return [record(10e-3 * (after if day >= 28 else 1) * (1 + 0.01 * source.gauss(0, 1)), day,
                       gpu={"driver": "560.28" if day >= 28 else "550.54", "watts": 300 + day})
                for day in range(40)] + [
            record(20e-3 * (1 + 0.01 * source.gauss(0, 1)), day, overlap="on") for day in range(40)]


class Add(HistoryTest):
    def test_a_row_says_what_its_record_says(self):
        self.expect_success("run", "diffusion", "--cells", 17, 13, 11, "--steps", 50, "--machine", MACHINE,
                            "-o", "results.jsonl", ranks=2)
        self.add("results.jsonl")
        records = self.records("results.jsonl")
        names = ("date", "host", "time_s", "low_s", "high_s", "predicted_s", "rate", "unit", "limited_by",
                 "verdict", "record")
        rows = self.rows(f"SELECT {', '.join(names)} FROM cases ORDER BY id")
        self.assertEqual(len(rows), len(records))
        for row, one in zip(rows, records):
            total = one["measured"]["total_s"]
            self.assertEqual(row[:-1], (
                one["provenance"]["time"], one["provenance"]["host"], total["median"], total["low"],
                total["high"], one["predicted"]["refined"]["total_s"], one["rate"]["value"],
                one["rate"]["unit"], one["rate"]["limit"], one["verdict"]["answer"]))
            self.assertEqual(json.loads(row[-1]), one)
        (layout, job, name), = self.rows(
            "SELECT DISTINCT layout, job, case_name FROM cases WHERE case_name LIKE '%overlap on%'")
        self.assertEqual((layout, job), ("2 ranks on 1 node", ""))
        self.assertTrue(name.startswith("diffusion, 2 ranks, boundary periodic, cells 17x13x11"), name)
        terms = self.rows("SELECT json_extract(record, '$.measured.terms.\"compute.interior\".median'), "
                          "json_extract(terms, '$.\"compute.interior\"') FROM cases")
        for first, second in terms:
            self.assertEqual(first, second)

    def test_parameters_are_the_machine_files(self):
        shutil.copy(MACHINE, self.folder / "machine.json")
        said = self.add(".")
        machine = json.loads(MACHINE.read_text())
        bandwidth = machine["device"]["memory_bandwidth_bytes_per_s"]
        (row,) = self.rows("SELECT machine, value, unit FROM parameters "
                           "WHERE name = 'device.memory_bandwidth_bytes_per_s'")
        self.assertEqual(row, (machine["name"], bandwidth["value"], "B/s"))
        (count,), = self.rows("SELECT count(*) FROM parameters")
        self.assertEqual(said, f"history.sqlite: added 0 runs and {count} parameters of machines; 0 were there\n")

    def test_what_is_there_is_not_added_again(self):
        self.results([record(1, day) for day in range(3)], "a/2026-03/results.jsonl")
        self.results([record(2, 1), record(2.5, 1)], "a/b/results.jsonl")
        shutil.copy(MACHINE, self.folder / "a" / "machine.json")
        (self.folder / "a" / "other.jsonl").write_text("no result\n")
        parameters = int(self.add("a").split()[5])
        self.assertGreater(parameters, 10)
        self.assertEqual(self.add("a", "a/b/results.jsonl"),
                         f"history.sqlite: added 0 runs and 0 parameters of machines; {7 + parameters} were there\n")
        self.assertEqual(self.rows("SELECT count(*) FROM cases"), [(5,)])
        self.results([record(1, 2), record(1, 3)], "more.jsonl")
        self.assertIn("added 1 runs", self.add("more.jsonl"))

    def test_several_may_write_at_once(self):
        processes = []
        for number in range(4):
            # A fourth of each file is in all of them.
            name = self.results([record(1 + 0.01 * day, day, host="all" if day % 4 == 0 else f"node{number}")
                                 for day in range(200)], f"{number}.jsonl")
            processes.append(subprocess.Popen([command_test.PROGRAM, "history", "add", name], cwd=self.folder,
                                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        for process in processes:
            stdout, stderr = process.communicate(timeout=self.patience_s)
            self.assertEqual((process.returncode, stderr), (0, ""), stdout)
        self.assertEqual(self.rows("SELECT host, count(*) FROM cases GROUP BY host"),
                         [("all", 50), *((f"node{number}", 150) for number in range(4))])
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])

    def test_a_writer_waits_for_another(self):
        self.add(self.results([record(1)]))
        connection = sqlite3.connect(self.folder / "history.sqlite", isolation_level=None)
        connection.execute("BEGIN EXCLUSIVE")
        name = self.results([record(1, 1)], "next.jsonl")
        with subprocess.Popen([command_test.PROGRAM, "history", "add", name], cwd=self.folder,
                              stdout=subprocess.PIPE) as process:
            time.sleep(0.5)
            self.assertIsNone(process.poll())
            connection.execute("COMMIT")
            self.assertIn(b"added 1 runs", process.communicate(timeout=self.patience_s)[0])
        connection.close()

    def test_a_killed_writer_leaves_all_or_nothing(self):
        self.add(self.results([record(1)]))
        name = self.results([record(1 + 1e-6 * day, day) for day in range(3000)], "many.jsonl")
        with subprocess.Popen([command_test.PROGRAM, "history", "add", name], cwd=self.folder,
                              stdout=subprocess.DEVNULL) as process:
            while process.poll() is None and not (self.folder / "history.sqlite-journal").exists():
                time.sleep(0.001)
            process.send_signal(signal.SIGKILL)
        self.expect_success("history", "show", "--json")
        self.assertIn(self.rows("SELECT count(*) FROM cases"), ([(1,)], [(3001,)]))

    def test_a_file_that_cannot_be_used_leaves_the_store_as_it_was(self):
        self.add(self.results([record(1)]))
        good = self.results([record(1, 1)], "good.jsonl")
        bad = self.results([record(1, 2), {**record(1, 3), "ranks": "two"}], "bad.jsonl")
        self.expect_refusal(2, ["bad.jsonl, line 2: key /ranks: found"], "history", "add", good, bad)
        self.assertEqual(self.rows("SELECT count(*) FROM cases"), [(1,)])


class Refusals(HistoryTest):
    def refuse(self, patterns, *words):
        self.expect_refusal(2, patterns, "history", *words)

    def test_stores(self):
        self.refuse(["history 'history.sqlite' is not there, expected what `history add` makes"], "show")
        self.add(self.results([record(1 + 0.01 * day, day) for day in range(100)]))
        whole = (self.folder / "history.sqlite").read_bytes()
        for words in (["show"], ["add", "results.jsonl"]):
            for content, pattern in [(whole[:len(whole) // 2], "is damaged, or was cut off"),
                                     (whole[:50], "is damaged, or was cut off"),
                                     (b"n,ranks,seconds\n" * 50, "is no SQLite database")]:
                (self.folder / "bad.sqlite").write_bytes(content)
                self.refuse(["history 'bad.sqlite'", pattern], *words, "--store", "bad.sqlite")
                self.assertEqual((self.folder / "bad.sqlite").read_bytes(), content)
            connection = sqlite3.connect(self.folder / "history.sqlite")
            connection.execute("PRAGMA user_version = 2")
            connection.close()
            self.refuse(["history.sqlite': found version 2 of the tables, expected 1"], *words)
            connection = sqlite3.connect(self.folder / "other.sqlite")
            connection.execute("CREATE TABLE IF NOT EXISTS addresses (name TEXT)")
            connection.close()
            self.refuse(["other.sqlite': is no history, expected"], *words, "--store", "other.sqlite")
            self.refuse(["history '.': unable to open"], *words, "--store", ".")
            self.refuse(["--store: found ''"], *words, "--store", "")
        (self.folder / "empty.sqlite").write_bytes(b"")
        self.refuse(["empty.sqlite': is no history, expected"], "show", "--store", "empty.sqlite")

    def test_inputs(self):
        (self.folder / "folder").mkdir()
        self.refuse(["folder 'folder' has neither results.jsonl nor machine.json"], "add", "folder")
        self.refuse(["'none' is not there, expected a results file"], "add", "none")
        self.refuse(["paths"], "add")
        self.refuse(["line 1: found schema 'bellwether.record/2'"], "add",
                    self.results([record(1, schema="bellwether.record/2")]))
        for key, value in [("time", None), ("time", "yesterday"), ("host", None)]:
            self.refuse([r"line 2: found host .* and time .* expected both"], "add",
                        self.results([record(1), record(1, **{key: value})]))
        machine = json.loads(MACHINE.read_text())
        machine["schema"] = "bellwether.machine/9"
        (self.folder / "machine.json").write_text(json.dumps(machine))
        self.refuse(["machine.json: key /schema: found", "bellwether.machine/1"], "add", "machine.json")

    def test_choices(self):
        self.add(self.results([record(1)]))
        for words in (["--case", "lbm"], ["--host", "node2"], ["--host", "node"]):
            self.refuse(["found no case with '.*' on a host '.*'"], "show", *words)
        self.refuse(["found nothing, expected one of: add, show"])


class Show(HistoryTest):
    def test_a_step_is_shown_with_what_changed(self):
        self.add(self.results(self.step()))
        document = self.expect_json("history", "show")
        changed, steady = document["cases"]
        self.assertEqual((changed["answer"], steady["answer"]), ("slower", "steady"))
        self.assertEqual([level["since"][:10] for level in changed["levels"]], ["2026-03-01", "2026-03-29"])
        self.assertEqual([one["occasions"] and len(one["occasions"]) for one in document["cases"]], [40, 40])
        change = changed["levels"][1]["change"]
        self.assertAlmostEqual(change["relative"]["value"], 0.05, delta=0.01)
        self.assertLess(change["chance"], 0.005)
        self.assertEqual(change["provenance"],
                         [{"what": "gpu.driver", "before": "550.54", "after": "560.28"}])
        self.expect_published(document, "history/history.schema.json")
        del changed["levels"][1]["change"]["relative"]
        with self.assertRaises(jsonschema.ValidationError):
            self.expect_published(document, "history/history.schema.json")

    def test_text(self):
        self.add(self.results(self.step() + [record(9e-3, 3, host="node2"), record(8e-3, 4, passed=False)]))
        self.compare("history.txt", self.expect_success("history", "show"))

    def test_energy_has_a_column_where_it_was_counted(self):
        runs = [record(1e-2, day) for day in range(3)]
        for one, joules in zip(runs, [3.0, 9.0]):
            one["energy"] = {"joules_per_step": joules, "watts": {"packages": 100.0}}
        self.add(self.results([*runs, record(1e-2, host="node2")]))
        heading, first, second = self.expect_success("history", "show").splitlines()[-3:]
        self.assertRegex(heading, r"\[95 %\] +energy +change$")
        self.assertRegex(first, r" node1 .* 6 J +too few$")
        self.assertRegex(second, r" node2 .* - +too few$")
        counted, uncounted = self.expect_json("history", "show")["cases"]
        self.assertEqual(counted["levels"][0]["joules_per_step"], 6)
        self.assertEqual([one.get("joules_per_step") for one in counted["occasions"]], [3, 9, None])
        self.assertNotIn("joules_per_step", uncounted["levels"][0])

    def test_calibrated_times_have_trends_too(self):
        machine = json.loads(MACHINE.read_text())
        source = random.Random(5)
        for day in range(24):
            machine["provenance"] = {"host": "node1"}
            machine["date"] = (FIRST + datetime.timedelta(days=day)).strftime("%Y-%m-%dT%H:%M:%SZ")
            machine["layout"].update(ranks=4, ranks_per_node=2)
            machine["collective_times"] = {
                name: [{"bytes": bytes, "time_s": {"value": bytes * 1e-9 * factor * (1 + 0.01 * source.gauss(0, 1))}}
                       for bytes in (8, 4096)]
                for name, factor in [("alltoall", 1 if day < 12 else 1.2), ("bcast", 1)]}
            (self.folder / "machine.json").write_text(json.dumps(machine))
            self.add("machine.json")
        document = self.expect_json("history", "show", "--parameter", "collective_times")
        self.assertEqual([(one["case"], one["answer"]) for one in document["cases"]], [
            *((f"collective_times.alltoall[bytes {bytes}].time_s", "slower") for bytes in (4096, 8)),
            *((f"collective_times.bcast[bytes {bytes}].time_s", "steady") for bytes in (4096, 8))])
        changed = document["cases"][0]
        self.assertEqual((changed["host"], changed["layout"]), ("node1", "4 ranks on 2 nodes"))
        self.assertEqual(changed["levels"][1]["since"][:10], "2026-03-13")
        self.assertAlmostEqual(changed["levels"][1]["change"]["relative"]["value"], 0.2, delta=0.02)
        self.expect_published(document, "history/history.schema.json")
        text = self.expect_success("history", "show", "--parameter", "alltoall[bytes 8]")
        self.assertTrue(text.startswith("1 calibrated time on 1 host: 1 SLOWER than before"), text)
        self.expect_refusal(2, ["found no calibrated time with 'barrier' on a host"], "history", "show",
                            "--parameter", "barrier")
        self.expect_refusal(2, ["--case, --parameter: found both"], "history", "show", "--parameter", "alltoall",
                            "--case", "diffusion")

    def test_cases_and_hosts_are_chosen(self):
        self.add(self.results([record(1), record(1, overlap="on"), record(1, host="node2"),
                               record(1, nodes=2)]))

        def found(*words):
            return [(one["host"], "overlap on" in one["case"])
                    for one in self.expect_json("history", "show", *words)["cases"]]

        self.assertEqual(found("--host", "node*"), [("node1", False), ("node2", False), ("node1", True)])
        self.assertEqual(found("--case", "overlap on"), [("node1", True)])
        self.assertEqual(found("--host", "2 nodes", "--case", "diffusion"), [("2 nodes", False)])

    def test_a_page_has_a_picture_of_it(self):
        self.add(self.results(self.step()))
        self.expect_success("report", "history.sqlite", "-o", "page.html")
        page = (self.folder / "page.html").read_text(encoding="utf-8")
        self.assertIn("<h2>Over time</h2>", page)
        self.assertIn("560.28", page)
        self.assertRegex(page, r"<td>\+[45]\.\d %</td>")
        (self.folder / "bad.sqlite").write_bytes((self.folder / "history.sqlite").read_bytes()[:5000])
        self.expect_refusal(2, ["bad.sqlite", "cut off"], "report", "bad.sqlite", "-o", "page.html")


class Export(HistoryTest):
    def measured(self):
        self.expect_success("run", "diffusion", "--cells", 17, 13, 11, "--steps", 50, "--machine", MACHINE,
                            "--probe", "--repeats", 2, "-o", "results.jsonl", ranks=2)
        return self.records("results.jsonl")

    def test_csv_has_every_number(self):
        records = self.measured()
        self.expect_success("export", "results.jsonl", "-o", "all.csv")
        with open(self.folder / "all.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(len(rows), len(records))
        for row, one in zip(rows, records):
            for pointer, number in numbers(one).items():
                self.assertEqual(json.loads(row[pointer]), number, pointer)
            self.assertEqual(row["/provenance/compiler"], one["provenance"]["compiler"])
            self.assertEqual((row["host"], row["date"]), (one["provenance"]["host"], one["provenance"]["time"]))

    def test_open_metrics_has_every_number(self):
        records = self.measured()
        families = open_metrics_test.parse(self.expect_success("export", "results.jsonl", "--format", "openmetrics"))
        units = {name: family.metadata.get("UNIT") for name, family in families.items()}
        self.assertEqual(units["bellwether_seconds"], "seconds")
        self.assertEqual(units["bellwether_bytes_per_second"], "bytes_per_second")
        self.assertIsNone(units["bellwether_number"])
        found, verdicts = {}, []
        for family in families.values():
            for pairs, points in family.metrics.items():
                labels = dict(pairs)
                self.assertEqual(labels["app"], "diffusion")
                for when, value in points:
                    if family.name == "bellwether_verdict":
                        verdicts += [labels["answer"]] * int(value)
                    else:
                        run = labels["case"], labels.get("repeat"), when
                        found.setdefault(run, {})[labels["number"]] = value
        self.assertEqual(sorted(verdicts), sorted(one["verdict"]["answer"] for one in records))
        expected = [{pointer: float(number) for pointer, number in numbers(one).items()} for one in records]
        self.assertEqual(len(expected), 4)
        self.assertCountEqual(found.values(), expected)
        self.assertEqual({when for _, _, when in found}, {
            datetime.datetime.fromisoformat(one["provenance"]["time"].replace("Z", "+00:00")).timestamp()
            for one in records})

    def test_open_metrics_in_order_of_time_and_escaped(self):
        tricky = 'a "quoted\\ node\n'
        name = self.results([record(3, 2), record(1, 0), record(2, 1), record(5, 1, host=tricky),
                             record(6, 1, host=tricky)])
        families = open_metrics_test.parse(self.expect_success("export", name, "--format", "openmetrics"))
        medians = {}
        for labels, points in families["bellwether_seconds"].metrics.items():
            labels = dict(labels)
            if labels["number"] == "/measured/total_s/median":
                medians[labels["host"], labels.get("repeat")] = points
        day, start = 86400, FIRST.replace(tzinfo=datetime.timezone.utc).timestamp()
        self.assertEqual(medians, {
            ("node1", None): [(start, 1.0), (start + day, 2.0), (start + 2 * day, 3.0)],
            (tricky, None): [(start + day, 5.0)], (tricky, "2"): [(start + day, 6.0)]})
        self.expect_refusal(2, ["found time '' in a record's provenance"], "export",
                            self.results([record(1, time=None)]), "--format", "openmetrics")

    def test_sqlite_is_the_history(self):
        name = self.results([record(1), record(2, 1)])
        self.expect_success("export", name, "--format", "sqlite", "-o", "exported.sqlite")
        self.add(name)
        for sql in ("SELECT sql FROM sqlite_master", "SELECT * FROM cases"):
            self.assertEqual(self.rows(sql, "exported.sqlite"), self.rows(sql))
        self.assertIn("-- seconds per step: median", self.rows("SELECT sql FROM sqlite_master")[0][0])
        self.expect_refusal(2, ["sqlite: found no -o"], "export", name, "--format", "sqlite")
        self.expect_refusal(2, ["--app and --where choose a series for --format extra-p"], "export", name,
                            "--where", "overlap=off")


if __name__ == "__main__":
    unittest.main()
