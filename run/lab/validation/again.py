# SPDX-License-Identifier: MIT
"""A record's prediction, again and without MPI: by `bellwether predict`, of the problem, variant and ranks
that the record names."""
import json
import math
import pathlib
import subprocess
import tempfile

# What a record's problem and variant hold that `predict` takes as an option of the same name.
OPTIONS = {
    "diffusion": ("cells", "precision", "decomposition", "boundary", "halo", "stores"),
    "lbm": ("cells", "precision", "decomposition", "boundary", "geometry", "initial", "tau", "force",
            "speed", "drift", "les", "halo"),
    "airfoil": ("cells", "precision", "loops", "increments", "halo"),
    "hpl": ("size", "block", "grid", "bcast", "swap", "panel"),
    "cholesky": ("size", "precision", "block"),
    "amg": ("relax", "sweeps", "solver")}
BY_X = ("decomposition", "grid")  # PXxPYxPZ in one word


def words_of(record):
    """The record's problem and variant as options of `predict`."""
    known = {"panel": "host", **record["variant"], **record["problem"]}  # records of before had no other panel
    words = []
    for name in OPTIONS[record["app"]]:
        value = known.get(name)
        if value is None:
            continue
        values = value if isinstance(value, list) else [value]
        words += [f"--{name}", *(["x".join(map(str, values))] if name in BY_X else map(str, values))]
    return words


def predicted(program, record, machine_file):
    """The point of `predict --json`; with only "why_not" where there is none."""
    hosts = {rank["host"] for rank in record["per_rank"]}
    words = [program, "predict", record["app"], *words_of(record), "--machine", str(machine_file), "--ranks",
             str(record["ranks"]), "--ranks-per-node", str(math.ceil(record["ranks"] / len(hosts))),
             "--overlap", record["variant"].get("overlap", "off"), "--form", "refined", "--json"]
    with tempfile.TemporaryDirectory() as folder:
        if record["app"] == "amg":
            hierarchy = pathlib.Path(folder) / "hierarchy.jsonl"
            hierarchy.write_text(json.dumps(record) + "\n")
            words += ["--hierarchy", str(hierarchy)]
        ended = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ended.returncode != 0:
        return {"why_not": (ended.stderr.strip().splitlines() or [f"status {ended.returncode}"])[-1]}
    return json.loads(ended.stdout)["points"][0]
