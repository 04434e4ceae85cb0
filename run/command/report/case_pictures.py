# SPDX-License-Identifier: MIT
"""The report's pictures of what ran: terms, limits, ranks. A picture's numbers stand in a table
beneath it."""
import math
import statistics

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from report_style import (AREAS, GROUND, INK, LINE, MEASURED, NOWHERE, REST, percent, rate_text,
                          share_text, svg, time_text, why_above)


NOT_ATTRIBUTED = "not attributed"


def times_of(case, side):
    """A side's terms, its total's interval, all in seconds; none where it has no such side. Medians
    of terms do not add up to the total's: what is missing is in no term, what is too much is taken
    from all of them alike."""
    if side == "measured":
        terms = {name: one["median"] for name, one in case.terms.items()}
        total, all_ = case.total["median"], sum(terms.values())
        if all_ > total:
            terms = {name: seconds * total / all_ for name, seconds in terms.items()}
        else:
            terms[NOT_ATTRIBUTED] = total - all_
        return terms, case.total["low"], case.total["high"]
    form = getattr(case, side)
    return (form["terms"], form["low_s"], form["high_s"]) if form else None


def term_colours(cases, sides):
    """Of an app's largest terms, in the order in which they run. The rest are summed up."""
    largest = {}
    for case in cases:
        for side in sides:
            for name, seconds in (times_of(case, side) or ({},))[0].items():
                if name == NOT_ATTRIBUTED:
                    continue
                largest[name] = max(largest.get(name, 0), seconds / case.total["median"])
    kept = sorted(largest, key=largest.get, reverse=True)[:len(AREAS)]
    order = ["compute", "pack", "copy", "wait", "network", "reduce", "swap", "unpack", "other"]
    names = sorted(kept, key=lambda name: next((i for i, one in enumerate(order)
                                                if name.startswith(one)), len(order)))
    return dict(zip(names, AREAS)), [name for name in largest if name not in kept]


def draw_interval(axes, y, at, low, high):
    """About a bar's end. On a dark page its ink is light, as the bar is: so it stands on a strip of
    the page's own colour."""
    reach = [[0], [0]] if high <= low else [[max(0, at - low)], [max(0, high - at)]]
    for colour, width in ((GROUND, 4), (INK, 1)):
        axes.errorbar([at], [y], xerr=reach, color=colour, capsize=1.5 + width / 2,
                      elinewidth=width, capthick=width, linestyle="")


def stacked_bars(cases):
    """Terms of a step, predicted beside measured, a group of bars for each case; within a picture
    all as fractions of what was measured, so that small cases are seen beside large ones."""
    sides = [side for side in ("paper", "refined", "measured")
             if any(times_of(case, side) for case in cases)]
    colours, rest = term_colours(cases, sides)
    pitch = len(sides) + 1.5
    figure = Figure(figsize=(8.6, 0.8 + len(cases) * (0.24 * len(sides) + 0.4)))
    axes = figure.add_subplot()
    ticks, labels, farthest, unattributed = [], [], 1.0, 0
    for row, case in enumerate(cases):
        unit = case.total["median"]
        for line, side in enumerate(sides):
            if times_of(case, side) is None:
                continue
            terms, low, high = times_of(case, side)
            y = row * pitch + line
            at = 0
            widths = [(terms.get(name, 0) / unit, colour) for name, colour in colours.items()]
            widths.append((sum(terms.get(name, 0) for name in rest) / unit, REST))
            widths.append((terms.get(NOT_ATTRIBUTED, 0) / unit, NOWHERE))
            unattributed = max(unattributed, widths[-1][0])
            for width, colour in widths:
                if width > 0:
                    axes.barh(y, width, left=at, color=colour, height=0.86)
                    at += width
            axes.barh(y, at, height=0.86, fill=False, edgecolor=INK, linewidth=0.5)
            if at > 2.5:  # beyond the picture: how far, in place of the interval's visible end
                axes.text(2.48, y, f"{at:.1f} ×", ha="right", va="center", color="#222222")
            else:
                draw_interval(axes, y, at, low / unit, high / unit)
            farthest = max(farthest, at, high / unit if math.isfinite(high) else 0)
            ticks.append(y)
            labels.append(side)
        axes.text(0, row * pitch - 0.95, f"{case.name}: {time_text(unit)}",
                  fontweight="bold", va="center", fontsize=9.5)
    axes.set_yticks(ticks, labels)
    axes.invert_yaxis()
    axes.set_xlim(0, min(2.5, 1.03 * farthest))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:g}"))
    axes.axvline(1, color=LINE, linewidth=1)
    axes.grid(True, axis="x")
    axes.set_xlabel("time, as a fraction of the measured")
    handles = [matplotlib.patches.Patch(color=colour, label=name)
               for name, colour in colours.items()]
    if rest:
        handles.append(matplotlib.patches.Patch(color=REST, label=f"{len(rest)} smaller terms"))
    if unattributed > 0.005:  # less is not seen
        handles.append(matplotlib.patches.Patch(color=NOWHERE, label=NOT_ATTRIBUTED))
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)
    return svg(figure)


def term_table(cases):
    rows = []
    for case in cases:
        names = list(case.terms) + [
            name for form in (case.refined, case.paper) if form for name in form["terms"]
            if name not in case.terms]
        within = case.record["measured"].get("within") or {}
        for name in [*dict.fromkeys(names), "total"]:
            measured = case.total if name == "total" else case.terms.get(name)

            def form(which):
                if which is None:
                    return None
                return which["total_s"] if name == "total" else which["terms"].get(name)
            rows.append([case.name, name, time_text(form(case.paper)),
                         time_text(form(case.refined)),
                         time_text(measured["median"]) if measured
                         else f"in {within[name]}" if name in within else "–",
                         f"{time_text(measured['low'])} – {time_text(measured['high'])}"
                         if measured and measured["count"] > 1 else "–",
                         percent(case.error_of(name)) if measured else "–"])
    return {"head": ["case", "term", "paper", "refined", "median", "95 %", "error"], "rows": rows}


def share_at_probe(rate):
    share = rate.get("fraction_of_limit_at_probe")
    if not share:
        return "–"
    return percent(share, sign=False) if share <= 1 else "more than the probe makes of it"


def limits(cases):
    """How much of its limit each case reaches."""
    shown = [case for case in cases if case.rate and case.rate["fraction_of_limit"]]
    if not shown:
        return None
    figure = Figure(figsize=(8.6, 0.7 + 0.3 * len(shown)))
    axes = figure.add_subplot()
    for row, case in enumerate(shown):
        share = case.rate["fraction_of_limit"]
        axes.barh(row, share, color=AREAS[0], height=0.62)
        now = case.rate.get("fraction_of_limit_at_probe")
        if now:
            axes.plot([now], [row], marker="D", color=MEASURED, markersize=5)
        axes.text(max(share, now or 0) + 0.015, row,
                  ", ".join(filter(None, [percent(share, sign=False), why_above(case.rate)])),
                  va="center")
    axes.set_yticks(range(len(shown)), [case.name for case in shown], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, max(1.12, *(case.rate["fraction_of_limit"] + 0.12 for case in shown)))
    axes.axvline(1, color=INK, linewidth=1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: percent(share, sign=False)))
    axes.set_xlabel("share of the calibrated limit (diamond: of what it was during the run)")
    rows = [[case.name, rate_text(case.rate["value"], case.rate["unit"]), share_text(case.rate),
             share_at_probe(case.rate)] for case in shown]
    return {"title": "Rates beside limits", "picture": svg(figure),
            "tables": [{"head": ["case", "rate", "share of its limit", "of what it was"],
                        "rows": rows}]}


def own_work(rank):
    """Seconds that a rank computed: what it waits for others is no work of its own."""
    return sum(seconds for name, seconds in rank["terms"].items() if name.startswith("compute"))


def ranks(cases):
    """A strip for each case: a cell a rank, by how its own work differs from the median rank's."""
    shown = [case for case in cases if len(case.record.get("per_rank") or []) > 1]
    shown = [case for case in shown
             if statistics.median(map(own_work, case.record["per_rank"])) > 0]
    if not shown:
        return None
    figure = Figure(figsize=(8.6, 0.9 + 0.42 * len(shown)))
    axes = figure.add_subplot()
    rows, most = [], max(len(case.record["per_rank"]) for case in shown)
    shades = matplotlib.colormaps["RdYlBu_r"]
    for row, case in enumerate(shown):
        all_ranks = case.record["per_rank"]
        middle = statistics.median(map(own_work, all_ranks))
        deviations = [own_work(rank) / middle - 1 for rank in all_ranks]
        width = most / len(all_ranks)
        axes.broken_barh([(i * width, width) for i in range(len(all_ranks))], (row - 0.35, 0.7),
                         facecolors=[shades(0.5 + max(-0.5, min(0.5, 5 * one)))
                                     for one in deviations])
        if len(all_ranks) <= 16:
            for i, one in enumerate(deviations):
                axes.text((i + 0.5) * width, row, percent(one), ha="center", va="center",
                          color="#111111" if abs(one) < 0.07 else "#ffffff", fontsize=8.5)
        worst = sorted(range(len(all_ranks)), key=lambda i: -abs(deviations[i]))[:64]
        rows += [[case.name, str(i), all_ranks[i]["host"], all_ranks[i]["cores"],
                  time_text(own_work(all_ranks[i])), percent(deviations[i])] for i in worst]
    axes.set_yticks(range(len(shown)), [case.name for case in shown], fontsize=9)
    axes.set_xticks([])
    axes.invert_yaxis()
    axes.set_xlim(0, most)
    for side in axes.spines.values():
        side.set_visible(False)
    axes.set_xlabel("ranks in order; blue: computes in less time than the median rank, red: in more "
                    "(10 % is dark)")
    return {"title": "Ranks beside each other", "picture": svg(figure),
            "tables": [{"head": ["case", "rank", "host", "cores", "own work", "from median"],
                        "rows": rows}]}
