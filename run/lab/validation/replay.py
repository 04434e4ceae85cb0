# SPDX-License-Identifier: MIT
"""Predicts the records of a corpus again from their problems and their machine file, without MPI; what each
part of the machine file is worth; and baselines that know no model."""
import concurrent.futures
import copy
import json
import math
import os
import pathlib
import tempfile

from validation import again, report, rows, statistics
from validation.corpus import Unusable

WORSE = 0.005  # half a point of the median or the 95th percentile
# Parts of a machine file that are no parameters.
NO_PARAMETERS = {"schema", "name", "description", "date", "source", "provenance", "layout", "warnings",
                 "samples", "kind", "backend", "memory_bytes", "observed_s", "span_s"}


def all_predicted(program, records, machine):
    with tempfile.TemporaryDirectory() as folder, \
            concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        file = pathlib.Path(folder) / "machine.json"
        file.write_text(json.dumps(machine))
        return list(pool.map(lambda record: again.predicted(program, record, file), records))


def row(record, point):
    measured_s = record["measured"]["total_s"]["median"]
    return {"app": record["app"], "size": rows.size_of(record), "measured_s": measured_s,
            "predicted_s": point["total_s"], "error": point["total_s"] / measured_s - 1,
            "covered": point["low_s"] <= measured_s <= point["high_s"],
            "width": point["high_s"] / point["low_s"]}


def work(record):
    """Units of one step, as the record's rate counts them."""
    return record["rate"]["value"] * record["measured"]["total_s"]["median"]


def without_a_model(records):
    """For each record the errors of two who know no model, from the corpus' other sizes of the same
    mini-app, precision, ranks and variant: time per unit of work, its median and the nearest size's."""
    def kind(record):
        return json.dumps([record["app"], record["problem"].get("precision"), record["ranks"],
                           record["variant"]], sort_keys=True)
    errors = []
    for record in records:
        measured_s, units = record["measured"]["total_s"]["median"], work(record)
        others = [other for other in records if kind(other) == kind(record)
                  and rows.size_of(other) != rows.size_of(record)]
        per_unit = [other["measured"]["total_s"]["median"] / work(other) for other in others]
        if not others:
            errors.append((None, None))
            continue
        nearest = min(range(len(others)), key=lambda at: abs(math.log(work(others[at]) / units)))
        errors.append(tuple(seconds * units / measured_s - 1
                            for seconds in (statistics.median(per_unit), per_unit[nearest])))
    return errors


def figures(found, baselines):
    """Of one corpus by mini-app and of all: sizes of errors, coverage, the median interval's width
    (high / low), and the baselines' median errors."""
    groups = {app: [at for at, one in enumerate(found) if one["app"] == app] for app in again.OPTIONS}
    groups["all"] = range(len(found))
    summed = {}
    for name, members in groups.items():
        if members:
            chosen = [found[at] for at in members]
            summed[name] = {key: value for key, value in statistics.summary(chosen).items()
                            if key not in ("p90", "worst")}
            summed[name]["width"] = statistics.median([one["width"] for one in chosen])
            for side, baseline in enumerate(("constant", "nearest")):
                errors = [abs(baselines[at][side]) for at in members if baselines[at][side] is not None]
                summed[name][baseline] = statistics.median(errors) if errors else None
    return {name: {key: value if not isinstance(value, float) else round(value, 4)
                   for key, value in one.items()} for name, one in summed.items()}


def points_of(program, corpus):
    """The prediction of each record. Throws Unusable where one is not predicted."""
    points = all_predicted(program, corpus.records, corpus.machine)
    failed = [(record, point["why_not"]) for record, point in zip(corpus.records, points)
              if "why_not" in point]
    if failed:
        record, why = failed[0]
        raise Unusable(f"{corpus.name}: {len(failed)} of {len(points)} records are not predicted, the first "
                       f"{record['app']} {rows.size_of(record)}: {why}")
    return points


def figures_of(program, corpus):
    """Figures by mini-app."""
    found = map(row, corpus.records, points_of(program, corpus))
    return figures(list(found), without_a_model(corpus.records))


def worse(now, before):
    """What is worse by more than half a point: medians and 95th percentiles, a line each."""
    return [f"{corpus}, {name}: {what} {report.percent(one[what], False)}, before "
            f"{report.percent(before[corpus][name][what], False)}"
            for corpus, groups in now.items() for name, one in groups.items() for what in ("median", "p95")
            if name in before.get(corpus, {}) and one[what] > before[corpus][name][what] + WORSE]


def table(now, before):
    """All corpora, with the recorded figures in brackets where others."""
    def beside(value, old, shown):
        new = shown(value)
        return new if old is None or shown(old) == new else f"{new} ({shown(old)})"
    def percent(value):
        return report.percent(value, False)
    lines = []
    for corpus, groups in now.items():
        for name, one in groups.items():
            old = before.get(corpus, {}).get(name, {})
            lines.append([corpus, name, str(one["cases"]),
                          *(beside(one[what], old.get(what), percent) for what in
                            ("median", "p95", "coverage")),
                          beside(one["width"], old.get("width"), lambda value: f"{value:.2f}"),
                          percent(one["constant"]), percent(one["nearest"])])
    return report.table(["corpus", "mini-app", "runs", "median error", "95th percentile", "covered",
                         "width", "constant rate", "nearest size"], lines)


def parts(machine):
    """Names of what can be taken out of a machine file: members to the fourth depth, and of lists the
    items that share a word or a whole number."""
    found = []
    def walk(value, path):
        if not isinstance(value, dict) or "value" in value or len(path) == 4:
            return
        for key, member in value.items():
            if key in NO_PARAMETERS:
                continue
            found.append((*path, key))
            if isinstance(member, list) and member and isinstance(member[0], dict):
                found.extend((*path, key, (name, shared)) for name, shared in shared_by_some(member))
            walk(member, (*path, key))
    walk(machine, ())
    return found


def shared_by_some(items):
    pairs = []
    for name in items[0]:
        values = {item.get(name) for item in items if isinstance(item.get(name), (str, int))}
        if 1 < len(values) <= 8:
            pairs += [(name, value) for value in sorted(values, key=str)]
    return pairs


def without(machine, part):
    changed = copy.deepcopy(machine)
    *path, last = part
    inside = changed
    for key in path[:-1] if isinstance(last, tuple) else path:
        inside = inside[key]
    if isinstance(last, tuple):
        inside[path[-1]] = [item for item in inside[path[-1]] if item.get(last[0]) != last[1]]
    else:
        del inside[last]
    return changed


def name_of(part):
    return ".".join(f"[{word[0]}={word[1]}]" if isinstance(word, tuple) else word for word in part).replace(
        ".[", "[")


def numbers_in(value):
    """Fitted numbers, one with its interval counted once."""
    if isinstance(value, dict):
        return 1 if "value" in value else sum(map(numbers_in, value.values()))
    if isinstance(value, list):
        return sum(map(numbers_in, value))
    return int(isinstance(value, (int, float)) and not isinstance(value, bool))


def ablated(program, corpus, only=()):
    """For each part (`only`: whose name begins so) its numbers, the largest change of a mini-app's median or
    95th percentile and how many runs' predictions it moves; or whose runs are not predicted without it."""
    whole = points_of(program, corpus)
    lines = []
    for part in parts(corpus.machine):
        if only and not name_of(part).startswith(only):
            continue
        machine = without(corpus.machine, part)
        points = all_predicted(program, corpus.records, machine)
        lost = sorted({record["app"] for record, point in zip(corpus.records, points) if "why_not" in point})
        lines.append({"part": name_of(part), "numbers": numbers_in(corpus.machine) - numbers_in(machine),
                      **({"needed_by": lost} if lost else difference(corpus.records, whole, points))})
    return lines


def difference(records, whole, points):
    """Between two predictions of each record."""
    none = [(None, None)] * len(records)
    before, now = (figures(list(map(row, records, some)), none) for some in (whole, points))
    changes = [(now[app][what] - before[app][what], app, what) for app in now for what in ("median", "p95")]
    by, app, what = max(changes, key=lambda change: abs(change[0]))
    return {"worse_by": by, "app": app, "what": what,
            "moved": sum(abs(new["total_s"] / old["total_s"] - 1) > 0.001 for old, new in zip(whole, points))}


def ablation_table(corpus, lines):
    apps = len({app for one in lines for app in one.get("needed_by", [])})
    def worth(one):
        if "needed_by" in one:
            return "not read without it" if len(one["needed_by"]) == apps > 1 else \
                "needed by " + ", ".join(one["needed_by"])
        return f"{100 * one['worse_by']:+.1f} points: {one['app']}, {one['what']}" if one["worse_by"] else "none"
    return report.table(["corpus", "without", "numbers", "largest change", "runs moved"],
                        [[corpus, one["part"], str(one["numbers"]), worth(one), str(one.get("moved", "-"))]
                         for one in lines])
