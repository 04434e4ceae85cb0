# SPDX-License-Identifier: MIT
"""Makes the report's page (standard output) of what `bellwether report` read (standard input):
pictures by matplotlib, as SVG within the page, and the page by jinja2. A picture's numbers stand in
a table beneath it. Text and lines take the page's own colours, light or dark."""
import io
import json
import math
import re
import statistics
import sys
import types

import jinja2
import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

# Stand for the page's own colours until the picture is in the page.
INK, LINE = "#012345", "#012346"
# Paul Tol's light colours, in an order in which neighbours differ.
AREAS = ["#77AADD", "#EE8866", "#EEDD88", "#44BB99", "#FFAABB", "#BBCC33", "#99DDFF", "#AAAA00",
         "#CC99BB", "#DDBB77"]
REST = "#BBBBBB"
MEASURED, PREDICTED, PAPER = "#D55E00", "#0072B2", "#999999"  # Okabe and Ito
STYLE = {
    "font.family": "sans-serif", "font.size": 10, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": LINE, "xtick.color": INK, "ytick.color": INK, "grid.color": LINE,
    "grid.linewidth": 0.5, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "legend.frameon": False, "svg.fonttype": "none",
    "svg.hashsalt": "bellwether", "axes.facecolor": "none", "savefig.facecolor": "none"}
BARS_A_PICTURE = 10


def svg(figure):
    """The picture as it stands in a page: scalable, in the page's colours, without ids that nothing
    in it refers to (several pictures share a page)."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight", pad_inches=0.05)
    text = text.getvalue()
    text = text[text.index("<svg"):]
    text = text.replace(INK, "currentColor").replace(LINE, "var(--line)")
    used = set(re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", text))
    used = {one for pair in used for one in pair if one}
    text = re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) width="([\d.]+)pt"', r'\1 style="width: min(100%, \2pt)"', text,
                  count=1)
    return jinja2.utils.markupsafe.Markup(text)


def time_text(seconds):
    if seconds is None or not math.isfinite(seconds):
        return "–"
    for unit, size in (("s", 1), ("ms", 1e-3), ("µs", 1e-6)):
        if abs(seconds) >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-9:.3g} ns"


def rate_text(value, unit):
    for prefix, size in (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if value >= size:
            return f"{value / size:.3g} {prefix}{unit}"
    return f"{value:.3g} {unit}"


def percent(share, sign=True):
    if share is None:
        return "–"
    share = 0 if abs(share) < 0.0005 else share
    return f"{100 * share:+.1f} %" if sign else f"{100 * share:.0f} %"


def bytes_text(value):
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value:g} B"


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


def times_of(case, side):
    """A side's terms, its total's interval, all in seconds; none where it has no such side."""
    if side == "measured":
        return ({name: one["median"] for name, one in case.terms.items()},
                case.total["low"], case.total["high"])
    form = getattr(case, side)
    return (form["terms"], form["low_s"], form["high_s"]) if form else None


def term_colours(cases, sides):
    """Of an app's largest terms, in the order in which they run. The rest are summed up."""
    largest = {}
    for case in cases:
        for side in sides:
            for name, seconds in (times_of(case, side) or ({},))[0].items():
                largest[name] = max(largest.get(name, 0), seconds / case.total["median"])
    kept = sorted(largest, key=largest.get, reverse=True)
    kept = kept if len(kept) <= len(AREAS) else kept[:len(AREAS)]
    order = ["compute", "pack", "copy", "wait", "network", "reduce", "swap", "unpack", "other"]
    names = sorted(kept, key=lambda name: next((i for i, one in enumerate(order)
                                                if name.startswith(one)), len(order)))
    return dict(zip(names, AREAS)), [name for name in largest if name not in kept]


def stacked_bars(cases):
    """Terms of a step, predicted beside measured, a group of bars for each case; within a picture
    all as fractions of what was measured, so that small cases are seen beside large ones."""
    sides = [side for side in ("paper", "refined", "measured")
             if any(times_of(case, side) for case in cases)]
    colours, rest = term_colours(cases, sides)
    pitch = len(sides) + 1.5
    figure = Figure(figsize=(8.6, 0.8 + len(cases) * (0.24 * len(sides) + 0.4)))
    axes = figure.add_subplot()
    ticks, labels, farthest = [], [], 1.0
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
            for width, colour in widths:
                if width > 0:
                    axes.barh(y, width, left=at, color=colour, height=0.86)
                    at += width
            if at > 2.5:  # beyond the picture: how far, in place of the interval's visible end
                axes.text(2.48, y, f"{at:.1f} ×", ha="right", va="center", color="#222222")
            else:
                axes.errorbar([at], [y], xerr=[[0], [0]] if high <= low else
                              [[max(0, at - low / unit)], [max(0, high / unit - at)]],
                              color=INK, capsize=2, elinewidth=1, linestyle="")
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
    axes.legend(handles=handles, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=9)
    return svg(figure)


def term_table(cases):
    rows = []
    for case in cases:
        names = list(case.terms) + [
            name for form in (case.refined, case.paper) if form for name in form["terms"]
            if name not in case.terms]
        for name in [*dict.fromkeys(names), "total"]:
            measured = case.total if name == "total" else case.terms.get(name)

            def form(which):
                if which is None:
                    return None
                return which["total_s"] if name == "total" else which["terms"].get(name)
            expected = form(case.refined)
            rows.append([case.name, name, time_text(form(case.paper)), time_text(expected),
                         time_text(measured and measured["median"]),
                         f"{time_text(measured['low'])} – {time_text(measured['high'])}"
                         if measured and measured["count"] > 1 else "–",
                         percent((expected - measured["median"]) / measured["median"])
                         if expected is not None and measured and measured["median"] > 0 else "–"])
    return {"head": ["case", "term", "paper", "refined", "median", "95 %", "error"], "rows": rows}


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
        axes.text(max(share, now or 0) + 0.015, row, percent(share, sign=False), va="center")
    axes.set_yticks(range(len(shown)), [case.name for case in shown], fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, max(1.12, *(case.rate["fraction_of_limit"] + 0.12 for case in shown)))
    axes.axvline(1, color=INK, linewidth=1)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: percent(share, sign=False)))
    axes.set_xlabel("share of the calibrated limit (diamond: of what it was during the run)")
    rows = [[case.name, rate_text(case.rate["value"], case.rate["unit"]), case.rate["limit"],
             percent(case.rate["fraction_of_limit"], sign=False),
             percent(case.rate.get("fraction_of_limit_at_probe"), sign=False)
             if case.rate.get("fraction_of_limit_at_probe") else "–"] for case in shown]
    return {"title": "Rates beside limits", "picture": svg(figure),
            "tables": [{"head": ["case", "rate", "limit", "share", "of what it was"],
                        "rows": rows}]}


def value(quantity):
    return quantity["value"] if isinstance(quantity, dict) else quantity


def roofline(machine, cases):
    """The machine's roofs for all ranks of its layout, and the cases that ran on as many."""
    device = machine["device"]
    peaks = {name: value(one) for name, one in device.get("peak_flops_per_s", {}).items()}
    peaks |= {f"{name} matrix product": value(one)
              for name, one in device.get("gemm_flops_per_s", {}).items()}
    ranks = machine.get("layout", {}).get("ranks", 1)
    points = [case for case in cases if case.rate and case.record["ranks"] == ranks
              and case.rate.get("flops_per_s") and case.rate.get("bytes_per_s")]
    if not peaks or not points:
        return None
    bandwidth = value(device["memory_bandwidth_bytes_per_s"]) * ranks
    figure = Figure(figsize=(8.6, 4.6))
    axes = figure.add_subplot()
    intensities = [case.rate["flops_per_s"] / case.rate["bytes_per_s"] for case in points]
    left = min(*intensities, 0.5) / 2
    right = max(*intensities, max(peaks.values()) * ranks / bandwidth) * 3
    above = math.inf
    for name, peak in sorted(peaks.items(), key=lambda one: -one[1]):
        roof = peak * ranks
        above = min(roof, above / 1.25)  # labels stand apart where roofs do not
        axes.plot([left, roof / bandwidth, right], [left * bandwidth, roof, roof], color=INK,
                  linewidth=1.2)
        axes.text(right * 1.05, above, f"{name}, {rate_text(roof, 'flop/s')}", va="center",
                  fontsize=9)
    axes.text(left * 1.3, left * 1.15 * bandwidth, rate_text(bandwidth, "B/s"), fontsize=9,
              va="top")
    apps = list(dict.fromkeys(case.app for case in points))
    for number, app in enumerate(apps):
        mine = [(i, case) for i, case in enumerate(points) if case.app == app]
        axes.plot([intensities[i] for i, _ in mine],
                  [case.rate["flops_per_s"] for _, case in mine], linestyle="",
                  marker="osD^vP"[number % 6], color=AREAS[number], markeredgecolor=INK,
                  markeredgewidth=0.6, markersize=7, label=app)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(left, right)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g}"))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: rate_text(y, "flop/s")))
    axes.grid(True)
    axes.set_xlabel("flop per byte of compulsory memory traffic")
    axes.legend(loc="lower left", bbox_to_anchor=(1.0, 0.0))
    rows = [[case.name, f"{intensity:.3g}", rate_text(case.rate["flops_per_s"], "flop/s"),
             rate_text(case.rate["bytes_per_s"], "B/s")]
            for case, intensity in zip(points, intensities)]
    return {"title": f"Roofline of {machine['name']}, {ranks} ranks", "picture": svg(figure),
            "tables": [{"head": ["case", "flop/byte", "flop/s", "byte/s"], "rows": rows}]}


def link_seconds(timing, size):
    """In the refined form: the segment that the size falls in."""
    segments = timing.get("segments") or [timing]
    chosen = segments[0]
    for segment in segments:
        if segment.get("from_bytes", 0) <= size:
            chosen = segment
    ahead = value(chosen.get("burst_bytes", 0)) or 0
    return (value(chosen["latency_s"])
            + max(0, size - ahead) / value(chosen["bandwidth_bytes_per_s"]))


def links(machine):
    found = [(name, link) for name, link in machine.get("links", {}).items() if link.get("samples")]
    if not found:
        return None
    columns = min(2, len(found))
    lines = -(-len(found) // columns)
    figure = Figure(figsize=(8.6 if columns == 2 else 5, 3.1 * lines))
    rows = []
    for number, (name, link) in enumerate(found):
        axes = figure.add_subplot(lines, columns, number + 1)
        sizes = [sample[0] for sample in link["samples"]]
        latency, bandwidth = value(link["latency_s"]), value(link["bandwidth_bytes_per_s"])
        axes.plot(sizes, [sample[1] for sample in link["samples"]], "o", color=MEASURED,
                  markersize=4, label="measured")
        axes.plot(sizes, [link_seconds(link, size) for size in sizes], color=PREDICTED,
                  label="refined")
        axes.plot(sizes, [latency + size / bandwidth for size in sizes], color=PAPER,
                  linestyle="--", label="t0 + s / B0")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(name.replace("_", " "), loc="left", fontsize=10)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: bytes_text(x)))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: time_text(y)))
        axes.tick_params(axis="x", labelrotation=30)
        axes.grid(True)
        if number == 0:
            axes.legend(fontsize=9)
        rows.append([name.replace("_", " "), time_text(latency), rate_text(bandwidth, "B/s"),
                     percent(link.get("largest_residual"), sign=False),
                     percent(link.get("largest_residual_paper"), sign=False)])
    figure.tight_layout()
    samples = [[name.replace("_", " "), bytes_text(size), time_text(seconds)]
               for name, link in found for size, seconds, *_ in link["samples"]]
    return {"title": f"Links of {machine['name']}: seconds of a message", "picture": svg(figure),
            "tables": [{"head": ["link", "t0", "B0", "largest residual, refined", "paper"],
                        "rows": rows},
                       {"head": ["link", "message", "measured"], "rows": samples}]}


def memory(machine):
    """Bandwidth of a rank over its working set, with as many ranks at once as a node has."""
    most = max((curve["ranks"] for curve in machine["device"].get("memory", [])), default=0)
    curves = [curve for curve in machine["device"].get("memory", [])
              if curve["ranks"] == most and curve["precision"] == "f64"
              and curve.get("rereads", 0) == 0 and len(curve["points"]) > 1]
    if not curves:
        return None
    figure = Figure(figsize=(8.6, 3.8))
    axes = figure.add_subplot()
    rows = []
    for number, curve in enumerate(curves):
        arrays = curve["arrays"]
        label = f"{arrays} array{'s' * (arrays > 1)}, {curve['stores'].replace('_', ' ')}"
        points = sorted(curve["points"], key=lambda point: point["working_set_bytes"])
        axes.plot([point["working_set_bytes"] for point in points],
                  [value(point["bandwidth_bytes_per_s"]) for point in points], marker="o",
                  markersize=3.5, color=AREAS[number % len(AREAS)], label=label)
        rows += [[label, bytes_text(point["working_set_bytes"]),
                  rate_text(value(point["bandwidth_bytes_per_s"]), "B/s")] for point in points]
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: bytes_text(x)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: rate_text(y, "B/s") if y else "0"))
    axes.set_ylim(bottom=0)
    axes.set_xlabel(f"working set of a rank; {most} rank{'s' * (most > 1)} at once, f64")
    axes.grid(True)
    axes.legend(fontsize=9)
    return {"title": f"Memory of {machine['name']}: bandwidth of a rank", "picture": svg(figure),
            "tables": [{"head": ["curve", "working set", "bandwidth"], "rows": rows}]}


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
        axes.barh([row] * len(all_ranks), [width] * len(all_ranks),
                  left=[i * width for i in range(len(all_ranks))], height=0.7,
                  color=[shades(0.5 + max(-0.5, min(0.5, 5 * one))) for one in deviations])
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


def scaling(document, program):
    """As `predict --plot` draws it, on a page of its own colours."""
    module = types.ModuleType("plot_scaling")
    exec(program, module.__dict__)
    style = dict(module.STYLE, **{"figure.facecolor": "white", "savefig.facecolor": "white"})
    with matplotlib.rc_context(style):
        picture = svg(module.draw(document))
    rows = [[str(point["ranks"]), point["overlap"], point["model"], time_text(point["total_s"]),
             percent(point["efficiency"], sign=False)] for point in document["points"]]
    return {"title": f"Predicted scaling: {document['app']} on {document['machine']}",
            "picture": picture, "paper": True,
            "tables": [{"head": ["ranks", "overlap", "form", "time", "efficiency"],
                        "rows": rows}]}


def facts(cases, machines):
    """What was run, and where: each fact with the values that occur."""
    found = {}
    for source in [*(case.record.get("provenance") or {} for case in cases),
                   *(machine.get("provenance") or {} for machine in machines)]:
        for key, one in source.items():
            if key in ("request", "time", "command_line"):
                continue
            text = one if isinstance(one, str) else json.dumps(one)
            found.setdefault(key, [])
            if text not in found[key]:
                found[key].append(text)
    return [[key, "; ".join(values[:4]) + (f"; and {len(values) - 4} more"
                                           if len(values) > 4 else "")]
            for key, values in sorted(found.items())]


def chunks(all_, size):
    return [all_[i:i + size] for i in range(0, len(all_), size)]


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


KINDS = {"right": "result", "promised": "as promised", "before": "as before",
         "siblings": "as its siblings", "specified": "as specified"}
VERDICTS = {"wrong": "bad", "fail": "bad", "warning": "off", "not judged": "dim", "pass": "good"}


def verdict_part(document):
    """What an acceptance found, worst first, in a list of what is not as it should be and a table of
    the rest."""
    order = list(VERDICTS)
    found = sorted(document["findings"], key=lambda one: order.index(one["verdict"])
                   if one["verdict"] in order else -1)
    rows = [{"verdict": one["verdict"], "kind": KINDS.get(one["kind"], one["kind"]),
             "sentence": one["sentence"], "colour": VERDICTS.get(one["verdict"], "bad")} for one in found]
    return {"word": document["verdict"], "suite": document["suite"],
            "colour": {"pass": "good", "pass with warnings": "off"}.get(document["verdict"], "bad"),
            "off": [row for row in rows if row["verdict"] not in ("pass", "not judged")],
            "rest": [row for row in rows if row["verdict"] in ("pass", "not judged")]}


def main():
    document = json.load(sys.stdin)
    matplotlib.rcdefaults()
    matplotlib.rcParams.update(STYLE)
    cases = [Case(one["name"], one["record"]) for one in document["cases"]]
    machines = document["machines"]
    sections = []
    right = [case for case in cases if case.right]
    for app in dict.fromkeys(case.app for case in right):
        mine = [case for case in right if case.app == app]
        pieces = chunks(mine, BARS_A_PICTURE)
        for number, piece in enumerate(pieces):
            part = f", {number + 1} of {len(pieces)}" if len(pieces) > 1 else ""
            sections.append({"title": f"{app}: predicted beside measured, term by term{part}",
                             "picture": stacked_bars(piece), "tables": [term_table(piece)]})
    sections.append(limits(right))
    sections += [roofline(machine, right) for machine in machines]
    sections.append(ranks(right))
    sections += [links(machine) for machine in machines]
    sections += [memory(machine) for machine in machines]
    sections += [scaling(one, document["scaling_program"]) for one in document["predictions"]]
    tiles, sentences, more = summary(cases)
    machine = machines[0] if machines else None
    hosts = sorted({rank["host"] for case in cases for rank in case.record.get("per_rank") or []})
    times = sorted(filter(None, (
        (one or {}).get("time") for one in
        [*(case.record.get("provenance") for case in cases),
         *(machine.get("provenance") for machine in machines)])))
    page = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True,
                              undefined=jinja2.StrictUndefined).from_string(document["page"])
    sys.stdout.reconfigure(encoding="utf-8")
    sys.stdout.write(page.render(
        title=document["title"] or (f"Bellwether on {machine['name']}" if machine else
                                    "Bellwether report"),
        description=machine.get("description", "") if machine else "",
        verdicts=[verdict_part(one) for one in document["verdicts"]],
        hosts=hosts, times=times, tiles=tiles, sentences=sentences, more=more,
        rows=case_rows(cases), sections=[one for one in sections if one],
        warnings=[f"{one['name']}: {text}" for one in machines for text in one.get("warnings", [])],
        facts=facts(cases, machines), files=document["files"], version=document["version"]))


if __name__ == "__main__":
    main()
