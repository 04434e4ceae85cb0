# SPDX-License-Identifier: MIT
"""Stage `calibrate`: machine files for one rank, and for two on one device; and a quick one, to see
how far it is from the first."""
import json
import tarfile

from gpu_session.session import PASSED, Job, Result, failure

LIMIT_S = 360
SMALL = ("--largest-edge", 16, "--largest-message", 1024, "--largest-memory", 16 << 20)


def jobs(session):
    # Of the time a part goes into starting, fitting, and what each benchmark needs at least.
    limit = session.left()
    plans = [("1 rank", 1, "machine-1.json", 0.27), ("2 ranks on one device", 2, "machine-2.json", 0.27),
             ("quick, 1 rank", 1, "machine-quick.json", min(0.15, 54 / limit))]
    for name, ranks, file, part in plans:
        quick = ["--quick"] if name.startswith("quick") or session.smallest else []
        budget = 1 if session.smallest else part * limit
        yield Job(name, lambda s, r=ranks, f=file, b=budget, q=quick: calibrate(s, r, f, b, q), 10)


def calibrate(session, ranks, file, budget_s, quick):
    made = session.work / file
    done = session.command(
        "calibrate", "--backend", "cuda", *quick, "--time-budget", f"{budget_s:.0f}", "--progress", "on",
        *(SMALL if session.smallest else ()), "--name", made.stem, "-o", made, ranks=ranks,
        limit_s=None if session.smallest else 1.5 * budget_s + 30)
    if done.status != 0 or not made.exists():
        return failure(done)
    text = made.read_text()
    machine = json.loads(text)
    part = session.folder / (file + ".part")
    part.write_text(text)
    part.replace(session.folder / file)
    keep_samples(session)
    warnings = machine.get("warnings", [])
    found = parameters(machine)
    return Result(PASSED, f"{file}; {len(warnings)} warnings" if warnings else file,
                  {"machine": found, "warnings": warnings})


def keep_samples(session):
    """One archive of what the calibrations were fitted to."""
    archive = session.folder / "samples.tar.gz"
    part = session.work / archive.name
    with tarfile.open(part, "w:gz") as file:
        for path in sorted(session.work.glob("*.samples.json")):
            file.add(path, path.name)
    archive.write_bytes(part.read_bytes())


def parameters(machine):
    """Name, value and unit of what the models use most."""
    device, links = machine["device"], machine["links"]
    found = [("memory bandwidth", device["memory_bandwidth_bytes_per_s"], "B/s"),
             ("launch latency", device.get("launch_latency_s"), "s")]
    found += [(f"matrix product {precision}", value, "FLOP/s")
              for precision, value in device.get("gemm_flops_per_s", {}).items()]
    for name, link in links.items():
        found += [(f"{name} bandwidth", link.get("bandwidth_bytes_per_s"), "B/s"),
                  (f"{name} latency", link.get("latency_s"), "s")]
    return [(name, quantity["value"], unit) for name, quantity, unit in found if quantity]
