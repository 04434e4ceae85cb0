# SPDX-License-Identifier: MIT
"""From what the program wrote to rows of the tables."""
from validation import plan


def interval(prediction, what):
    """The network alone without what ranks wait because of noise: where they share cores (and their
    totals are not compared) the detours that a calibration saw are the others' turns."""
    if what == "total":
        return prediction["total_s"], prediction["low_s"], prediction["high_s"]
    return prediction["terms"].get("network", 0.0), *prediction["intervals"].get("network", (0.0, 0.0))


def term(predicted, name, measured):
    """With the wait, where the network's measurement holds it."""
    waits = name == "network" and "wait" not in measured
    return predicted[name] + (predicted.get("wait", 0.0) if waits else 0.0)


def size_of(record):
    problem = record["problem"]
    if "cells" in problem:
        return " ".join(map(str, problem["cells"]))
    if "grid" not in problem:
        return f"{problem['size']} B {record['variant']['block']}"
    return f"{problem['size']} NB {problem['block']} {'x'.join(map(str, problem['grid']))}"


def row(record, network, size, held_out):
    """A case's prediction beside its measurement. Whether it is covered says whether the 90 % interval
    holds the run, or where there is none whether the machine's and the measured median's meet."""
    refined = record["predicted"]["refined"]
    measured = record["measured"]
    taken = measured["total_s"] if network.what == "total" else measured["terms"]["network"]
    value, low, high = interval(refined, network.what)
    app = record["app"]
    of_runs = refined.get("interval")
    probed = (of_runs or {}).get("at_probe") if network.what == "total" else None
    margin = (0, 0) if of_runs else (taken["median"] - taken["low"], taken["high"] - taken["median"])
    return {
        "app": app, "overlap": record["variant"].get("overlap", "off"),
        "size": size_of(record),
        "precision": record["problem"].get("precision", "f64"), "network": network.name,
        "nodes": network.nodes, "what": network.what,
        "held_out": held_out and size == len(plan.APPS[app][network.what]) - 1,
        "predicted_s": value, "measured_s": taken["median"],
        "error": (value - taken["median"]) / taken["median"],
        # Once the compute terms are scaled to the memory bandwidth of the moment, which a shared
        # machine's neighbours change: what the model itself is answerable for.
        "error_at_probe": record["error"].get("refined_at_probe"),
        "covered": low - margin[1] <= taken["median"] <= high + margin[0],
        "covered_at_probe": probed and probed["low_s"] <= taken["median"] <= probed["high_s"],
        "interval": [low, high], "interval_at_probe": probed and [probed["low_s"], probed["high_s"]],
        "terms": {name: (term(refined["terms"], name, measured["terms"]), found["median"])
                  for name, found in measured["terms"].items() if name in refined["terms"]},
        "network_predicted_s": refined["terms"].get("network", 0.0),
        "network_measured_s": measured["terms"].get("network", {"median": 0.0})["median"],
        "outside_range": bool(refined["outside_range"]), "verified":
        record["verification"]["passed"]}


def middle_rows(rows):
    """Of the rows of each case the one of the middle measured time, with all runs' range."""
    runs = {}
    for row in rows:
        runs.setdefault((row["app"], row["size"], row["precision"], row["overlap"]), []).append(row)
    chosen = []
    for same in runs.values():
        same.sort(key=lambda row: row["measured_s"])
        taken = dict(same[(len(same) - 1) // 2])
        taken["measured_range_s"] = [same[0]["measured_s"], same[-1]["measured_s"]]
        taken["verified"] = all(row["verified"] for row in same)
        chosen.append(taken)
    return chosen


def add_hidden(rows):
    """To each row with overlap, how much of the communication overlap saved: what the total is less
    than without overlap, as a share of the network's time there; of the predictions and of the
    measurements alike. Negative: overlap cost time."""
    def key(row):
        return row["app"], row["size"], row["precision"], row["network"], row.get("turn")
    without = {key(row): row for row in rows if row["overlap"] == "off"}
    for row in rows:
        other = without.get(key(row)) if row["overlap"] == "on" else None
        for side in ("predicted", "measured"):
            network = other[f"network_{side}_s"] if other else 0
            row[f"hidden_{side}"] = \
                (other[f"{side}_s"] - row[f"{side}_s"]) / network if network > 0 else None


def of_large_messages(timing):
    """Bandwidth of the segment that holds the largest messages."""
    segments = timing.get("segments") or [timing]
    return segments[-1]["bandwidth_bytes_per_s"]["value"]


def link_rows(machine, network):
    """The fitted network link beside the truth: its bandwidth beside what the rate leaves for
    messages, and how much longer several pairs' large messages take at once than one pair's."""
    link = machine["links"]["network"]
    truth = network.payload_bytes_per_s
    fitted = of_large_messages(link)
    rows = [{"network": network.name, "what": "bandwidth, MB/s", "expected": truth / 1e6,
             "found": fitted / 1e6, "error": fitted / truth - 1}]
    for many in link.get("concurrent", []):
        pairs, factor = many["pairs"], of_large_messages(link["exchange"]) / of_large_messages(many)
        rows.append({"network": network.name, "what": f"time of {pairs} pairs / of 1",
                     "expected": pairs, "found": factor, "error": factor / pairs - 1})
    return rows
