# SPDX-License-Identifier: MIT
"""What the report says of cases, in numbers and sentences."""
import math
import statistics

from report_style import percent, rate_text, time_text


class Case:
    """One record with what is said of it."""

    def __init__(self, name, record):
        self.name, self.record = name, record
        self.right = record["verification"]["passed"] is True
        self.total = record["measured"]["total_s"]
        self.terms = record["measured"]["terms"]
        self.refined = record.get("predicted", {}).get("refined")
        self.paper = record.get("predicted", {}).get("paper")
        self.error = record.get("error", {}).get("refined")
        self.error_at_probe = record.get("error", {}).get("refined_at_probe")
        self.rate = record.get("rate")

    @property
    def app(self):
        return self.record["app"]

    @property
    def best_error(self):
        """Against the machine's speed at the time, where that was probed."""
        return self.error if self.error_at_probe is None else self.error_at_probe

    @property
    def as_predicted(self):
        """Whether predicted and measured intervals touch; unknown without a prediction."""
        if not self.right or self.refined is None:
            return None
        return (self.refined["low_s"] <= self.total["high"]
                and self.total["low"] <= self.refined["high_s"])

    @property
    def judgement(self):
        if not self.right:
            return "wrong result"
        if self.as_predicted is None:
            return "not predicted"
        if self.as_predicted:
            return "as predicted"
        return "slower" if self.error < 0 else "faster"

    @property
    def term_off(self):
        """The term that explains most of the difference, and its part in seconds."""
        if self.refined is None:
            return None
        difference = self.total["median"] - self.refined["total_s"]
        parts = {name: summary["median"] - self.refined["terms"].get(name, 0)
                 for name, summary in self.terms.items()}
        parts |= {name: -seconds for name, seconds in self.refined["terms"].items()
                  if name not in self.terms}
        if not parts:
            return None
        name = max(parts, key=lambda one: parts[one] * math.copysign(1, difference))
        return name, parts[name]

    @property
    def sentence(self):
        check = self.record["verification"]
        if not self.right:
            return f"{self.name}: wrong result ({check['what']})"
        text = (f"{self.name}: {time_text(self.total['median'])} measured, "
                f"{time_text(self.refined['total_s'])} predicted ({percent(self.error)}")
        if self.error_at_probe is not None:
            text += f", at the machine's speed of the moment {percent(self.error_at_probe)}"
        name, seconds = self.term_off
        return text + f"); {name} took {time_text(abs(seconds))} {'more' if seconds > 0 else 'less'}"


def summary(cases):
    """What the page says first: tiles, and sentences on what is not as it should be, worst first."""
    predicted = [case for case in cases if case.as_predicted is not None]
    errors = sorted(predicted, key=lambda case: abs(case.best_error))
    tiles = []
    if cases:
        wrong = sum(not case.right for case in cases)
        tiles.append({"number": f"{len(cases) - wrong} of {len(cases)}", "what": "results right",
                      "bad": wrong > 0})
    if predicted:
        fine = sum(case.as_predicted for case in predicted)
        tiles.append({"number": f"{fine} of {len(predicted)}",
                      "what": "as predicted: intervals meet", "bad": False})
        middle = statistics.median(abs(case.best_error) for case in predicted)
        tiles.append({"number": percent(middle, sign=False),
                      "what": "median error of the refined prediction"
                              + (", at the machine's speed of the moment"
                                 if any(case.error_at_probe is not None for case in predicted)
                                 else ""), "bad": False})
        tiles.append({"number": percent(errors[-1].best_error),
                      "what": f"worst error: {errors[-1].name}", "bad": False})
    shares = [case for case in cases if case.rate and case.rate["fraction_of_limit"]]
    if shares:
        best = max(shares, key=lambda case: case.rate["fraction_of_limit"])
        tiles.append({"number": percent(best.rate["fraction_of_limit"], sign=False),
                      "what": f"of {best.rate['limit']}, the most: {best.name}", "bad": False})
    off = [case for case in cases if not case.right]
    off += sorted((case for case in predicted if not case.as_predicted),
                  key=lambda case: -abs(case.best_error))
    return tiles, [case.sentence for case in off[:8]], max(0, len(off) - 8)


def furthest(cases, most):
    """At most so many of them, in their order: wrong results before what is furthest from its
    prediction, and that before what has none."""
    if len(cases) <= most:
        return cases
    def importance(case):
        return (case.right, case.as_predicted is None, case.as_predicted is True,
                -abs(case.best_error or 0))
    kept = set(sorted(range(len(cases)), key=lambda place: importance(cases[place]))[:most])
    return [case for place, case in enumerate(cases) if place in kept]


def case_rows(cases):
    rows = []
    for case in cases:
        rate = case.rate
        rows.append({
            "name": case.name, "judgement": case.judgement,
            "bad": not case.right,
            "off": case.right and case.as_predicted is False,
            "cells": [time_text(case.total["median"]),
                      time_text(case.refined and case.refined["total_s"]),
                      percent(case.error), percent(case.error_at_probe),
                      rate_text(rate["value"], rate["unit"]) if rate else "–",
                      f"{percent(rate['fraction_of_limit'], sign=False)} of {rate['limit']}"
                      if rate and rate["fraction_of_limit"] else "–"]})
    return rows
