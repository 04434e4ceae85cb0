# SPDX-License-Identifier: MIT
"""What --plot's pictures have in common: their style, and how one is made of a document."""
import io
import json
import sys

import matplotlib

STYLE = {
    "font.family": "sans-serif", "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial"],
    "font.size": 10, "axes.titlesize": 11, "axes.labelsize": 10.5, "axes.spines.top": False,
    "axes.spines.right": False, "axes.edgecolor": "#444444", "axes.axisbelow": True,
    "legend.frameon": False, "legend.fontsize": 9.5, "svg.fonttype": "none",
    "svg.hashsalt": "bellwether", "pdf.fonttype": 42}


def write_picture(draw):
    """Draws the document (standard input) in the program's format (standard output)."""
    document = json.load(sys.stdin)
    picture = io.BytesIO()
    matplotlib.rcdefaults()
    with matplotlib.rc_context(STYLE):
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
        draw(document).savefig(picture, format=sys.argv[1], dpi=200,
                               metadata=dates.get(sys.argv[1]))
    sys.stdout.buffer.write(picture.getvalue())
