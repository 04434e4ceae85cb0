# SPDX-License-Identifier: MIT
"""The tables of run/validate, in Markdown that reads well as text too."""
from validation import statistics

MEDIAN, WORST, LINK = 0.10, 0.25, 0.05


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
        return [row["app"], row["size"], row["overlap"], row["network"],
                milliseconds(row["predicted_s"]), milliseconds(row["measured_s"]),
                percent(row["error"]), percent(row["error_at_probe"]), "yes" if row["covered"] else "no", hidden,
                ", ".join(marks)]
    return table(["app", "size", "overlap", "network", "predicted", "measured", "error",
                  "at the probe", "intervals meet", "hidden by overlap: predicted / measured", "note"],
                 [line(row) for row in rows])


def links_table(rows):
    return table(["network", "what", "expected", "found", "error"],
                 [[row["network"], row["what"], f"{row['expected']:.2f}", f"{row['found']:.2f}",
                   percent(row["error"])] for row in rows])


def groups(rows):
    """Rows of each network, of the sizes that were held out, and of all."""
    named = {}
    for row in rows:
        named.setdefault(row["network"], []).append(row)
    held_out = [row for row in rows if row["held_out"]]
    if held_out:
        named["held out"] = held_out
        named["seen"] = [row for row in rows if not row["held_out"]]
    if rows:
        named["all"] = rows
    summaries = {name: statistics.summary(group) for name, group in named.items()}
    probed = [dict(row, error=row["error_at_probe"]) for row in rows
              if row["error_at_probe"] is not None]
    if probed:
        summaries["probed, at the probe"] = statistics.summary(probed)
    return summaries


def summary_table(summaries):
    return table(["cases", "number", "median error", "90th percentile", "worst", "covered"],
                 [[name, str(one["cases"]), percent(one["median"], False),
                   percent(one["p90"], False), percent(one["worst"], False),
                   percent(one["coverage"], False)] for name, one in summaries.items()])


def verdict(summaries, link_rows, rows):
    """What was to be met and was not."""
    missed = []
    everything = summaries.get("all")
    if everything and everything["median"] > MEDIAN:
        missed.append(f"median error {percent(everything['median'], False)}, at most "
                      f"{percent(MEDIAN, False)} expected")
    if everything and everything["worst"] > WORST:
        missed.append(f"worst error {percent(everything['worst'], False)}, at most "
                      f"{percent(WORST, False)} expected")
    missed += [f"{row['network']}, {row['what']}: {percent(row['error'])}, within "
               f"{percent(LINK, False)} expected" for row in link_rows if abs(row["error"]) > LINK]
    missed += [f"{row['app']} {row['size']} on {row['network']}: not verified"
               for row in rows if not row["verified"]]
    return missed


def text(document):
    parts = [f"Validation of {document['date']}, {document['cpu']}, {document['cores']} cores"]
    if document["links"]:
        parts += ["Links: what calibration found beside the rate less headers (Ethernet 14, IP 20, "
                  "TCP 32 bytes of each packet), and beside equal shares for pairs at once:",
                  links_table(document["links"])]
    if document["cases"]:
        parts += ["Cases: refined prediction beside measurement, per step; at the probe: the error "
                  "once compute terms are scaled to the memory bandwidth measured between the "
                  "samples:",
                  cases_table(document["cases"]), summary_table(document["summary"])]
    parts += document["notes"]
    parts += [f"MISSED: {line}" for line in document["missed"]]
    if not document["missed"]:
        parts.append("All targets met." if document["cases"] or document["links"] else
                     "Nothing was measured.")
    return "\n\n".join(parts)
