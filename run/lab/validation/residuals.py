# SPDX-License-Identifier: MIT
"""What validation says of the models, as the program has it built in: results/acceptance/residuals.json.
Of each mini-app measured / predicted at the probe, in runs at sizes that no calibration saw."""
import json

from validation import statistics

FEWEST = 12  # as results/run_interval.hpp


def ratios(rows, value):
    return sorted(round(found, 4) for found in map(value, rows) if found is not None)


def at_probe(row):
    return None if row["error_at_probe"] is None else 1 / (1 + row["error_at_probe"])


def of_app(rows, source):
    """`rows`: those of one mini-app that count. Terms as the program compares them: with the wait where
    the network holds it, and only where they are a twentieth of the step, so that a ratio says
    something."""
    total = ratios(rows, at_probe)
    middle = statistics.median(total)
    slower = total[len(total) // 2:]
    found = {"runs": len(total), "median": round(middle - 1, 4),
             "mean_excess": round(sum(slower) / len(slower) - middle, 4), "source": source,
             "ratios": {"total": total}}
    for name in sorted({name for row in rows for name in row.get("terms", {})}):
        if name.startswith("compute."):
            continue  # its ratio would be to the calibrated speed, not to the probe's
        def of_term(row, name=name):
            predicted, measured = row.get("terms", {}).get(name, (0, 0))
            large = predicted > 0 and measured > 0.05 * row["measured_s"]
            return measured / predicted if large else None
        term = ratios(rows, of_term)
        if len(term) >= FEWEST:
            found["ratios"][name] = term
    return found


BETWEEN_NODES = "total between nodes"


def counts(row):
    return row["verified"] and row["error_at_probe"] is not None


def merged(old, documents):
    """`documents`: results files by name. Of a mini-app that they have with enough runs, those on one
    node at sizes drawn at random are replaced, and so are the totals between nodes."""
    sound = {name: document for name, document in documents.items() if not document.get("disturbed")}

    def taken(here):
        rows = {name: [row for row in document["cases"] if here(row) and counts(row)]
                for name, document in sound.items()}
        return {name: some for name, some in rows.items() if some}

    def source(rows_of_files, sizes):
        files = ", ".join(f"results/validation/history/{name}" for name in rows_of_files)
        return f"{files}: measured / predicted at the probe, {sizes}"

    alone = taken(lambda row: row["held_out"] and row["nodes"] <= 1)
    between = taken(lambda row: row["nodes"] > 1 and row["what"] == "total")
    new = dict(old["residuals"])
    for app, own in by_app(alone):
        before = new.get(app, {})
        new[app] = of_app(own, source(alone, "sizes drawn at random"))
        if BETWEEN_NODES in before.get("ratios", {}):
            new[app]["between_nodes_source"] = before["between_nodes_source"]
            new[app]["ratios"][BETWEEN_NODES] = before["ratios"][BETWEEN_NODES]
    for app, own in by_app(between):
        if app in new:
            new[app] = {**new[app], "between_nodes_source": source(between, "totals of two ranks on two nodes"),
                        "ratios": {**new[app]["ratios"], BETWEEN_NODES: ratios(own, at_probe)}}
    return {"schema": old["schema"], "residuals": new}


def by_app(rows_of_files):
    """The mini-apps that have enough of these rows, with them."""
    rows = [row for some in rows_of_files.values() for row in some]
    for app in sorted({row["app"] for row in rows}):
        own = [row for row in rows if row["app"] == app]
        if len(own) >= FEWEST:
            yield app, own


def text(document):
    lines = [f"    {json.dumps(app)}: {json.dumps(one)}" for app, one in document["residuals"].items()]
    return '{\n  "schema": %s,\n  "residuals": {\n%s\n  }\n}\n' % (
        json.dumps(document["schema"]), ",\n".join(lines))


def update(path, documents):
    path.write_text(text(merged(json.loads(path.read_text()), documents)))
