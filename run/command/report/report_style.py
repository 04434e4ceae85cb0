# SPDX-License-Identifier: MIT
"""How numbers and pictures look on the report's page. A picture is SVG within the page; its text
and lines take the page's own colours, light or dark."""
import io
import math
import re

import jinja2

# Stand for the page's own colours until the picture is in the page.
INK, LINE, GROUND = "#012345", "#012346", "#012347"
# For areas: Paul Tol's light colours, in an order in which neighbours differ. Dark text is readable
# on them.
AREAS = ["#77AADD", "#EE8866", "#EEDD88", "#44BB99", "#FFAABB", "#BBCC33", "#99DDFF", "#AAAA00",
         "#CC99BB", "#DDBB77"]
REST = "#BBBBBB"
NOWHERE = "#DDDDDD"  # of the measured total what no term has
# For lines and points: Okabe and Ito's that stand out from a light page and a dark one.
LINES = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
MEASURED = LINES[1]
STYLE = {
    "font.family": "sans-serif", "font.size": 10, "text.color": INK, "axes.labelcolor": INK,
    "axes.edgecolor": LINE, "xtick.color": INK, "ytick.color": INK, "grid.color": LINE,
    "grid.linewidth": 0.5, "axes.spines.top": False, "axes.spines.right": False,
    "axes.axisbelow": True, "legend.frameon": False, "svg.fonttype": "none",
    "svg.hashsalt": "bellwether", "axes.facecolor": "none", "savefig.facecolor": "none"}


def svg(figure):
    """The picture as it stands in a page: scalable, in the page's colours, without ids that nothing
    in it refers to (several pictures share a page)."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None}, bbox_inches="tight", pad_inches=0.05)
    text = text.getvalue()
    text = text[text.index("<svg"):]
    text = text.replace(INK, "currentColor").replace(LINE, "var(--line)")
    text = text.replace(GROUND, "var(--paper)")
    used = set(re.findall(r"url\(#([^)]+)\)|href=\"#([^\"]+)\"", text))
    used = {one for pair in used for one in pair if one}
    text = re.sub(r' id="([^"]+)"', lambda m: m[0] if m[1] in used else "", text)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg[^>]*?) width="([\d.]+)pt"', r'\1 style="width: min(100%, \2pt)"', text,
                  count=1)
    return jinja2.utils.markupsafe.Markup(text)


def titled(section):
    """The section whose picture says to who cannot see it what it is."""
    name = jinja2.utils.markupsafe.escape(section["title"])
    picture = re.sub(r"<svg([^>]*)>", lambda found: f'<svg role="img" aria-label="{name}"{found[1]}>'
                     f"<title>{name}</title>", str(section["picture"]), count=1)
    return {**section, "picture": jinja2.utils.markupsafe.Markup(picture)}


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


def share_text(rate):
    """Of its limit, a GPU's cold and sustained; above all of it with the reason."""
    if not rate or not rate["fraction_of_limit"]:
        return "–"
    why = why_above(rate)
    sustained = rate.get("fraction_of_sustained_limit")
    return (f"{percent(rate['fraction_of_limit'], sign=False)} of {rate['limit']}"
            + (f" with cold clocks, {percent(sustained, sign=False)} of what it sustains"
               if sustained else "")
            + (f" ({why})" if why else ""))


def why_above(rate):
    """Why its share is above all of it. Records of earlier versions do not say."""
    if rate["fraction_of_limit"] <= 1:
        return ""
    return rate.get("above_limit", "from a cache, or calibrated slower than now")


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
