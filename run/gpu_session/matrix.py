# SPDX-License-Identifier: MIT
"""Stage `matrix`: every mini-app that a GPU runs, in its precisions, at several sizes, on one rank and on
two that share the device, with overlap and without, halos staged and, where MPI takes device memory,
direct: how much of the limit, how well predicted; and the same results as on the CPU."""

from gpu_session import calibrate as calibration
from gpu_session import place as places
from gpu_session import tables
from gpu_session.session import FAILED, PASSED, SKIPPED, Job, Result, failure
from validation import report, statistics

LIMIT_S = 540
NOT_HERE = 3  # bellwether's exit status where the environment cannot do it
START_S = 3  # of a run: the launcher, the device's context, the setup
PRECISIONS = ("f32", "f64")


def cube(edge):
    return ("--cells", edge, edge, edge)


# The first of each is the one that targets are about, so that it is done first.
SIZES = {"diffusion": [cube(512), cube(256), cube(128)], "lbm": [cube(256), cube(384), cube(128)],
         "airfoil": [("--cells", 400, 600), ("--cells", 800, 900), ("--cells", 150, 200)],
         "hpl": [("--size", 16384, "--block", 64), ("--size", 8192, "--block", 64)],
         "cholesky": [("--size", 8192), ("--size", 16384, "--block", 128)]}
SMALLEST = {"diffusion": [cube(24)], "lbm": [cube(16)], "airfoil": [("--cells", 12, 17)],
            "hpl": [("--size", 130, "--block", 32)], "cholesky": [("--size", 70)]}
STEPS = {"diffusion": ("--steps", 32), "lbm": ("--steps", 32), "airfoil": ("--iterations", 32),
         "hpl": ("--factorizations", 1), "cholesky": ("--factorizations", 1)}
ONE_PRECISION = {"hpl": "f64"}  # and no option for it
HALOS = ("diffusion", "lbm", "airfoil")
# Runs that the CPU repeats: odd sizes, a fixed number of steps.
COMPARED = {"diffusion": ("--cells", 125, 131, 127), "lbm": ("--cells", 93, 99, 95),
            "airfoil": ("--cells", 100, 150)}
COMPARED_SMALLEST = {"diffusion": ("--cells", 19, 21, 23), "lbm": ("--cells", 13, 15, 14),
                     "airfoil": ("--cells", 12, 17)}
COMPARED_STEPS = 20

TARGETS = {"diffusion": 0.92, "lbm": 0.90}  # of the copy; of the update in place
AIRFOIL_S, AIRFOIL_CELLS = 120e-6, [400, 600]
ERRORS = {"median": 0.08, "worst": 0.20}  # on one rank: two on a device take turns of milliseconds
FLUIDX3D = {"H100": 17602e6, "H200": 23056e6}  # cells/s of D3Q19 in f32 (its README)


def jobs(session):
    sizes = SMALLEST if session.smallest else SIZES
    for ranks in (1, 2):
        if machine_file(session, ranks) is None:
            yield Job(f"quick calibration, {label(ranks)}", lambda s, r=ranks: calibrate(s, r), 10)
    cases = [(app, size, precision, ranks) for ranks in (1, 2)
             for number in range(max(map(len, sizes.values()))) for app in sizes
             for size in sizes[app][number:number + 1] for precision in precisions(app)]
    compared = [(app, precision) for app in COMPARED for precision in PRECISIONS]
    # The first sizes on one rank, then whether they are right, then the rest.
    first = sum(len(precisions(app)) for app in sizes)
    planned = [("case", case) for case in cases[:first]] + [("same", one) for one in compared] + \
        [("case", case) for case in cases[first:]]
    direct = True
    for number, (kind, what) in enumerate(planned):
        after = len(planned) - number
        if kind == "same":
            app, precision = what
            yield Job(f"{app} {precision}: as on the CPU", lambda s, w=what: same_as_cpu(s, *w))
            continue
        app, size, precision, ranks = what
        name = f"{app} {name_of(size)} {precision}, {label(ranks)}"
        yield Job(name, lambda s, w=what, a=after: case(s, *w, "staged", a))
        if ranks > 1 and direct and app in HALOS:
            yield Job(name + ", direct", lambda s, w=what, a=after: case(s, *w, "direct", a))
            direct = session.last.outcome != SKIPPED
    yield Job("targets", targets, 0)


def precisions(app):
    return (ONE_PRECISION[app],) if app in ONE_PRECISION else PRECISIONS


def name_of(size):
    """As tables.size_of has it for the record."""
    numbers = [str(word) for word in size if isinstance(word, int)]
    return ("x" if "--cells" in size else ", block ").join(numbers)


def label(ranks):
    return f"{ranks} rank{'s' if ranks > 1 else ''}"


def machine_file(session, ranks):
    """The calibration of so many ranks in the session's folder, or one that was brought along."""
    paths = [folder / f"machine-{ranks}.json" for folder in session.machine_folders]
    return next((path for path in paths if path.exists()), None)


def calibrate(session, ranks):
    return calibration.calibrate(session, ranks, f"machine-{ranks}.json",
                                 1 if session.smallest else 40, ["--quick"])


def run(session, words, ranks, limit_s):
    """The run's status, and the records that it added to the session's."""
    known = len(session.records())
    done = session.command("run", *words, "-o", session.records_file, ranks=ranks, limit_s=limit_s)
    return done, session.records()[known:]


def case(session, app, size, precision, ranks, halo, cases_left):
    """With overlap and without; each gets its share of the time that is left."""
    machine = machine_file(session, ranks)
    if machine is None:
        return Result(SKIPPED, f"no machine file for {label(ranks)}")
    budget = min(5.0, max(0.3, session.left() / cases_left / 2 - START_S / 2))
    chosen = () if app in ONE_PRECISION else ("--precision", precision)
    if app in HALOS:
        chosen += ("--halo", halo)
    if session.smallest:
        chosen += STEPS[app]
    done, records = run(
        session, (app, *size, *chosen, "--backend", "cuda", "--overlap", "both", "--probe",
                  "--machine", machine, "--time-budget", f"{budget:.1f}"), ranks, 60)
    if halo == "direct" and done.status == NOT_HERE:
        return Result(SKIPPED, done.said())
    rows = [row(record) for record in records]
    if done.status != 0 or len(rows) != 2:
        return Result(failure(done).outcome, failure(done).note, {"cases": rows})
    best = min(rows, key=lambda one: one["total_s"])
    return Result(PASSED, f"{1e6 * best['total_s']:.1f} us, {tables.share(best['share'])} of the limit, "
                  f"predicted {report.percent(best['error'])}", {"cases": rows})


def row(record):
    rate, error = record["rate"], record["error"]
    return {"app": record["app"], "size": tables.size_of(record),
            "precision": record["problem"].get("precision", "f64"), "ranks": record["ranks"],
            "overlap": record["variant"]["overlap"], "halo": record["variant"].get("halo", "-"),
            "device": record["per_rank"][0]["device"], "total_s": record["measured"]["total_s"]["median"],
            "rate": rate["value"], "unit": rate["unit"], "share": rate["fraction_of_limit"],
            "share_at_probe": rate.get("fraction_of_limit_at_probe"),
            "error": error.get("refined"), "error_at_probe": error.get("refined_at_probe"),
            "verified": "yes" if record["verification"]["passed"] else "NO"}


def same_as_cpu(session, app, precision):
    """On the CPU with as many ranks as there are cores for, on the device with one and with two."""
    cells = (COMPARED_SMALLEST if session.smallest else COMPARED)[app]
    words = (app, *cells, STEPS[app][0], COMPARED_STEPS, "--precision", precision)
    # The order of additions that a GPU has by itself.
    order = ("--increments", "gather") if app == "airfoil" else ()
    done, records = run(session, (*words, *order, "--backend", "kokkos", "--overlap", "off"),
                        min(4, places.cores()), 90)
    if done.status != 0 or len(records) != 1:
        return failure(done)
    expected = records[0]["result"]
    found = []
    for ranks in (1, 2):
        done, records = run(session, (*words, "--backend", "cuda", "--overlap", "both"), ranks, 60)
        if done.status != 0 or len(records) != 2:
            return failure(done)
        found += [(f"{label(ranks)}, overlap {record['variant']['overlap']}", record["result"])
                  for record in records]
    wrong = wrong_bits(found, expected)
    if wrong:
        return Result(FAILED, "; ".join(wrong))
    return Result(PASSED, f"{len(found)} runs: fingerprint {expected['fingerprint']}")


def wrong_bits(found, expected):
    """Of (variant, result) pairs those that are not the same to the bit."""
    return [f"{variant}: fingerprint {result.get('fingerprint')}, {expected['fingerprint']} expected"
            for variant, result in found if result.get("fingerprint") != expected["fingerprint"]]


def targets(session):
    """What is wanted beside what was found, over all cases of this stage in the folder."""
    cases = [case for step in session.steps() if step["stage"] == "matrix"
             for case in step["values"].get("cases", [])]
    judged = judge(cases)
    if session.smallest:
        judged = [dict(row, verdict="not judged") for row in judged]
    missed = [row["what"] for row in judged if row["verdict"] == "MISSED"]
    return Result(PASSED, "missed: " + ", ".join(missed) if missed else "see above",
                  {"targets": judged, "missed": missed})


def judge(cases):
    """Rows of the table of targets; what was not measured is said, and counts as missed."""
    rows = []

    def add(what, wanted, found, met):
        rows.append({"what": what, "target": wanted, "found": found,
                     "verdict": "met" if met else "MISSED"})

    def best(app, precision, cells=None):
        """The fastest on one rank at the size of the targets."""
        cells = cells or list(SIZES[app][0][1:])
        chosen = [one for one in cases if one["app"] == app and one["precision"] == precision and
                  one["ranks"] == 1 and one["size"] == "x".join(map(str, cells))]
        return min(chosen, key=lambda one: one["total_s"], default=None)

    for app, wanted in TARGETS.items():
        for precision in PRECISIONS:
            one = best(app, precision)
            found = one and one["share"]
            add(f"{app} {precision}, share of the {'copy' if app == 'diffusion' else 'update in place'}",
                f">= {wanted:.2f}", tables.share(found), found is not None and found >= wanted)
    one = best("lbm", "f32")
    for name, rate in FLUIDX3D.items():
        if one and name in one["device"]:
            add(f"lbm f32, FluidX3D on an {name}", f"> {rate / 1e6:.0f} Mcells/s",
                f"{one['rate'] / 1e6:.0f} Mcells/s", one["rate"] > rate)
    one = best("airfoil", "f64", AIRFOIL_CELLS)
    add("airfoil 720000 cells f64, an iteration", f"<= {1e6 * AIRFOIL_S:.0f} us",
        f"{1e6 * one['total_s']:.1f} us" if one else "-", bool(one) and one["total_s"] <= AIRFOIL_S)
    errors = [abs(case["error"]) for case in cases if case["ranks"] == 1 and case["error"] is not None]
    for name, value in (("median", statistics.median), ("worst", max)):
        found = value(errors) if errors else None
        add(f"refined prediction, {name} of {len(errors)} cases on one rank",
            f"<= {report.percent(ERRORS[name], False)}", report.percent(found, False),
            found is not None and found <= ERRORS[name])
    return rows
