# SPDX-License-Identifier: MIT
"""What run/lab/validate --matrix measures: every mini-app on this machine as it is, in both precisions, on
one rank and on two, with overlap and without, at sizes drawn at random anew in each round, from the
caches' to the memory's, odd and even; and the targets that predictions have there."""
import random

from validation import plan, report, statistics

PRECISIONS = ("f32", "f64")
# Edges that a calibration measures or that somebody once named: none of them is drawn.
KNOWN = {16, 24, 32, 48, 64, 96, 100, 128, 192, 200, 256, 288, 384, 400, 512, 600, 640,
         1000, 2000, 4000, 7000, 10000}
RANGES = {"diffusion": ((60, 110), (110, 160), (160, 240), (240, 320)),
          "lbm": ((40, 80), (80, 120), (120, 160), (160, 220)),
          "airfoil": ((80, 160), (160, 320), (400, 700)),
          "hpl": ((1500, 3000), (3000, 5000), (5000, 8000)),
          "cholesky": ((800, 1500), (1500, 2500), (2500, 4500)),
          "amg": ((20, 40), (40, 60), (60, 80))}
BLOCKS = (96, 128, 192, 256)
# Of the refined form at the probe: over all mini-apps and of each alone; and of the intervals, the share
# of runs that they hold.
ALL, EACH = {"median": 0.03, "p95": 0.08}, {"median": 0.05, "p95": 0.12}
COVERAGE = (0.80, 0.97)


def drawn(source, least, most, odd):
    while True:
        edge = source.randrange(least, most)
        if edge % 2 == odd and edge not in KNOWN:
            return edge


class Matrix:
    """`seed`: what draws the sizes. `apps`: those that the program has."""
    TARGETS = {"all": ALL, "each": EACH, "coverage": COVERAGE}

    def __init__(self, seed, apps=tuple(RANGES), rounds=2):
        self.seed, self.apps, self.ROUNDS = seed, apps, rounds

    @staticmethod
    def networks(_cores):
        return [plan.Network("1-rank", 0, 1), plan.Network("2-ranks", 0, 2)]

    def sizes(self, app, network, turn):
        """Odd and even in turn, beginning with either."""
        source = random.Random(f"{self.seed} {app} {network.name} {turn}")
        first_odd = source.randrange(2)
        def edge(index, bounds):
            return drawn(source, *bounds, (first_odd + index) % 2)
        edges = [edge(index, bounds) for index, bounds in enumerate(RANGES[app])]
        if app in ("diffusion", "lbm", "amg"):
            return [plan.cells(size, size, size) for size in edges]
        if app == "airfoil":
            return [plan.cells(size, drawn(source, *bounds, source.randrange(2)))
                    for size, bounds in zip(edges, RANGES[app])]
        if app == "hpl":
            return [("--size", str(size), "--block", str(source.choice(BLOCKS))) for size in edges]
        return [("--size", str(size), "--block", "1") for size in edges]

    def variants(self, app, network):
        """Of hpl's grids and of precisions each; hpl and amg are f64 alone."""
        if app == "amg":
            return [()]
        if app == "hpl":
            return [("--grid", f"{rows}x{network.ranks // rows}")
                    for rows in range(1, network.ranks + 1) if network.ranks % rows == 0]
        return [("--precision", precision) for precision in PRECISIONS]

    def cases(self, network, turn=0):
        return [(app, size, (*words, *variant, *(() if app == "amg" else ("--overlap", "both"))))
                for app in self.apps
                for size, words in enumerate(self.sizes(app, network, turn))
                for variant in self.variants(app, network)]

    @staticmethod
    def taken(by_turn):
        """Of each turn's rows all, with the turn."""
        return [dict(row, turn=turn, held_out=True) for turn, found in enumerate(by_turn, 1)
                for row in found]

    @staticmethod
    def groups(cases_rows):
        """Rows of each mini-app and of all, as they are and at the probe."""
        named = {app: [row for row in cases_rows if row["app"] == app] for app in RANGES}
        named["all"] = cases_rows
        named = {name: group for name, group in named.items() if group}
        named.update({f"{name}, at the probe": [report.probed(row) for row in group]
                      for name, group in named.items()})
        return {name: statistics.summary(group) for name, group in named.items()}

    @staticmethod
    def verdict(summaries, _links, cases_rows):
        missed = []
        for name in [name for name in summaries if name.endswith(", at the probe")]:
            missed += report.missed_targets(summaries, name, ALL if name.startswith("all,") else EACH)
        for name in ("all", "all, at the probe"):
            coverage = summaries[name]["coverage"] if name in summaries else None
            if coverage is not None and not COVERAGE[0] <= coverage <= COVERAGE[1]:
                missed.append(f"{name}: intervals hold {report.percent(coverage, False)} of the runs, "
                              f"{100 * COVERAGE[0]:.0f} to {100 * COVERAGE[1]:.0f} % expected")
        return missed + report.not_verified(cases_rows)
