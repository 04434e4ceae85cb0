# SPDX-License-Identifier: MIT
"""The report's picture of a history: the time of each case on each host over months."""
import datetime
import math

import matplotlib
from matplotlib.figure import Figure

from report_style import INK, LINES, MEASURED, percent, svg, time_text

MOST_SERIES, COLUMNS = 12, 3


def when(date):
    return datetime.datetime.strptime(date, "%Y-%m-%dT%H:%M:%SZ")


def over_time(cases):
    """Small multiples, those that changed first: two occasions and more with their intervals, and the
    level of each stretch without a change."""
    shown = [case for case in cases if len(case["occasions"]) > 1]
    if not shown:
        return None
    drawn = shown[:MOST_SERIES]
    columns = min(COLUMNS, len(drawn))
    lines = math.ceil(len(drawn) / columns)
    figure = Figure(figsize=(2.9 * columns, 1.9 * lines + 0.2), layout="constrained")
    grid = [*figure.subplots(lines, columns, squeeze=False).flat]
    for axes in grid[len(drawn):]:
        axes.set_visible(False)
    for axes, case in zip(grid, drawn):
        times = [one["time_s"] for one in case["occasions"]]
        unit = case["levels"][0]["time_s"]["value"]
        dates = [when(one["date"]) for one in case["occasions"]]
        axes.errorbar(dates, [one["value"] / unit for one in times],
                      yerr=[[(one["value"] - one["low"]) / unit for one in times],
                            [(one["high"] - one["value"]) / unit for one in times]],
                      color=MEASURED, linestyle="", marker="o", markersize=2, elinewidth=0.5)
        for level in case["levels"]:
            height = level["time_s"]["value"] / unit
            axes.plot([when(level["since"]), when(level["until"])], [height, height],
                      color=LINES[0], linewidth=2)
            if level.get("change"):
                axes.axvline(when(level["since"]), color=INK, linewidth=0.8, linestyle=":")
        words = case["name"].split(", ")
        axes.set_title("\n".join([words[0], ", ".join([*words[1:], case["host"]])]), fontsize=7.5)
        axes.xaxis.set_major_locator(matplotlib.dates.AutoDateLocator(maxticks=4))
        axes.xaxis.set_major_formatter(matplotlib.dates.ConciseDateFormatter(
            axes.xaxis.get_major_locator(), show_offset=False))
        axes.tick_params(labelsize=7)
        axes.grid(True, axis="y")
    figure.supylabel("time, of the first level's", fontsize=8)
    rows = []
    for case in shown:
        for level in case["levels"]:
            time, change = level["time_s"], level.get("change")
            rows.append([case["name"], case["host"], level["since"][:10], str(time["runs"]),
                         time_text(time["value"]), f"{time_text(time['low'])} – {time_text(time['high'])}",
                         percent(change and change["relative"]["value"]),
                         "; ".join(f"{one['what']}: {one['before']} → {one['after']}"
                                   for one in change["provenance"]) if change else "–"])
    return {"title": "Over time", "picture": svg(figure),
            "tables": [{"head": ["case", "host", "since", "occasions", "median", "95 %", "change",
                                 "what changed with it"], "rows": rows}]}
