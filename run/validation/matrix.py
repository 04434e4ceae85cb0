# SPDX-License-Identifier: MIT
"""What run/validate --matrix measures: every mini-app on this machine as it is, in both precisions, on
one rank and on two, with overlap and without, at sizes from the caches' to the memory's; and the
targets that each mini-app's predictions have there."""
from validation import plan, report, statistics

CUBES = [plan.cells(edge, edge, edge) for edge in (96, 128, 200, 288)]
SIZES = {"diffusion": CUBES, "lbm": CUBES, "airfoil": plan.APPS["airfoil"]["total"],
         "hpl": [("--size", str(size), "--block", str(block))
                 for size, block in ((2000, 128), (4000, 96), (7000, 192), (10000, 256))],
         "cholesky": [("--size", str(size), "--block", str(block))
                      for size, block in ((1000, 1), (2000, 1), (4000, 1), (4000, 64))]}
PRECISIONS = ("f32", "f64")
TARGETS = {"lbm": {"median": 0.08, "worst": 0.20}, "airfoil": {"median": 0.10, "worst": 0.25},
           "hpl": {"median": 0.03, "worst": 0.08}, "cholesky": {"median": 0.06, "worst": 0.20}}
ROUNDS = 2  # each run counts: the worst of a sweep is not to be picked from the better ones


def networks(_cores):
    return [plan.Network("1-rank", 0, 1), plan.Network("2-ranks", 0, 2)]


def cases(network):
    def variants(app):
        """hpl is f64 alone; its grids are as many variants."""
        if app != "hpl":
            return [("--precision", precision) for precision in PRECISIONS]
        return [("--grid", f"{rows}x{network.ranks // rows}") for rows in range(1, network.ranks + 1)
                if network.ranks % rows == 0]
    return [(app, size, (*words, *variant, "--overlap", "both"))
            for app in SIZES for size, words in enumerate(SIZES[app]) for variant in variants(app)]


def taken(by_turn):
    """Of each turn's rows all, with the turn."""
    return [dict(row, turn=turn) for turn, found in enumerate(by_turn, 1) for row in found]


def groups(cases_rows):
    """Rows of each mini-app and of all, as they are and at the probe."""
    named = {app: [row for row in cases_rows if row["app"] == app] for app in SIZES}
    named["all"] = cases_rows
    named = {name: group for name, group in named.items() if group}
    named.update({f"{name}, at the probe": [dict(row, error=report.at_probe(row)) for row in group]
                  for name, group in named.items()})
    return {name: statistics.summary(group) for name, group in named.items()}


def verdict(summaries, _links, cases_rows):
    missed = [line for app, target in TARGETS.items()
              for line in report.missed_targets(summaries, f"{app}, at the probe", target)]
    return missed + report.not_verified(cases_rows)
