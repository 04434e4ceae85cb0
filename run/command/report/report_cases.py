# SPDX-License-Identifier: MIT
"""What the report says of cases, in numbers and sentences."""
import statistics

from report_style import percent, rate_text, share_text, time_text


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
        self.verdict = record["verdict"]

    @property
    def app(self):
        return self.record["app"]

    @property
    def best_error(self):
        """Against the machine's speed at the time, where that was probed."""
        return self.error if self.error_at_probe is None else self.error_at_probe

    @property
    def answer(self):
        """Of the record's verdict, which nothing here decides again."""
        return self.verdict["answer"]

    @property
    def told(self):
        """Whether it took as long as it should, or not: it can be told."""
        return self.answer in ("normal", "slower", "faster")

    @property
    def judgement(self):
        at_probe, for_machine = self.verdict.get("at_probe"), self.verdict.get("for_machine")
        if not at_probe or at_probe == for_machine or not self.right:
            return self.answer
        if self.answer == for_machine:
            return f"{self.answer}; {at_probe} for its speed then"
        return f"{self.answer} for its speed then; {for_machine} for this machine"

    @property
    def colour(self):
        return {"normal": "good", "slower": "off", "faster": "off",
                "wrong result": "bad"}.get(self.answer, "dim")

    def error_of(self, term):
        """Of a term, or of the total."""
        return self.error if term == "total" else (self.record["error"].get("terms") or {}).get(term)

    @property
    def sentence(self):
        if not self.right:
            return f"{self.name}: wrong result ({self.record['verification']['what']})"
        text = (f"{self.name}: {self.judgement}: {time_text(self.total['median'])} measured, "
                f"{time_text(self.refined['total_s'])} predicted ({percent(self.error)}")
        if self.error_at_probe is not None:
            text += f", at the machine's speed of the moment {percent(self.error_at_probe)}"
        text += ")"
        if self.answer == "cannot tell":
            text += f"; {self.verdict['because']}; {self.verdict['to_do']}"
        return ". ".join([text, *filter(None, [self.verdict.get("explanation")])])


def changed_text(case):
    """Of a history's case that became slower."""
    level = case["levels"][-1]
    change = level["change"]["relative"]["value"]
    return (f"{case['name']} on {case['host']} has taken {100 * change:.1f} % longer since "
            f"{level['since'][:10]}")


def answer_of(cases, not_run, acceptances, history):
    """The page in a sentence, and its colour; none where nothing ran. An acceptance speaks first, and what
    is worst."""
    total = len(cases)
    wrong = [case.name for case in cases if not case.right]
    slower = [case for case in cases if case.answer == "slower"]
    changed = [case for case in history if case["answer"] == "slower"]
    fine = sum(case.answer in ("normal", "faster") for case in cases)
    worst = min(acceptances, key=lambda one: ["bad", "off", "good"].index(one["colour"]), default=None)
    if worst and worst["colour"] != "good":
        colour, text = worst["colour"], f"Acceptance by suite {worst['suite']}: {worst['word']}"
    elif wrong:
        colour, text = "bad", f"{len(wrong)} of {total} results are wrong, the first of {wrong[0]}"
    elif not_run:
        colour, text = "bad", f"{len(not_run)} of {total + len(not_run)} cases did not run"
    elif slower:
        most = min(slower, key=lambda case: case.best_error)
        colour, text = "off", (f"{len(slower)} of {total} cases took longer than they should, most of all "
                               f"{most.name}: {percent(most.best_error)} error of its prediction")
    elif changed:
        colour, text = "off", changed_text(changed[0]) + (
            f" ({len(changed)} cases became slower)" if changed[1:] else "")
    elif worst:
        colour, text = "good", f"Acceptance by suite {worst['suite']}: {worst['word']}"
    elif fine:
        untold = total - fine
        colour, text = "good", (f"{total} of {total} results are right, and {fine} took as long as they should, or less"
                                + (f"; for {untold} it cannot be told" if untold else ""))
    elif cases:
        colour, text = "dim", (f"{total} of {total} results are right; whether they took as long as they should "
                               "cannot be told")
    elif history:
        colour, text = "good", f"None of {len(history)} cases became slower"
    else:
        return None
    return {"colour": colour, "sentence": text + "."}


def part_tiles(cases):
    """Memory, compute and network against what was predicted: of cases that the memory or the matrix product
    limits their computation, of all what they communicate."""
    tiles = []
    for name, limit, terms in (("memory", "memory", "compute."), ("compute", "matrix product", "compute."),
                               ("network", "", "network")):
        slowness = []
        for case in cases:
            if limit and not ((case.rate or {}).get("limit") or "").startswith(limit):
                continue
            within = case.record["measured"].get("within") or {}
            predicted = sum(seconds for term, seconds in case.refined["terms"].items()
                            if within.get(term, term).startswith(terms))
            measured = sum(one["median"] for term, one in case.terms.items() if term.startswith(terms))
            if predicted > 0 and measured > 0:
                slowness.append(measured / predicted - 1)
        if slowness:
            middle = statistics.median(slowness)
            tiles.append({"number": f"{percent(abs(middle), sign=False)} {'slower' if middle > 0 else 'faster'}"
                          if abs(middle) >= 0.005 else "as predicted",
                          "what": f"{name}, against its prediction: median of {len(slowness)} cases",
                          "bad": False})
    return tiles


def summary(cases):
    """What the page says next: tiles, and sentences on what is not as it should be, worst first."""
    predicted = [case for case in cases if case.right and case.refined is not None]
    errors = sorted(predicted, key=lambda case: abs(case.best_error))
    tiles = part_tiles(predicted)
    if cases:
        wrong = sum(not case.right for case in cases)
        tiles.append({"number": f"{len(cases) - wrong} of {len(cases)}", "what": "results right",
                      "bad": wrong > 0})
    if predicted:
        fine = sum(case.answer == "normal" for case in predicted)
        untold = sum(not case.told for case in predicted)
        tiles.append({"number": f"{fine} of {len(predicted)}",
                      "what": "normal" + (f"; {untold} cannot be told" if untold else ""),
                      "bad": False})
        middle = statistics.median(abs(case.best_error) for case in predicted)
        tiles.append({"number": percent(middle, sign=False),
                      "what": "median error of the refined prediction"
                              + (", at the machine's speed of the moment"
                                 if any(case.error_at_probe is not None for case in predicted)
                                 else ""), "bad": False})
        tiles.append({"number": percent(errors[-1].best_error),
                      "what": f"worst error: {errors[-1].name}", "bad": False})
    # A cache's share of the memory's bandwidth says nothing by itself.
    shares = [case for case in cases if case.rate and 0 < (case.rate["fraction_of_limit"] or 0) <= 1]
    if shares:
        best = max(shares, key=lambda case: case.rate["fraction_of_limit"])
        tiles.append({"number": percent(best.rate["fraction_of_limit"], sign=False),
                      "what": f"of {best.rate['limit']}, the most: {best.name}", "bad": False})
    off = [case for case in cases if not case.right]
    off += sorted((case for case in predicted
                   if case.answer != "normal" or case.verdict.get("explanation")),
                  key=lambda case: -abs(case.best_error))
    return tiles, [case.sentence for case in off[:8]], max(0, len(off) - 8)


def furthest(cases, most):
    """At most so many of them, in their order: wrong results before what is furthest from its
    prediction, and that before what has none."""
    if len(cases) <= most:
        return cases
    def importance(case):
        return (case.right, not case.told, case.answer == "normal", -abs(case.best_error or 0))
    kept = set(sorted(range(len(cases)), key=lambda place: importance(cases[place]))[:most])
    return [case for place, case in enumerate(cases) if place in kept]


def energy_text(energy, unit):
    if not energy:
        return "–"
    work = energy.get("units_per_joule")
    return (f"{energy['joules_per_step']:.3g} J"
            + (f", {rate_text(work, unit.removesuffix('/s') + '/J')}" if work else ""))


def case_rows(cases):
    counted = any(case.record.get("energy") for case in cases)
    rows = []
    for case in cases:
        rate = case.rate
        rows.append({
            "name": case.name, "judgement": case.judgement, "colour": case.colour,
            "cells": [time_text(case.total["median"]),
                      time_text(case.refined and case.refined["total_s"]),
                      percent(case.error), percent(case.error_at_probe),
                      rate_text(rate["value"], rate["unit"]) if rate else "–",
                      *([energy_text(case.record.get("energy"), rate["unit"] if rate else "")]
                        if counted else []),
                      share_text(rate)]})
    return rows, counted
