# SPDX-License-Identifier: MIT
"""Afterwards and without a GPU: of a session's records the share of the limit, the target, and the error of
the prediction, both by the machine file that the session calibrated."""
import json

from gpu_session import calibrate, tables
from validation import again, report

SHARE, STEP_S = "share", "step_s"  # of the limit, at least; in seconds, at most
# By app, size and precision (None: any) what is aimed at, and by what reasoning.
TARGETS = {
    ("diffusion", "512x512x512", None): (SHARE, 0.92, "tiles that a GPU fetches by itself should have 0.94"),
    ("lbm", "256x256x256", None): (SHARE, 0.90, "FluidX3D's README, f32: 23.06 Gcells/s of an H200, 0.82"),
    ("airfoil", "400x600", "f64"): (STEP_S, 120e-6, "96.8 us on an H200 (results/gpu)"),
    ("hpl", "65536", "f64"): (SHARE, 0.85, "NVIDIA's HPL: some 50 TFLOP/s a GPU, 0.9 of sustained products"),
    ("cholesky", "16384", "f64"): (SHARE, 0.60, "0.63 by the calibrated products, of 1024 columns at a time"),
    ("amg", "256x256x256", None): (STEP_S, 5e-3, "AMG2023's appendix K: 17.3 ms on a V100, 250x250x250; by "
                                                 "memory bandwidth 3.6 ms")}
SUSTAINED_S = 1  # from so long a step on a GPU has come to its power limit
ERRORS = {"median": 0.08, "worst": 0.20}


class Unusable(Exception):
    """What the folder has is not enough."""


def judged(program, folder, machine_file=None):
    """Rows of the table; one for each app, size, precision and panel: the fastest on one rank."""
    machine_file = machine_file or folder / calibrate.FILE
    for file in (machine_file, folder / "records.jsonl"):
        if not file.is_file():
            raise Unusable(f"{file} is not there: expected a session's folder with its calibration")
    machine = json.loads(machine_file.read_text())
    fastest = {}
    for line in (folder / "records.jsonl").read_text().splitlines():
        record = json.loads(line)
        time = record["measured"]["total_s"]["median"]
        key = (record["app"], tables.size_of(record), record["problem"].get("precision", "f64"),
               record["variant"].get("panel", "-"))
        if record["ranks"] == 1 and "cuda" in record["variant"]["backend"] and \
                (key not in fastest or time < fastest[key]["measured"]["total_s"]["median"]):
            fastest[key] = record
    return [row(key, record, machine, again.predicted(program, record, machine_file))
            for key, record in sorted(fastest.items())]


def row(key, record, machine, prediction):
    app, size, precision, panel = key
    time = record["measured"]["total_s"]["median"]
    limit, per_second = limit_of(record, machine, precision)
    rate = record["rate"]["flops_per_s" if "product" in limit else "bytes_per_s"]
    share = rate / per_second if per_second else None
    target, met = target_of((app, size.split(",")[0], precision), share, time)
    return {"app": app, "size": size, "precision": precision, "panel": panel, "total_s": time,
            "rate": tables.quantity(record["rate"]["value"], record["rate"]["unit"]), "limit": limit,
            "share": share, "target": target, "met": met,
            "error": prediction["total_s"] / time - 1 if "total_s" in prediction else None,
            "why_not": prediction.get("why_not")}


def limit_of(record, machine, precision):
    """Its name and what the machine does of it in a second, as results/limit.hpp has it; None: not known."""
    name, device = record["rate"].get("limit") or "", machine["device"]
    if name == "matrix product":
        sustained = device.get("gemm_sustained_flops_per_s", {}).get(precision)
        if sustained and record["measured"]["total_s"]["median"] >= SUSTAINED_S:
            return "sustained product", sustained["value"]
        return name, device.get("gemm_flops_per_s", {}).get(precision, {}).get("value")
    if name == "memory bandwidth in place":
        curves = [curve for curve in device["memory"] if curve["stores"] == "in_place" and
                  (curve["arrays"], curve["rereads"], curve["precision"], curve["ranks"]) ==
                  (1, 0, precision, 1)]
        return name, curves[0]["points"][-1]["bandwidth_bytes_per_s"]["value"] if curves else None
    return name, device["memory_bandwidth_bytes_per_s"]["value"] if name == "memory bandwidth" else None


def target_of(case, share, time):
    kind, value, _ = TARGETS.get(case) or TARGETS.get((*case[:2], None)) or (None, None, None)
    if kind == SHARE:
        return f">= {value:.2f}", share is not None and share >= value
    return (f"<= {1e6 * value:.0f} us", time <= value) if kind == STEP_S else ("-", None)


def text(rows):
    """The table, and how far the predictions are off."""
    table = report.table(
        ["one rank", "size", "precision", "panel", "a step", "rate", "share", "of", "target", "prediction"],
        [[row["app"], row["size"], row["precision"], row["panel"], f"{1e6 * row['total_s']:.1f} us",
          row["rate"], "-" if row["share"] is None else f"{row['share']:.2f}", row["limit"] or "-",
          row["target"] + {None: "", True: ", met", False: ", MISSED"}[row["met"]],
          report.percent(row["error"])] for row in rows])
    table += "".join(f"\n\n{row['app']} {row['size']} is not predicted: {row['why_not']}"
                     for row in rows if row["why_not"])
    errors = sorted(abs(row["error"]) for row in rows if row["error"] is not None)
    if not errors:
        return table
    return table + "\n\n" + (
        f"Predictions are off by {report.percent(errors[len(errors) // 2], False)} in the median, at worst "
        f"by {report.percent(errors[-1], False)} (targets {100 * ERRORS['median']:.0f} and "
        f"{100 * ERRORS['worst']:.0f} %).")


def missed(rows):
    errors = sorted(abs(row["error"]) for row in rows if row["error"] is not None)
    return any(row["met"] is False for row in rows) or bool(errors) and \
        (errors[len(errors) // 2] > ERRORS["median"] or errors[-1] > ERRORS["worst"])
