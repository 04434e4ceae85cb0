# SPDX-License-Identifier: MIT
"""Of prediction errors. An error is (predicted - measured) / measured."""
import math


def percentile(values, share):
    """The least value with at least `share` of the values at or below it."""
    ordered = sorted(values)
    return ordered[max(1, math.ceil(share * len(ordered) - 1e-9)) - 1]


def median(values):
    ordered = sorted(values)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def summary(rows):
    """Of rows with an "error" and "covered" (whether the measurement lies in the predicted
    interval): sizes of the errors without their sign, and the share that is covered."""
    sizes = [abs(row["error"]) for row in rows]
    return {"cases": len(rows), "median": median(sizes), "p90": percentile(sizes, 0.9),
            "p95": percentile(sizes, 0.95), "worst": max(sizes),
            "coverage": sum(row["covered"] for row in rows) / len(rows)}
