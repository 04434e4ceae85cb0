# SPDX-License-Identifier: MIT
"""Draws a fit document (standard input) as a picture (standard output): plot_fit.py FORMAT.
Left: speed-up against ranks, measured and fitted, of each size, with the bound 1/(1 - P) of the
largest; of constant work per rank the times. Right: how far the fit is off each measured time."""
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from plot_style import write_picture

# Okabe and Ito's colours, told apart with any colour vision.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]


def rank_axis(axes):
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(LogLocator(base=2, numticks=9))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda ranks, _: f"{ranks:.0f}"))
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("ranks")
    axes.grid(color="#DDDDDD", linewidth=0.7)


def marker(point, colour):
    """Held-out points are hollow."""
    return {"marker": "o", "markersize": 6.5, "color": colour, "linestyle": "",
            "markerfacecolor": "white" if point["held_out"] else colour, "markeredgewidth": 1.6}


def draw_speed_ups(axes, document, colours):
    for size, curve in zip(document["sizes"], document["curves"]):
        colour = colours[size["size"]]
        drawn = [(ranks, size["one_rank_s"] / seconds)
                 for ranks, seconds in zip(curve["ranks"], curve["seconds"]) if seconds]
        axes.plot(*zip(*drawn), color=colour, linewidth=1.7, gid=f"fitted-{size['size']}")
        for point in document["points"]:
            if point["size"] == size["size"]:
                axes.plot([point["ranks"]], [size["one_rank_s"] / point["measured_s"]],
                          **marker(point, colour))
        if size["best_ranks"]:
            axes.plot([size["best_ranks"]], [size["one_rank_s"] / size["best_s"]], marker="*",
                      markersize=12, color=colour, linestyle="", gid=f"best-{size['size']}")
    last = document["sizes"][-1]
    top = max(size["one_rank_s"] / min(filter(None, curve["seconds"]))
              for size, curve in zip(document["sizes"], document["curves"]))
    ranks = document["curves"][-1]["ranks"]
    axes.plot(ranks, ranks, color="#999999", linewidth=1)
    bound = last["speed_up_bound"]["value"]
    if bound is not None and bound < 50 * top:
        axes.axhline(bound, color=colours[last["size"]], linestyle=(0, (5, 3)), linewidth=1.2,
                     gid="bound")
        top = max(top, bound)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.set_ylim(0.8, 1.4 * top)
    axes.set_ylabel("speed-up over one rank, fitted")
    rank_axis(axes)


def draw_times(axes, document):
    curve = document["curves"][0]
    axes.plot(curve["ranks"], curve["seconds"], color=COLOURS[0], linewidth=1.7, gid="fitted-times")
    for point in document["points"]:
        axes.plot([point["ranks"]], [point["measured_s"]], **marker(point, COLOURS[0]))
    axes.set_ylim(bottom=0)
    axes.set_ylabel("seconds, of constant work per rank")
    rank_axis(axes)


def draw_errors(axes, document, colours):
    for point in document["points"]:
        axes.plot([point["ranks"]], [100 * point["error"]],
                  **marker(point, colours[point["size"]]))
    axes.axhline(0, color="#444444", linewidth=1)
    axes.set_ylabel("fitted less measured, %")
    rank_axis(axes)


def draw(document):
    sizes = [size["size"] for size in document["sizes"]]
    colours = {point["size"]: COLOURS[0] for point in document["points"]}
    colours |= {size: COLOURS[place % len(COLOURS)] for place, size in enumerate(sizes)}
    figure = Figure(figsize=(12, 5.6))
    left, right = figure.subplots(1, 2, gridspec_kw={"width_ratios": (1.5, 1)})
    figure.subplots_adjust(left=0.07, right=0.97, top=0.84, bottom=0.24, wspace=0.2)
    grey = {"color": "#333333", "linestyle": "", "markersize": 7}
    handles = [Line2D([], [], color=colours[size], linewidth=4, label=f"n = {size}")
               for size in sizes]
    handles += [Line2D([], [], marker="o", label="measured", **grey),
                Line2D([], [], marker="o", markerfacecolor="white", markeredgewidth=1.6,
                       label="measured, held out", **grey)]
    fitted = f"T = {document['form']['formula']}"
    if sizes:
        draw_speed_ups(left, document, colours)
        last = document["sizes"][-1]
        fraction = last["parallel_fraction"]
        fitted += (f"; n = {last['size']}: P = {100 * fraction['value']:.2f} % "
                   f"[{100 * fraction['low']:.2f}, {100 * fraction['high']:.2f}]")
        handles += [Line2D([], [], marker="*", label="best rank count",
                           **{**grey, "markersize": 11}),
                    Line2D([], [], color="#333333", linestyle=(0, (5, 3)),
                           label="bound 1/(1 \u2212 P), largest n"),
                    Line2D([], [], color="#999999", linewidth=1, label="ideal")]
    else:
        draw_times(left, document)
    draw_errors(right, document, colours)
    figure.text(0.07, 0.945, f"{document['app'] or 'Times'}: fitted over size and ranks",
                fontsize=14, fontweight="bold", va="center")
    figure.text(0.07, 0.9, fitted, fontsize=10, color="#444444", va="center")
    figure.legend(handles=handles, loc="upper left", bbox_to_anchor=(0.06, 0.13), ncol=6,
                  columnspacing=1.6)
    return figure


if __name__ == "__main__":
    write_picture(draw)
