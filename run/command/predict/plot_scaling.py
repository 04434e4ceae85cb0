# SPDX-License-Identifier: MIT
"""Draws a predict document (standard input) as a picture (standard output): plot_scaling.py FORMAT.
Left: time and efficiency against ranks. Right: what the time goes to, a panel for each overlap
mode. The terms are stacked as shares of the step and not as times: on a logarithmic axis the height
of an area would say nothing."""
import math

from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

from plot_style import write_picture

# Okabe and Ito's colours, told apart with any colour vision.
OVERLAP = {"off": "#D55E00", "on": "#0072B2"}
MARKER = {"off": "o", "on": "s"}
FORM_LINE = {"refined": "-", "paper": (0, (1, 1.3))}
WHAT_IF_LINE = {"refined": (0, (6, 2.5)), "paper": (0, (6, 2, 1, 2))}
# Paul Tol's light colours, in an order in which neighbours differ; grey for what is summed up.
AREAS = ["#77AADD", "#EE8866", "#EEDD88", "#44BB99", "#BBCC33", "#FFAABB", "#AAAA00", "#99DDFF"]
REST = "#CCCCCC"
LONE = {"refined": "D", "paper": "d"}  # where there is one rank count, and no line
GRID = "#DDDDDD"


def curves(points):
    """The points of each form and overlap mode, by ascending ranks."""
    found = {}
    for point in points:
        found.setdefault((point["model"], point["overlap"]), []).append(point)
    return {key: sorted(found[key], key=lambda point: point["ranks"])
            for key in sorted(found, key=lambda key: (key[0] != "refined", key[1] != "off"))}


def column(points, key):
    return [point[key] for point in points]


def time_text(seconds, _=None):
    for unit, size in (("s", 1), ("ms", 1e-3), ("\u00b5s", 1e-6)):
        if seconds >= 0.9999 * size:
            return f"{seconds / size:g} {unit}"
    return f"{seconds / 1e-9:g} ns"


def count_text(count, _=None):
    return f"{count:,.0f}".replace(",", "\u202f")


def rank_axis(axes, ranks, inches):
    """Logarithmic, with ticks at counts that were predicted, as many as can be read."""
    axes.set_xscale("log", base=2)
    margin = max(1.02, (ranks[-1] / ranks[0]) ** 0.02)
    axes.set_xlim(ranks[0] / margin, ranks[-1] * margin)
    powers = [count for count in ranks if count & (count - 1) == 0]
    ticks = powers if len(powers) > 2 else ranks
    room = inches / (0.08 * (max(len(count_text(count)) for count in ticks) + 1))
    step = -(-len(ticks) // max(2, int(room)))
    ticks = ticks[::step]
    axes.set_xticks(ticks)
    axes.xaxis.set_major_formatter(FuncFormatter(count_text))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(True, which="major", color=GRID, linewidth=0.8)


def strengths(document):
    """How opaque each form's lines are: where both are there, the refined leads."""
    alone = len({point["model"] for point in document["points"]}) == 1
    return {"refined": 1, "paper": 1 if alone else 0.6}


def draw_times(axes, document, ranks):
    strength = strengths(document)
    shown = curves(document["points"])
    first = next(iter(shown.values()))[0]
    ideal = [first["total_s"] * first["ranks"] / count for count in ranks]
    for (form, overlap), points in shown.items():
        if form == "refined" or ("refined", overlap) not in shown:
            axes.fill_between(column(points, "ranks"), column(points, "low_s"),
                              column(points, "high_s"), color=OVERLAP[overlap], alpha=0.18,
                              linewidth=6 if len(points) == 1 else 0,
                              gid=f"interval-{form}-{overlap}")
        axes.plot(column(points, "ranks"), column(points, "total_s"), color=OVERLAP[overlap],
                  linestyle=FORM_LINE[form], linewidth=2, alpha=strength[form],
                  marker=LONE[form] if len(points) == 1 else "",
                  gid=f"time-{form}-{overlap}")
    for (form, overlap), points in what_if_curves(document).items():
        axes.plot(column(points, "ranks"), column(points, "total_s"), color=OVERLAP[overlap],
                  linestyle=WHAT_IF_LINE[form], linewidth=1.5, alpha=strength[form],
                  gid=f"what-if-{form}-{overlap}")
    for overlap, points in measured_points(document, ranks).items():
        middle = column(points, "total_s")
        ends = [[point["total_s"] - point["low_s"] for point in points],
                [point["high_s"] - point["total_s"] for point in points]]
        drawn = axes.errorbar(
            column(points, "ranks"), middle, yerr=ends, fmt=MARKER[overlap], markersize=6,
            color=OVERLAP[overlap], markerfacecolor="white", markeredgewidth=1.6, capsize=2.5,
            elinewidth=1.2, zorder=5)
        drawn.lines[0].set_gid(f"measured-{overlap}")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    low = max(low / 1.5, min(low, ideal[-1] / 1.2)) if low > 0 else low
    axes.plot(ranks, ideal, color="#999999", linewidth=1, gid="ideal")
    axes.set_ylim(low, high)  # the ideal line may leave the picture, the others need the room
    decades = math.log10(high / low)
    digits = (1,) if decades > 4 else (1, 2, 5) if decades > 0.8 else tuple(range(1, 10))
    axes.yaxis.set_major_locator(LogLocator(base=10, subs=digits, numticks=30))
    axes.yaxis.set_minor_locator(LogLocator(base=10, subs=tuple(range(1, 10)), numticks=99))
    axes.yaxis.set_major_formatter(FuncFormatter(time_text))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylabel(f"time per {document['step']}")


def what_if_curves(document):
    return curves(document["what_if"]["points"]) if "what_if" in document else {}


def measured_points(document, ranks):
    """By overlap mode, those within the picture."""
    found = {}
    for point in document.get("measured", {}).get("points", []):
        if ranks[0] <= point["ranks"] <= ranks[-1] and point["overlap"] in OVERLAP:
            found.setdefault(point["overlap"], []).append(point)
    return found


def draw_efficiency(axes, document, ranks):
    strength = strengths(document)
    axes.plot([ranks[0], ranks[-1]], [1, 1], color="#999999", linewidth=1)
    highest = 1.0
    for shown, lines, name, width in (
            (curves(document["points"]), FORM_LINE, "efficiency", 2),
            (what_if_curves(document), WHAT_IF_LINE, "what-if-efficiency", 1.5)):
        for (form, overlap), points in shown.items():
            highest = max(highest, *column(points, "efficiency"))
            axes.plot(column(points, "ranks"), column(points, "efficiency"),
                      color=OVERLAP[overlap], linestyle=lines[form], linewidth=width,
                      alpha=strength[form], marker=LONE[form] if len(points) == 1 else "", gid=f"{name}-{form}-{overlap}")
    axes.set_ylim(0, 1.06 * highest)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    axes.set_ylabel(f"efficiency against {count_text(ranks[0])} rank{'s' * (ranks[0] > 1)}")
    axes.set_xlabel("ranks")


def shares(points, names):
    """Of each term at each point; a step that takes no time has none."""
    return [[point["terms"].get(name, 0) / (point["total_s"] or 1) for point in points]
            for name in names]


def areas(document):
    """The form whose terms are shown, its curves, and its terms with their colours: those that
    never matter are summed up when there are more than colours."""
    shown = curves(document["points"])
    form = next(iter(shown))[0]
    mine = {overlap: points for (name, overlap), points in shown.items() if name == form}
    most = {}
    for points in mine.values():
        for point in points:
            for name, seconds in point["terms"].items():
                most[name] = max(most.get(name, 0), seconds / (point["total_s"] or 1))
    kept = sorted(most, key=most.get, reverse=True)[:len(AREAS)]
    families = ["compute", *dict.fromkeys(name.split(".")[0] for name in most)]
    ordered = sorted(most, key=lambda name: families.index(name.split(".")[0]))
    colours = dict(zip([name for name in ordered if name in kept], AREAS))
    return form, mine, colours, [name for name in most if name not in kept]


def draw_shares(axes, points, colours, rest, overlap, title):
    heights = shares(points, colours)
    shades = list(colours.values())
    if rest:
        heights.append([sum(column_) for column_ in zip(*shares(points, rest))])
        shades.append(REST)
    ranks = column(points, "ranks")
    if len(points) == 1:  # a bar
        ranks = [ranks[0] / 1.005, ranks[0] * 1.005]
        heights = [[share[0]] * 2 for share in heights]
    drawn = axes.stackplot(ranks, heights, colors=shades, edgecolor="white",
                           linewidth=0.6 if len(points) < 60 else 0)
    for area, name in zip(drawn, [*colours, "others"]):
        area.set_gid(f"term-{overlap}-{name}")
    axes.set_ylim(0, 1)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    axes.grid(False)
    axes.set_title(title, loc="left", color=OVERLAP[overlap])


def line_legend(document, ranks):
    """Colour says the overlap mode, the line says what it is."""
    shown = curves(document["points"])
    overlaps = [name for name in OVERLAP if any(overlap == name for _, overlap in shown)]
    forms = [name for name in FORM_LINE if any(form == name for form, _ in shown)]
    handles = [Line2D([], [], color=OVERLAP[name], linewidth=4, label=f"overlap {name}")
               for name in overlaps]
    black = {"color": "#333333", "linewidth": 1.7}
    handles += [Line2D([], [], linestyle=FORM_LINE[name], label=f"{name} form", **black)
                for name in forms]
    if any(point["low_s"] < point["high_s"] for point in document["points"]):
        handles.append(Patch(color="#333333", alpha=0.18, linewidth=0,
                             label="machine's interval"))
    handles.append(Line2D([], [], color="#999999", linewidth=1, label="ideal"))
    if "what_if" in document:
        handles += [Line2D([], [], linestyle=WHAT_IF_LINE[name], label=f"what if, {name}", **black)
                    for name in forms]
    if measured_points(document, ranks):
        handles.append(Line2D([], [], linestyle="", marker="o", markersize=6, color="#333333",
                              markerfacecolor="white", markeredgewidth=1.6, label="measured, 95 %"))
    return handles


def subtitle(document):
    def words(value):
        return " \u00d7 ".join(map(str, value)) if isinstance(value, list) else str(value)
    text = ", ".join(f"{key.replace('_', ' ')} {words(value)}"
                     for key, value in document["asked"].items() if value != "auto")
    shown = len({point["ranks"] for point in document["points"]})
    if document.get("counts_in_all", 0) > shown + document["left_out"]["count"]:
        text += f"; {shown} of {count_text(document['counts_in_all'])} rank counts"
    for change in document.get("what_if", {}).get("changes", []):
        text += f"\nwhat if: {change['key']} = {change['after']:g} (is {change['before']:g})"
    return text


def draw(document):
    ranks = sorted({point["ranks"] for point in document["points"]})
    form, mine, colours, rest = areas(document)
    lines = subtitle(document).count("\n")
    figure = Figure(figsize=(12, 7.6 + 0.2 * lines))
    top = 0.875 - 0.02 * lines
    left = figure.add_gridspec(2, 1, height_ratios=(1.55, 1), left=0.07, right=0.52, top=top,
                               bottom=0.2, hspace=0.12)
    right = figure.add_gridspec(len(mine), 1, left=0.59, right=0.965, top=top, bottom=0.2,
                                hspace=0.3)
    times = figure.add_subplot(left[0])
    efficiency = figure.add_subplot(left[1])
    draw_times(times, document, ranks)
    draw_efficiency(efficiency, document, ranks)
    rank_axis(times, ranks, 5.4)
    rank_axis(efficiency, ranks, 5.4)
    times.tick_params(labelbottom=False)
    for row, (overlap, points) in enumerate(mine.items()):
        axes = figure.add_subplot(right[row])
        draw_shares(axes, points, colours, rest, overlap,
                    f"overlap {overlap}: share of the {document['step']}, {form} form")
        rank_axis(axes, ranks, 4.5)
        axes.grid(False)
        if len(ranks) > 1:
            axes.set_xlim(ranks[0], ranks[-1])
        if row + 1 == len(mine):
            axes.set_xlabel("ranks")
    figure.text(0.07, 0.965, f"{document['app']} on {document['machine']}: predicted time per "
                f"{document['step']}", fontsize=14, fontweight="bold", va="center")
    figure.text(0.07, 0.945, subtitle(document), fontsize=10, color="#444444", va="top",
                linespacing=1.5)
    figure.legend(handles=line_legend(document, ranks), loc="upper left", ncol=3,
                  bbox_to_anchor=(0.06, 0.125), columnspacing=1.6, handlelength=2.6)
    patches = [Patch(color=colours[name], label=name) for name in colours]
    if rest:
        patches.append(Patch(color=REST, label=f"{len(rest)} others"))
    figure.legend(handles=patches, loc="upper left", ncol=3, bbox_to_anchor=(0.58, 0.125),
                  columnspacing=1.6)
    return figure


if __name__ == "__main__":
    write_picture(draw)
