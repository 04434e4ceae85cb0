# SPDX-License-Identifier: MIT
"""`fleet`: plans, what a batch system is given, and verdicts of folders as jobs leave them, made up here."""
import collections
import itertools
import json
import pathlib
import random
import re
import subprocess
import time
import unittest
import xml.etree.ElementTree

import golden_test

TIME = "2026-12-01T00:00:00Z"


class FleetTest(golden_test.GoldenFiles):
    def plan(self, nodes, *words):
        (self.folder / "nodes").write_text(nodes)
        self.said = self.expect_success("fleet", "plan", "--nodes", "nodes", "-o", "fleet", *words)
        plan = json.loads((self.folder / "fleet" / "plan.json").read_text())
        self.expect_published(plan, "fleet/fleet.schema.json")
        return plan

    def results(self, plan, seed=1, *, slow=(), slow_link=None, hung=(), missing=(), began=None):
        """What jobs leave: `slow` node's memory takes a quarter longer, slow_link's messages half as long again."""
        source = random.Random(seed)
        jobs = self.folder / "fleet" / "jobs"
        jobs.mkdir(exist_ok=True)
        for job in plan["jobs"]:
            nodes = job["nodes"]
            if set(nodes) & set(missing) or len(nodes) == 2 and set(nodes) & set(hung):
                continue
            begin = int(began or time.time() - 3600)
            (jobs / f"{job['name']}.started").write_text(f"{plan['made']} {begin}\n")
            if nodes[0] in hung:
                (jobs / f"{nodes[0]}.ended").write_text(f"143 {begin + 500}\n")
                continue
            self.result(source, jobs / job["name"], nodes, 1.25 if nodes[0] in slow else 1,
                        1.5 if job["name"] == slow_link else 1)

    def result(self, source, folder, nodes, memory, link):
        folder.mkdir()
        ranks = [number for number in range(len(nodes)) for _ in range(2)]
        own = {what: source.gauss(0, 0.01) for what in ["memory", "arithmetic", "link"]}

        def times(seconds, what):
            return [seconds * (1 + own[what] + source.gauss(0, 0.01)) for _ in ranks]

        lines = []
        for _ in range(20):
            occasion = {"schema": "bellwether.siblings/1", "hosts": [nodes[number] for number in ranks],
                        "nodes": ranks, "clocks": {"steady_s": [1] * len(ranks), "system_s": [1] * len(ranks),
                                                   "barrier_s": 0},
                        "ranks": {"memory bandwidth": times(1e-2 * memory, "memory"),
                                  "arithmetic": times(2e-2, "arithmetic")}}
            if len(nodes) == 2:
                occasion["links"] = {"members": "nodes", "bytes": 1 << 20, "pairs": [
                    [0, 1, *(seconds * (1 + own["link"]) for seconds in [1e-6, 1e-4 * link])]]}
            lines.append(json.dumps(occasion))
        (folder / "siblings.jsonl").write_text("\n".join(lines) + "\n")
        (folder / "verdict.json").write_text(json.dumps({
            "schema": "bellwether.verdict/1", "suite": "node", "findings": [], "verdict": "pass",
            "layout": {"ranks": len(ranks), "nodes": len(nodes), "ranks_per_node": 2, "device": "kokkos/Serial"}}))
        total = {"median": 1e-2, "low": 1e-2, "high": 1e-2, "min": 1e-2, "max": 1e-2, "count": 9}
        (folder / "results.jsonl").write_text(5 * (json.dumps({
            "schema": "bellwether.record/1", "app": "diffusion", "ranks": len(ranks), "problem": {"cells": [9, 9, 9]},
            "variant": {"overlap": "off"}, "measured": {"total_s": total, "terms": {}},
            "verification": {"passed": True, "what": "mode decay", "value": 0, "tolerance": 1},
            "provenance": {"version": "0", "commit": "c"}}) + "\n"))

    def judged(self, status, *words):
        done = self.run_command("fleet", "judge", "fleet", *words)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout


class Plan(FleetTest):
    def test_every_pair_meets_once_in_a_whole_tournament(self):
        for count in [2, 7, 8]:
            with self.subTest(nodes=count):
                subprocess.run(["rm", "-rf", self.folder / "fleet"], check=True)
                plan = self.plan(f"n[1-{count}]\n", "--rounds", 1000)
                jobs = [tuple(sorted(job["nodes"])) for job in plan["jobs"]]
                names = [f"n{number}" for number in range(1, count + 1)]
                self.assertEqual(jobs[:count], [(name,) for name in names])
                self.assertEqual(sorted(jobs[count:]), sorted(itertools.combinations(names, 2)))
                self.assertEqual(plan["rounds"], count - 1 + count % 2)

    def test_fewer_rounds_have_each_node_once_each_and_pairs_far_and_near(self):
        plan = self.plan("n[1-100]\n", "--rounds", 6)
        pairs = [[int(name[1:]) for name in job["nodes"]] for job in plan["jobs"][100:]]
        self.assertEqual(len(pairs), 300)
        for begin in range(0, 300, 50):
            self.assertEqual(sorted(sum(pairs[begin:begin + 50], [])), list(range(1, 101)))
        self.assertEqual(set(collections.Counter(sum(pairs, [])).values()), {6})
        # Of all 4950 pairs 34 % are less than 20 apart, 4 % more than 80.
        apart = [abs(a - b) for a, b in pairs]
        self.assertAlmostEqual(sum(distance < 20 for distance in apart) / 300, 0.344, delta=0.1)
        self.assertAlmostEqual(sum(distance > 80 for distance in apart) / 300, 0.038, delta=0.03)

    def test_what_the_batch_system_is_given(self):
        printer = '#!/bin/bash\necho "${0##*/} $* | $TASK ${SUITE##*/} ${FOLDER##*/} $ALONE"\n'
        for scheduler, alone, pair in [
                ("slurm", "sbatch --nodes=1 --nodelist=b --time=11 --output=jobs/b.log job.sh",
                 "sbatch --nodes=2 --nodelist=a,b --time=11 --output=jobs/a+b.log job.sh"),
                ("pbs", "qsub -V -l select=1:ncpus=64:mpiprocs=64:host=b -l walltime=00:11:00 -j oe -o jobs/b.log "
                        "job.sh",
                 "qsub -V -l select=1:ncpus=64:mpiprocs=64:host=a+1:ncpus=64:mpiprocs=64:host=b "
                 "-l walltime=00:11:00 -j oe -o jobs/a+b.log job.sh"),
                ("lsf", "bsub -n 64 -m b -W 11 -o jobs/b.log",
                 "bsub -n 128 -m a b -W 11 -o jobs/a+b.log"),
                ("flux", "flux batch --nodes=1 --requires=host:b --time-limit=11m --output=jobs/b.log job.sh",
                 "flux batch --nodes=2 --requires=host:a,b --time-limit=11m --output=jobs/a+b.log job.sh")]:
            with self.subTest(scheduler=scheduler):
                subprocess.run(["rm", "-rf", self.folder / "fleet"], check=True)
                self.plan("a\nb\n", "--scheduler", scheduler, "--time-limit", 601)
                tool = self.folder / alone.split()[0]
                tool.write_text(printer)
                tool.chmod(0o755)
                # A job that is done is not submitted again.
                (self.folder / "fleet" / "jobs" / "a").mkdir(parents=True)
                (self.folder / "fleet" / "jobs" / "a" / "verdict.json").touch()
                said = subprocess.run(["bash", "fleet/submit.sh"], cwd=self.folder, text=True, check=True,
                                      env={"PATH": f"{self.folder}:/usr/bin:/bin"}, capture_output=True).stdout
                self.assertEqual(said.splitlines(), [f"{alone} | accept suite.json b ",
                                                     f"{pair} | accept link.json a+b a b"])
                script = (self.folder / "fleet" / "job.sh").read_text()
                self.assertEqual(re.findall(r"(?m)^limit_s=(\d+)", script),
                                 ["601"] if scheduler in ("pbs", "lsf") else [])
                tool.write_text("#!/bin/bash\nexit 1\n")
                failed = subprocess.run(["bash", "fleet/submit.sh"], cwd=self.folder, text=True, capture_output=True,
                                        env={"PATH": f"{self.folder}:/usr/bin:/bin"})
                self.assertEqual((failed.returncode, failed.stderr.splitlines()),
                                 (3, ["not submitted: b", "not submitted: a+b"]))

    def test_marks(self):
        plan = self.plan("a\nb\n")
        fleet = self.folder / "fleet"
        begin = (fleet / "job.sh").read_text().partition("module load")[0]
        for name, words, status in [("a", "exit 3", 3), ("a+b", "exit 4", 0)]:
            (fleet / "jobs").mkdir(exist_ok=True)
            done = subprocess.run(
                ["bash", "-c", f"{begin}{words}"],
                env={"PATH": "/usr/bin:/bin", "PLAN": plan["made"], "FOLDER": str(fleet / "jobs" / name),
                     "ALONE": "a b" if "+" in name else ""})
            self.assertEqual(done.returncode, status)
        self.assertEqual(sorted(path.name for path in (fleet / "jobs").iterdir()), ["a.ended", "a.started"])
        self.assertEqual((fleet / "jobs" / "a.started").read_text().split()[0], plan["made"])
        self.assertEqual((fleet / "jobs" / "a.ended").read_text().split()[0], "3")

    def test_refusals(self):
        (self.folder / "nodes").write_text("a\nb\n")
        (self.folder / "twice").write_text("a\nb[1-3]\nb2\n")
        (self.folder / "empty").write_text("\n")
        (self.folder / "there").mkdir()
        (self.folder / "there" / "x").touch()
        for patterns, words in [
                (["none"], ["--nodes", "none", "-o", "new"]),
                (["empty: found 0 nodes, expected two or more"], ["--nodes", "empty", "-o", "new"]),
                (["twice, line 3: found node b2 again"], ["--nodes", "twice", "-o", "new"]),
                (["-o: 'there' is there"], ["--nodes", "nodes", "-o", "there"]),
                (["--suite: found 'x'"], ["--nodes", "nodes", "-o", "new", "--suite", "x"]),
                (["--scheduler", "x"], ["--nodes", "nodes", "-o", "new", "--scheduler", "x"]),
                (["--rounds", "-1"], ["--nodes", "nodes", "-o", "new", "--rounds", "-1"]),
                (["--time-limit", "179"], ["--nodes", "nodes", "-o", "new", "--time-limit", "179"])]:
            self.expect_refusal(2, patterns, "fleet", "plan", *words)
        self.assertFalse((self.folder / "new").exists())


class Judge(FleetTest):
    def test_slow_hanging_and_missing_nodes_and_a_slow_link(self):
        plan = self.plan("node[01-24]\n", "--rounds", 5)
        link = next(job["name"] for job in plan["jobs"][24:] if not set(job["nodes"]) & {"node05", "node06", "node07"})
        self.results(plan, slow=["node05"], slow_link=link, hung=["node06"], missing=["node07"])
        self.compare("fleet.txt", golden_test.masked(self.judged(4).replace(link.replace("+", " - "), "LINK")))
        document = json.loads(self.judged(4, "--json"))
        self.assertEqual(document, json.loads((self.folder / "fleet" / "verdict.json").read_text()))
        self.expect_published(document, "acceptance/verdict.schema.json")
        self.assertEqual({node["name"]: node["state"] for node in document["nodes"] if node["state"] != "alike"},
                         {"node05": "slow", "node06": "hangs", "node07": "never started"})
        self.assertEqual(document["verdict"], "fail")
        self.assertEqual(document["links"]["slow"], 1)
        self.compare_keys("fleet_keys.txt", document)
        failures = xml.etree.ElementTree.parse(self.folder / "fleet" / "junit.xml").iter("failure")
        self.assertEqual(len(list(failures)), 4)

    def test_a_map_of_nodes_on_the_page(self):
        if subprocess.run(["/usr/bin/python3", "-c", "import matplotlib, jinja2"], check=False).returncode != 0:
            self.skipTest("no Python has matplotlib and jinja2")
        self.results(self.plan("node[1-6]\n", "--rounds", 0), hung=["node3"])
        (self.folder / "topology").write_text("SwitchName=east Nodes=node[1-4]\nSwitchName=west Nodes=node[5-6]\n")
        self.judged(4, "--topology", "topology")
        self.expect_success("report", "fleet", "-o", "page.html")
        rows = re.findall('<p class="nodes">(\\w+) (.*)</p>', (self.folder / "page.html").read_text())
        self.assertEqual([leaf for leaf, _ in rows], ["east", "west"])
        self.assertEqual([re.findall('class="(\\w+)" role="img" aria-label="(.*?)"', squares) for _, squares in rows], [
            [("good", "node1: alike"), ("good", "node2: alike"), ("bad", "node3: hangs"), ("good", "node4: alike")],
            [("good", "node5: alike"), ("good", "node6: alike")]])

    def test_all_alike(self):
        self.results(self.plan("node[01-12]\n"), seed=2)
        said = self.judged(0)
        self.assertTrue(said.startswith("VERDICT: pass (suite node; 0 wrong, 0 failed, 0 warned of"), said)

    def test_what_still_runs(self):
        self.results(self.plan("node[1-6]\n", "--rounds", 0))
        job = self.folder / "fleet" / "jobs" / "node3"
        (job / "verdict.json").unlink()
        for began, state in [(time.time() - 10, "still running"), (time.time() - 1021, "hangs")]:
            text = (job.parent / "node3.started").read_text().split()[0]
            (job.parent / "node3.started").write_text(f"{text} {began:.0f}\n")
            found = json.loads(self.judged(4, "--json"))
            self.assertEqual(found["nodes"][2]["state"], state)
        (job.parent / "node3.ended").write_text(f"3 {began + 5:.0f}\n")
        self.assertIn("node3: no result: its job ended with status 3", self.judged(4))

    def test_leaf_switches(self):
        plan = self.plan("node[1-12]\n")
        self.results(plan)
        (self.folder / "topology").write_text("SwitchName=east Nodes=node[1-6]\nSwitchName=west Nodes=node[7-12]\n")
        found = json.loads(self.judged(0, "--json", "--topology", "topology"))
        self.assertEqual([node["leaf"] for node in found["nodes"]], ["east"] * 6 + ["west"] * 6)

    def test_what_cannot_be_read_is_said_by_name(self):
        self.results(self.plan("node[1-8]\n", "--rounds", 0))
        jobs = self.folder / "fleet" / "jobs"
        (jobs / "node1" / "verdict.json").write_text('{"schema": "bellwether.ver')
        (jobs / "node2" / "siblings.jsonl").unlink()
        lines = (jobs / "node3" / "results.jsonl").read_text()
        (jobs / "node3" / "results.jsonl").write_text(lines.replace('"commit": "c"', '"commit": "d"'))
        (jobs / "node4.started").write_text("torn")
        (jobs / "node5" / "siblings.jsonl").write_text(
            (jobs / "node5" / "siblings.jsonl").read_text().replace("node5", "node6"))
        (jobs / "node6" / "results.jsonl").write_text(lines.replace("record/1", "record/9"))
        said = self.judged(4)
        for pattern in [r"node1: no result: .*node1/verdict.json", r"node2: no result: .*node2/siblings.jsonl",
                        r"node3: no result: not comparable: .* \(d\), where most have .* \(c\)",
                        r"node4: no result: .*node4.started: found 'torn'",
                        r"node5: no result: .*ran on node6, expected node5", r"node6: no result: .*record/9"]:
            self.assertRegex(said, pattern)

    def test_refusals(self):
        self.expect_refusal(2, ["none/plan.json"], "fleet", "judge", "none")
        plan = self.plan("node[1-8]\n", "--rounds", 0)
        self.expect_refusal(2, ["no job of fleet has begun: run bash fleet/submit.sh"], "fleet", "judge", "fleet")
        self.results(plan)
        self.expect_refusal(2, ["nowhere"], "fleet", "judge", "fleet", "--topology", "nowhere")
        mark = self.folder / "fleet" / "jobs" / "node3.started"
        mark.write_text(f"{TIME} 1\n")
        self.expect_refusal(2, [f"node3.started: found a job of the plan made {TIME}, expected of that made"],
                            "fleet", "judge", "fleet")
        for key, value, pattern in [("jobs", plan["jobs"][1:], "each of /nodes once"),
                                    ("schema", "bellwether.fleet/2", "bellwether.fleet/1"),
                                    ("limit_s", 0, "limit_s")]:
            (self.folder / "fleet" / "plan.json").write_text(json.dumps({**plan, key: value}))
            self.expect_refusal(2, ["plan.json", pattern], "fleet", "judge", "fleet")


if __name__ == "__main__":
    unittest.main()
