# SPDX-License-Identifier: MIT
"""Runs of the mini-apps on the GPU: how fast, and whether their results are the CPU's."""
import dataclasses
import json
import pathlib
import re
import tempfile

from gpu_session import tables
from gpu_session.session import FAILED, PASSED, Result, failure

RUN_S = 60
EXPECTED = "expected.json"  # of a packed folder: the fingerprints by the words of the run


def run(session, words, ranks=0, place=None, file=None):
    """The run's end and its records, which go into the file too if there is one."""
    made = pathlib.Path(tempfile.mkdtemp(dir=session.work)) / "records.jsonl"
    ended = session.command("run", *words, "-o", made, ranks=ranks, limit_s=RUN_S, place=place)
    lines = whole_lines(made)
    if file:
        with open(file, "a") as all_records:
            all_records.writelines(line + "\n" for line in lines)
    return ended, [json.loads(line) for line in lines]


def whole_lines(file):
    """One that was cut short is none."""
    return [line for line in file.read_text().splitlines() if line.endswith("}")] if file.exists() else []


def measured(session, words):
    """A case whose records are kept; predictions are made afterwards (judge.py)."""
    return case(session, words, file=session.records_file)


def case(session, words, place=None, file=None):
    """The fastest of a run's variants."""
    ended, records = run(session, (*words, "--backend", "cuda"), place=place, file=file)
    rows = [row(record) for record in records]
    if ended.status != 0 or not rows:
        return Result(failure(ended).outcome, failure(ended).note, {"cases": rows})
    best = min(rows, key=lambda one: one["total_s"])
    merit = f", figure of merit {best['merit']:.3g}" if best["merit"] else ""
    return Result(PASSED, f"{1e6 * best['total_s']:.1f} us, {tables.quantity(best['rate'], best['unit'])}"
                  f"{merit}", {"cases": rows})


def row(record):
    return {"app": record["app"], "size": tables.size_of(record),
            "precision": record["problem"].get("precision", "f64"), "ranks": record["ranks"],
            "overlap": record["variant"]["overlap"], "panel": record["variant"].get("panel", "-"),
            "total_s": record["measured"]["total_s"]["median"],
            "rate": record["rate"]["value"], "unit": record["rate"]["unit"],
            "merit": record["result"].get("figure_of_merit", {}).get("value"),
            "clock_mhz": clock(record), "verified": "yes" if record["verification"]["passed"] else "NO"}


def amg2023(session, edge, options):
    """AMG2023's own program, its problem 2: 7 points, conjugate gradients with a cycle as preconditioner,
    until the residual is 1e-8 of the right-hand side."""
    words = [session.place.amg2023, "-problem", 2, "-n", edge, edge, edge, *options]
    ended = session.run(words, limit_s=RUN_S)
    return of_amg2023(ended.out + ended.error, edge) if ended.status == 0 else failure(ended)


def of_amg2023(text, edge):
    """An iteration is a step; where hypre meets an error of CUDA's it says so and goes on."""
    number = r" = (\d[\d.e+-]*)"
    found = [re.search(pattern, text, re.S) for pattern in (
        r"Setup Time:.*?wall clock time" + number, r"Solve Time:.*?wall clock time" + number,
        "Iterations" + number, "Final Relative Residual Norm" + number,
        r"Figure of Merit \(FOM\): .*?\) (\d[\d.e+-]*)")]
    error = re.search(r"^.*\bERROR\b.*$", text, re.M)
    if error or not all(found):
        return Result(FAILED, error[0] if error else "it told not all of times, residual, figure of merit")
    setup_s, solve_s, iterations, residual, merit = (float(one[1]) for one in found)
    step_s = solve_s / iterations
    return Result(
        PASSED if residual <= 1e-8 else FAILED,
        f"{1e6 * step_s:.1f} us, {iterations:.0f} iterations, setup {setup_s:.3g} s, "
        f"figure of merit {merit:.3g}, residual {residual:.2g}",
        {"cases": [{"app": "AMG2023", "size": f"{edge}x{edge}x{edge}", "precision": "f64", "ranks": 1,
                    "overlap": "-", "panel": "-", "total_s": step_s, "rate": edge**3 / step_s,
                    "unit": "unknowns/s", "merit": merit, "clock_mhz": None,
                    "verified": "yes" if residual <= 1e-8 else "NO"}]})


def clock(record):
    """The median during the samples; None where nobody tells it."""
    during = record["provenance"].get("gpu", {}).get("during") or {}
    return (during.get("sm_clock_mhz") or {}).get("median")


def expected(session, words):
    """The fingerprint of a run on the CPU: as it was packed, else by a run."""
    packed = session.place.folder / EXPECTED
    known = json.loads(packed.read_text()) if packed.is_file() else {}
    name = " ".join(map(str, words))
    if name in known:
        return known[name], None
    ended, records = run(session, (*words, "--backend", "kokkos", "--overlap", "off"))
    return (records[0]["result"]["fingerprint"], None) if ended.status == 0 and records else (None, ended)


def same_as_cpu(session, all_words, ranks):
    """Each run's bits, with overlap and without."""
    wrong, count = [], 0
    for words in all_words:
        fingerprint, ended = expected(session, words)
        if fingerprint is None:
            return failure(ended)
        ended, records = run(session, (*words, "--backend", "cuda", "--overlap", "both"), ranks)
        if ended.status != 0:
            return failure(ended)
        count += len(records)
        wrong += wrong_bits([(f"{words[0]}, overlap {record['variant']['overlap']}", record["result"])
                             for record in records], fingerprint)
    if wrong or not count:
        return Result(FAILED, "; ".join(wrong) or "no records")
    return Result(PASSED, f"{count} runs have the CPU's bits")


def wrong_bits(found, fingerprint):
    """Of (variant, result) pairs those that are not the same to the bit."""
    return [f"{variant}: fingerprint {result.get('fingerprint')}, {fingerprint} expected"
            for variant, result in found if result.get("fingerprint") != fingerprint]


def knobs(session, library, all_words):
    """Rates of the same runs with one library: None for the program's own."""
    place = dataclasses.replace(session.place, cuda_library=library or session.place.cuda_library)
    cases = []
    for words in all_words:
        result = case(session, words, place=place)
        if result.outcome != PASSED:
            return result
        cases += result.values["cases"]
    rates = {f"{one['app']} {one['size']} {one['precision']}": one["rate"] for one in cases}
    return Result(PASSED, f"{len(rates)} measured", {"rates": rates})


def best_knobs(session):
    """Of each measurement the fastest library."""
    rates = {step["step"].removeprefix("knobs: "): step["values"]["rates"] for step in session.steps()
             if "rates" in step["values"]}
    rows = []
    for what, default in sorted(rates.get("default", {}).items()):
        fastest, name = max((measured[what], name) for name, measured in rates.items() if what in measured)
        rows.append({"what": what, "default": tables.quantity(default, "/s"),
                     "best": tables.quantity(fastest, "/s"),
                     "gain": f"{100 * (fastest / default - 1):+.1f} %", "knobs": name})
    return Result(PASSED, f"{len(rates)} libraries", {"best": rows})
