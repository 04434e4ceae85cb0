# SPDX-License-Identifier: MIT
"""The report's pictures of a machine: roofs, memory, and the scaling predicted of it."""
import math

import matplotlib
import plot_scaling
import plot_style
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from report_style import AREAS, INK, LINES, bytes_text, percent, rate_text, svg, time_text


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
                  [value(point["bandwidth_bytes_per_s"]) for point in points],
                  marker="osD^vP"[number % 6], markersize=3.5, color=LINES[number % len(LINES)],
                  label=label)
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


def scaling(document):
    """As `predict --plot` draws it, on a page of its own colours."""
    style = dict(plot_style.STYLE, **{"figure.facecolor": "white", "savefig.facecolor": "white"})
    with matplotlib.rc_context(style):
        picture = svg(plot_scaling.draw(document))
    rows = [[str(point["ranks"]), point["overlap"], point["model"], time_text(point["total_s"]),
             percent(point["efficiency"], sign=False)] for point in document["points"]]
    return {"title": f"Predicted scaling: {document['app']} on {document['machine']}",
            "picture": picture, "paper": True,
            "tables": [{"head": ["ranks", "overlap", "form", "time", "efficiency"],
                        "rows": rows}]}
