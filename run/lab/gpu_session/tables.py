# SPDX-License-Identifier: MIT
"""What a session prints: a line for each step, and the summary of all that is in its folder."""
from validation import report

OUTCOMES = ("passed", "failed", "done", "left out", "left")
NOTE_WIDTH = 100


def line(step):
    outcome = step["outcome"].upper() if step["outcome"] == "failed" else step["outcome"]
    return f"  {outcome:<9}{step['seconds']:7.1f} s  {step['step']}" + \
        (f": {step['note']}" if step["note"] else "")


def quantity(value, unit):
    """With the prefix that leaves one to three digits before the point."""
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"),
                           (1e-6, "u"), (1e-9, "n")):
        if abs(value) >= factor:
            return f"{value / factor:.4g} {prefix}{unit}"
    return f"{value:g} {unit}"


def size_of(record):
    """"512x512x512" of cells; of a matrix's order "8192", by blocks "8192, block 128"."""
    problem = record["problem"]
    if "cells" in problem:
        return "x".join(map(str, problem["cells"]))
    block = problem.get("block", record["variant"].get("block", 1))
    return f"{problem['size']}" + (f", block {block}" if block > 1 else "")


def counts_table(steps):
    return report.table([*OUTCOMES, "seconds"],
                        [[*(str(sum(step["outcome"] == outcome for step in steps)) for outcome in OUTCOMES),
                          f"{sum(step['seconds'] for step in steps):.0f}"]])


def steps_table(steps):
    def row(step):
        note = step["note"] if len(step["note"]) <= NOTE_WIDTH else step["note"][:NOTE_WIDTH] + " ..."
        outcome = step["outcome"]
        return [step["step"], outcome.upper() if outcome == "failed" else outcome,
                f"{step['seconds']:.1f}", note]
    return report.table(["step", "outcome", "seconds", "what was found"], [row(step) for step in steps])


def ceilings_table(steps):
    rows = [[step["step"], one["name"], quantity(one["value"], one["unit"])]
            for step in steps for one in step["values"].get("ceilings", [])]
    return report.table(["ceiling", "benchmark", "found"], rows) if rows else None


def machines_table(steps):
    rows = [[step["step"], name, quantity(value, unit)]
            for step in steps for name, value, unit in step["values"].get("machine", [])]
    return report.table(["calibration", "parameter", "value"], rows) if rows else None


def cases_table(steps):
    rows = []
    for step in steps:
        for case in step["values"].get("cases", []):
            rows.append([case["app"], case["size"], case["precision"], case["overlap"], case["panel"],
                         f"{1e6 * case['total_s']:.1f} us", quantity(case["rate"], case["unit"]),
                         "-" if case["clock_mhz"] is None else f"{case['clock_mhz']:.0f} MHz",
                         case["verified"]])
    return report.table(["app", "size", "precision", "overlap", "panel", "step", "rate", "clock", "verified"],
                        rows) if rows else None


def knobs_table(steps):
    rows = [row for step in steps for row in step["values"].get("best", [])]
    return report.table(["measured", "default", "best", "gain", "with"],
                        [[row["what"], row["default"], row["best"], row["gain"], row["knobs"]]
                         for row in rows]) if rows else None


def summary(steps, every_step=True):
    """Failures at the top, then what was found, then every step: not for who saw them go by."""
    failed = [step for step in steps if step["outcome"] == "failed"]
    parts = [counts_table(steps),
             "\n".join(f"FAILED {step['step']}: {step['note']}" for step in failed) or "No step failed."]
    for title, table in (("Ceilings", ceilings_table(steps)), ("Calibration", machines_table(steps)),
                         ("Cases", cases_table(steps)), ("Knobs", knobs_table(steps)),
                         ("Steps", steps_table(steps) if every_step and steps else None)):
        if table:
            parts += [title + ":", table]
    return "\n\n".join(parts)
