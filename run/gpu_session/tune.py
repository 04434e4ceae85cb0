# SPDX-License-Identifier: MIT
"""Stage `tune`: the knobs of the kernels' schedules (kernels/launch/cuda/cuda_knobs.hpp), each value in a
CUDA library that is built here; which is the fastest for each kernel and size.

At first every value alone beside the others' defaults, then together all that were faster alone. The
families' kernels are of different sources, so that one library holds a trial of each."""
import concurrent.futures
import dataclasses
import itertools
import json
import math

from gpu_session import check, matrix, tables
from gpu_session import place as places
from gpu_session.session import FAILED, LEFT, PASSED, SKIPPED, Job, Result, failure
from validation import report

LIMIT_S = 540
BUILD_S, MEASURE_S = 240, 45
GAIN = 1.01  # less is noise
LIBRARY = "libbellwether_cuda.so"
DEFAULT = "default"
# The knobs that are tried, family by family: for each macro the values beside its default; and the
# command's lines that measure a family, `microbench FILTER` or `run`.
KNOBS = {
    "lbm": {"BELLWETHER_LBM_THREADS": (64, 256), "BELLWETHER_LBM_RESIDENT_F32": (384, 512),
            "BELLWETHER_LBM_RESIDENT_F64": (384, 512)},
    "diffusion": {"BELLWETHER_STAR_THREADS": (256, 512), "BELLWETHER_STAR_ROW_THREADS": (16, 64),
                  "BELLWETHER_STAR_PLANES": (4, 16), "BELLWETHER_STAR_TILES": (16, 64),
                  "BELLWETHER_STAR_RESIDENT": (768, 1280), "BELLWETHER_STAR_EVICT_FIRST": (0,)}}

MEASURED = {
    "lbm": [("microbench", "^lbm/f(32|64)/128/")],
    "diffusion": [("microbench", "^diffusion/f(32/384|64/256)/")]}
SMALLEST = {app: ("run", app, "--cells", 16, 16, 16, "--steps", 8, "--overlap", "off")
            for app in ("diffusion", "lbm")}


def jobs(session):
    yield Job(DEFAULT, lambda s: measure(s, None, sorted(KNOBS)))
    if session.last.outcome != PASSED:
        return
    default = session.last.values["rates"]
    if places.tool("nvcc") is None:
        yield Job("other values", lambda s: Result(SKIPPED, "nvcc is not installed: nothing can be built"))
        return
    trials, found = trials_of(KNOBS), []
    yield from all_of(session, trials[:2] if session.smallest else trials, found)
    last = together(default, found)
    yield from all_of(session, [last] if last else [], found)
    yield Job("best", lambda s: best(default, found), 0)


def all_of(session, trials, found):
    """Libraries are built ahead, some at once, while others are measured. `found` gets each trial with its
    rates."""
    builders = concurrent.futures.ThreadPoolExecutor(max(1, places.cores() // 8))
    building = [(trial, builders.submit(build, session, trial)) for trial in trials]
    try:
        for trial, library in building:
            yield Job(name_of(trial), lambda s, t=trial, b=library: of_build(s, t, b), 10)
            if session.last.outcome == PASSED:
                found.append((trial, session.last.values["rates"]))
    finally:
        builders.shutdown(wait=False, cancel_futures=True)


def trials_of(families):
    """Each a dictionary: family -> {macro: value}. One of each family together while there are any."""
    singles = [[(family, {macro: value}) for macro, values in macros.items() for value in values]
               for family, macros in sorted(families.items())]
    return [dict(filter(None, ones)) for ones in itertools.zip_longest(*singles)]


def name_of(trial):
    return " ".join(f"{macro.replace('BELLWETHER_', '')}={value}" for family in sorted(trial)
                    for macro, value in sorted(trial[family].items()))


def build(session, trial):
    """The command's end and the library, by the script that CUDA's compiler is called with."""
    if session.left() < MEASURE_S / 3:
        return None, None
    folder = session.work / "".join(letter if letter.isalnum() else "_" for letter in name_of(trial))
    options = [f"-D{macro}={value}" for values in trial.values() for macro, value in values.items()]
    nvcc = places.tool("nvcc")
    done = session.run([places.ROOT / "run" / "cuda-library", folder, *options], limit_s=BUILD_S,
                       environment={"NVCC": nvcc})
    return done, folder / LIBRARY


def of_build(session, trial, building):
    try:
        done, library = building.result(timeout=max(1, session.left()))
    except concurrent.futures.TimeoutError:
        return Result(LEFT, "still being built at the end of the stage's time")
    if done is None:
        return Result(LEFT, "no time")
    if done.status != 0 or not library.is_file():
        return failure(done) if done.status else Result(FAILED, f"{library.name} was not built")
    result = measure(session, library, sorted(trial))
    library.unlink()
    return result


def measure(session, library, families):
    """Rates by family and by what was measured; higher is faster."""
    rates = {}
    for family in families:
        rates[family] = {}
        for words in [SMALLEST[family]] if session.smallest else MEASURED[family]:
            done, found = rates_of(session, library, words)
            if not found:
                return failure(done) if done.status else \
                    Result(FAILED, f"no rates from {' '.join(map(str, words))}")
            rates[family].update(found)
    return Result(PASSED, f"{sum(map(len, rates.values()))} measured", {"rates": rates})


def rates_of(session, library, words):
    """The command's end, and by benchmark cells, bytes or flops a second: the first that it has; of a run
    its records' rates."""
    place = dataclasses.replace(session.place, cuda_library=library or session.place.cuda_library)
    if words[0] == "run":
        done = session.run(place.command(*words, "--backend", "cuda", "--json"), limit_s=MEASURE_S)
        records = json.loads(done.out)["records"] if done.status == 0 else []
        return done, {f"{row['app']} {row['size']} {row['precision']}, overlap {row['overlap']}":
                      row["rate"] for row in map(matrix.row, records)}
    done, found = check.measured(session, words[1], MEASURE_S, place)
    return done, {check.benchmark(one): one[counter] for one in found for counter in
                  ("flops_per_s", "bytes_per_s", "cells_per_s") if counter in one}


def mean_gain(default, rates):
    """Geometric mean of how much faster than the default."""
    logs = [math.log(rate / default[name]) for name, rate in rates.items() if default.get(name)]
    return math.exp(sum(logs) / len(logs)) if logs else 0.0


def together(default, found):
    """Of each knob the value that gained most alone, over all that was measured; None if there are not
    two of a family."""
    chosen = {}
    for trial, rates in found:
        for family, values in trial.items():
            gain = mean_gain(default[family], rates[family])
            for macro, value in values.items():
                if gain > max(GAIN, chosen.get((family, macro), (0, None))[0]):
                    chosen[family, macro] = gain, value
    trial = {}
    for (family, macro), (_, value) in chosen.items():
        trial.setdefault(family, {})[macro] = value
    return {family: values for family, values in trial.items() if len(values) > 1} or None


def best(default, found):
    """The fastest trial of each measurement, in a row of the table."""
    rows = []
    for family, measured in sorted(default.items()):
        for name, rate in sorted(measured.items()):
            tried = [(rates[family][name], name_of({family: trial[family]})) for trial, rates in found
                     if family in trial and name in rates[family]]
            fastest, values = max([(rate, DEFAULT), *tried])
            rows.append({"what": name, "default": tables.quantity(rate, "/s"),
                         "best": tables.quantity(fastest, "/s"),
                         "gain": report.percent(fastest / rate - 1), "knobs": values,
                         "trials": len(tried)})
    return Result(PASSED, f"{len(found)} libraries", {"best": rows})
