# SPDX-License-Identifier: MIT
"""From what the program wrote to rows of the tables."""
from validation import plan


def interval(prediction, what):
    if what == "total":
        return prediction["total_s"], prediction["low_s"], prediction["high_s"]
    low, high = prediction["intervals"].get("network", (0.0, 0.0))
    return prediction["terms"].get("network", 0.0), low, high


def row(record, network, size, held_out):
    """A case's prediction beside its measurement. Whether it is covered says whether the two
    intervals, the machine's and the measured median's, meet."""
    refined = record["predicted"]["refined"]
    measured = record["measured"]
    taken = measured["total_s"] if network.what == "total" else measured["terms"]["network"]
    value, low, high = interval(refined, network.what)
    app = record["app"]
    return {
        "app": app, "overlap": record["variant"]["overlap"],
        "size": " ".join(plan.APPS[app][size][1:]), "network": network.name, "what": network.what,
        "held_out": held_out and size == len(plan.APPS[app]) - 1,
        "predicted_s": value, "measured_s": taken["median"],
        "error": (value - taken["median"]) / taken["median"],
        "covered": low <= taken["high"] and taken["low"] <= high,
        "hidden_predicted": refined["hidden_fraction"] if measured.get("hidden_fraction")
        is not None else None,
        "hidden_measured": measured.get("hidden_fraction"),
        "outside_range": bool(refined["outside_range"]), "verified":
        record["verification"]["passed"]}


def of_large_messages(timing):
    """Bandwidth of the segment that holds the largest messages."""
    segments = timing.get("segments") or [timing]
    return segments[-1]["bandwidth_bytes_per_s"]["value"]


def link_rows(machine, network):
    """The fitted network link beside what its rate leaves for messages: one pair one way, and for
    each count of pairs both ways at once, where a pair has its share."""
    link = machine["links"]["network"]
    truth = network.payload_bytes_per_s
    rows = [("one way", 1, link)]
    rows += [("exchange", entry["pairs"], entry) for entry in link.get("concurrent", [])]
    return [{"network": network.name, "pattern": pattern, "pairs": pairs,
             "expected_bytes_per_s": truth / pairs,
             "line_bytes_per_s": timing["bandwidth_bytes_per_s"]["value"],
             "large_bytes_per_s": of_large_messages(timing),
             "error": of_large_messages(timing) / (truth / pairs) - 1}
            for pattern, pairs, timing in rows]
