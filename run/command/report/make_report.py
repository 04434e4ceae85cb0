# SPDX-License-Identifier: MIT
"""Makes the report's page (standard output) of what `bellwether report` read (standard input):
pictures by matplotlib, the page by jinja2 of report.html."""
import json
import sys

import jinja2
import matplotlib

import case_pictures
import history_pictures
import machine_pictures
from report_cases import Case, answer_of, case_rows, furthest, summary
from report_style import STYLE, titled

BARS_A_PICTURE = 10
# A page that is read and a time that is waited for: of more cases those that need a look.
MOST_DRAWN, MOST_ROWS = 40, 400
KINDS = {"right": "result", "healthy": "health", "promised": "as promised", "before": "as before",
         "siblings": "as its siblings", "specified": "as specified"}
VERDICTS = {"wrong": "bad", "fail": "bad", "missing": "bad", "warning": "off", "not judged": "dim",
            "pass": "good"}


GLOSSARY = [
    ("normal", "The time is among the nine in ten of this machine's runs, and for its speed during the run where "
               "that was measured; else it is slower or faster."),
    ("cannot tell", "The ends of that interval are more than a factor of 2 apart, or ranks shared cores."),
    ("error", "(predicted − measured) / measured; below zero the run took longer than predicted."),
    ("at probe", "Against the machine's speed during the run, where that was measured (--probe)."),
    ("refined, paper", "The suite's form of the performance model, which verdicts go by; the published equations."),
    ("share of limit", "Of the calibrated memory bandwidth or matrix product. Above all of it a cache served the "
                       "data, or the calibration met a slower moment."),
    ("wait, network", "Waiting for neighbours to arrive; time in MPI. Where waiting has no time of its own, the "
                      "measured network holds it."),
    ("not attributed", "The part of the measured total that no term has: medians do not add up."),
    ("occasion", "A job, or an hour, of a history: repeats in it tell one moment of the machine."),
]


def facts(cases, machines):
    """What was run, and where: each fact with the values that occur."""
    found = {}
    for source in [*(case.record.get("provenance") or {} for case in cases),
                   *(machine.get("provenance") or {} for machine in machines)]:
        for key, one in source.items():
            if key in ("request", "time", "command_line"):
                continue
            text = one if isinstance(one, str) else json.dumps(one).replace("\\\\", "\\")
            found.setdefault(key, {})[text] = None
    return [[key, "; ".join([*values][:4]) + (f"; and {len(values) - 4} more"
                                              if len(values) > 4 else "")]
            for key, values in sorted(found.items())]


def chunks(all_, size):
    return [all_[i:i + size] for i in range(0, len(all_), size)]


def left_out(cases, drawn, rows):
    """A sentence, also on standard error; none where all are shown."""
    right = sum(case.right for case in cases)
    if drawn == right and rows == len(cases):
        return ""
    text = (f"Of {len(cases)} cases the table has {rows} and the pictures have {drawn}: wrong results, "
            "and those furthest from their prediction. A page of fewer results files shows more.")
    print(f"bellwether: report: {text}", file=sys.stderr)
    return text


def verdict_part(document):
    """What an acceptance found, worst first: a list of what is not as it should be, and the
    rest."""
    order = list(VERDICTS)
    found = sorted(document["findings"], key=lambda one: order.index(one["verdict"])
                   if one["verdict"] in order else -1)
    rows = [{"verdict": one["verdict"], "kind": KINDS.get(one["kind"], one["kind"]),
             "sentence": one["sentence"], "colour": VERDICTS.get(one["verdict"], "bad")}
            for one in found]
    leaves = {}  # of a fleet, its nodes by their leaf switches
    for node in document.get("nodes", []):
        leaves.setdefault(node.get("leaf", ""), []).append(
            {"says": f"{node['name']}: {node['state']}", "colour": VERDICTS[node["verdict"]]})
    return {"word": document["verdict"], "suite": document["suite"], "leaves": sorted(leaves.items()),
            "colour": {"pass": "good", "pass with warnings": "off"}.get(document["verdict"], "bad"),
            "off": [row for row in rows if row["verdict"] not in ("pass", "not judged")],
            "rest": [row for row in rows if row["verdict"] in ("pass", "not judged")]}


def main():
    document = json.load(sys.stdin)
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE)
    cases = [Case(one["name"], one["record"]) for one in document["cases"]]
    machines = document["machines"]
    sections = [history_pictures.over_time(document["history"])]
    right = furthest([case for case in cases if case.right], MOST_DRAWN)
    shown = furthest(cases, MOST_ROWS)
    for app in dict.fromkeys(case.app for case in right):
        mine = [case for case in right if case.app == app]
        pieces = chunks(mine, BARS_A_PICTURE)
        for number, piece in enumerate(pieces):
            part = f", {number + 1} of {len(pieces)}" if len(pieces) > 1 else ""
            sections.append({"title": f"{app}: predicted beside measured, term by term{part}",
                             "picture": case_pictures.stacked_bars(piece),
                             "tables": [case_pictures.term_table(piece)]})
    sections.append(case_pictures.limits(right))
    sections += [machine_pictures.roofline(machine, right) for machine in machines]
    sections.append(case_pictures.ranks(right))
    sections += [machine_pictures.memory(machine) for machine in machines]
    sections += [machine_pictures.scaling(one) for one in document["predictions"]]
    verdicts = [verdict_part(one) for one in document["verdicts"]]
    tiles, sentences, more = summary(cases)
    not_run = document["not_run"]
    sentences = [f"Did not run: {one}" for one in not_run] + sentences
    rows, counts_energy = case_rows(shown)
    machine = machines[0] if machines else None
    hosts = sorted({rank["host"] for case in cases for rank in case.record.get("per_rank") or []})
    times = sorted(filter(None, (
        (one or {}).get("time") for one in
        [*(case.record.get("provenance") for case in cases),
         *(machine.get("provenance") for machine in machines)])))
    page = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True,
                              undefined=jinja2.StrictUndefined).from_string(document["page"])
    sys.stdout.reconfigure(encoding="utf-8")
    page = page.render(
        title=document["title"] or (f"Bellwether on {machine['name']}" if machine else
                                    "Bellwether report"),
        description=machine.get("description", "") if machine else "",
        answer=answer_of(cases, not_run, verdicts, document["history"]), verdicts=verdicts, glossary=GLOSSARY,
        hosts=hosts, times=times, tiles=tiles, sentences=sentences, more=more,
        rows=rows, counts_energy=counts_energy, left_out=left_out(cases, len(right), len(shown)),
        sections=[titled(one) for one in sections if one],
        warnings=[f"{one['name']}: {text}" for one in machines for text in one.get("warnings", [])],
        facts=facts(cases, machines), files=document["files"], version=document["version"])
    sys.stdout.write(page.replace("\\$", "$"))


if __name__ == "__main__":
    main()
