# SPDX-License-Identifier: MIT
"""The tables of run/lab/validate, in Markdown that reads well as text too."""
from validation import statistics

TARGETS, LINK = {"median": 0.10, "worst": 0.25}, 0.05
BETWEEN = "between nodes"


def table(head, rows):
    widths = [max(len(line[column]) for line in [head, *rows]) for column in range(len(head))]
    def text(line):
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(line, widths)) + " |"
    return "\n".join([text(head), "| " + " | ".join("-" * width for width in widths) + " |",
                      *map(text, rows)])


def percent(value, sign=True):
    return "-" if value is None else f"{100 * value:{'+' if sign else ''}.1f} %"


def milliseconds(seconds):
    return f"{1e3 * seconds:.3f} ms"


def cases_table(rows):
    def line(row):
        marks = [text for text, applies in (
            ("held out", row["held_out"]), ("network term", row["what"] == "network"),
            ("outside calibrated range", row["outside_range"]),
            ("NOT VERIFIED", not row["verified"])) if applies]
        hidden = "-" if row["hidden_measured"] is None else \
            f"{percent(row['hidden_predicted'], False)} / {percent(row['hidden_measured'], False)}"
        return [row["app"], size(row), row["overlap"], row["network"],
                milliseconds(row["predicted_s"]), milliseconds(row["measured_s"]),
                runs(row), percent(row["error"]), percent(row["error_at_probe"]), covered(row),
                hidden, ", ".join(marks)]
    return table(["app", "size", "overlap", "network", "predicted", "measured", "runs", "error",
                  "at the probe", "in the interval", "hidden: predicted / measured", "note"],
                 [line(row) for row in rows])


def covered(row):
    """Whether the 90 % interval holds the run: as predicted, and at the probe. Of files of before
    there was one, whether the machine's interval and the measured one meet."""
    probed = row.get("covered_at_probe")
    return yes(row["covered"]) + ("" if probed is None else f" / {yes(probed)}")


def yes(so):
    return "yes" if so else "no"


def size(row):
    return f"{row['size']} {row.get('precision', '')}".rstrip()


def runs(row):
    """How far the runs of a case lie apart, or which of them it is where each is a line."""
    if "turn" in row:
        return str(row["turn"])
    low, high = row.get("measured_range_s", (row["measured_s"],) * 2)
    return f"{percent(low / row['measured_s'] - 1)} to {percent(high / row['measured_s'] - 1)}"


def links_table(rows):
    return table(["network", "what", "expected", "found", "error"],
                 [[row["network"], row["what"], f"{row['expected']:.2f}", f"{row['found']:.2f}",
                   percent(row["error"])] for row in rows])


def groups(rows):
    """Rows of each network, of all between nodes, of the sizes that were held out, and of all; and
    those between nodes at the memory bandwidth of the moment."""
    named = {}
    for row in rows:
        named.setdefault(row["network"], []).append(row)
    between = [row for row in rows if row["nodes"] > 1]
    if between:
        named[BETWEEN] = between
    held_out = [row for row in rows if row["held_out"]]
    if held_out:
        named["held out"] = held_out
        named["seen"] = [row for row in rows if not row["held_out"]]
    if rows:
        named["all"] = rows
    for name in (BETWEEN, "held out", "all"):
        if name in named:
            named[f"{name}, at the probe"] = [probed(row) for row in named[name]]
    return {name: statistics.summary(group) for name, group in named.items()}


def at_probe(row):
    """The error at the memory bandwidth of the moment; where that was not probed, as it is."""
    return row["error"] if row["error_at_probe"] is None else row["error_at_probe"]


def probed(row):
    """The row as it is at the speed of the moment."""
    found = row.get("covered_at_probe")
    return dict(row, error=at_probe(row), covered=row["covered"] if found is None else found)


def summary_table(summaries):
    return table(["cases", "number", "median error", "90th percentile", "worst", "covered"],
                 [[name, str(one["cases"]), percent(one["median"], False),
                   percent(one["p90"], False), percent(one["worst"], False),
                   percent(one["coverage"], False)] for name, one in summaries.items()])


def by_app_table(summaries):
    """Percentiles that files of before they were counted do not have: -."""
    def line(name):
        sides = summaries[name], summaries[f"{name}, at the probe"]
        return [name, str(sides[0]["cases"]), *(
            percent(one.get(what), False) for one in sides for what in ("median", "p95", "coverage"))]
    return table(["mini-app", "runs", "median error", "95th percentile", "in the interval",
                  "at the probe: median", "95th percentile", "in the interval"],
                 [line(name) for name in summaries if not name.endswith("at the probe")])


def history(documents):
    """Results files by name, each as it was measured then, a line each."""
    def errors(document, group):
        one = document["summary"].get(group, {})
        return "; ".join(percent(one.get(what), False) for what in ("median", "p95", "coverage"))
    def line(name, document):
        cpu = document["cpu"].replace("(R)", "").replace(" Processor", "")
        return [name.removesuffix(".json"), cpu, str(document["summary"]["all"]["cases"]),
                errors(document, "all"), errors(document, "all, at the probe")]
    return table(["file", "CPU", "runs", "as calibrated", "at the probe"],
                 [line(name, document) for name, document in documents.items() if "summary" in document])


def missed_targets(summaries, name, targets):
    """Of a group of cases, by "median" and "worst"."""
    return [f"{name}: {what} error {percent(summaries[name][what], False)}, at most "
            f"{percent(most, False)} expected" for what, most in targets.items()
            if name in summaries and summaries[name][what] > most]


def not_verified(rows):
    return [f"{row['app']} {size(row)} on {row['network']}: not verified"
            for row in rows if not row["verified"]]


def verdict(summaries, link_rows, rows):
    """What was to be met and was not. The errors between nodes, at the memory bandwidth of the moment:
    a shared machine's neighbours take theirs from calibration and run alike, and not the network's."""
    missed = missed_targets(summaries, f"{BETWEEN}, at the probe", TARGETS)
    missed += [f"{row['network']}, {row['what']}: {percent(row['error'])}, within "
               f"{percent(LINK, False)} expected" for row in link_rows if abs(row["error"]) > LINK]
    return missed + not_verified(rows)


def text(document):
    parts = [f"Validation of {document['date']}, {document['cpu']}, {document['cores']} cores"]
    if document["links"]:
        parts += ["Links: what calibration found beside the rate less headers (Ethernet 14, IP 20, "
                  "TCP 32 bytes of each packet), and beside equal shares for pairs at once:",
                  links_table(document["links"])]
    if document["cases"]:
        by_app = "targets" in document
        which = "each run" if by_app else "the middle one of three runs and how far the others lie " \
            "from it"
        parts += [f"Cases: refined prediction beside measurement, per step, {which}; at the probe: the "
                  "error once compute terms are scaled to the speed measured between the samples, of "
                  "memory or of Airfoil's loops; in the interval: whether the 90 % interval holds the "
                  "run, as it is / at the probe; hidden: what overlap saved, of the network's time "
                  "without it:",
                  cases_table(document["cases"]),
                  by_app_table(document["summary"]) if by_app else
                  summary_table(document["summary"])]
    if document.get("disturbed"):
        parts.append(f"Disturbed: a process copied {document['disturbed']:g} GB/s beside the runs, not "
                     "beside the calibration.")
    parts += document["notes"]
    parts += [f"MISSED: {line}" for line in document["missed"]]
    if not document["missed"]:
        parts.append("All targets met." if document["cases"] or document["links"] else
                     "Nothing was measured.")
    return "\n\n".join(parts)
