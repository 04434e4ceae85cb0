# SPDX-License-Identifier: MIT
"""The machine file of one rank: what predictions are made from afterwards."""
import json
import tarfile

from gpu_session.session import PASSED, Result, failure

FILE = "machine-1.json"
SMALL = ("--quick", "--largest-edge", 16, "--largest-message", 1024, "--largest-memory", 16 << 20)


def calibrate(session, budget_s):
    made = session.work / FILE
    ended = session.command(
        "calibrate", "--backend", "cuda", "--time-budget", 1 if session.smallest else budget_s,
        *(SMALL if session.smallest else ()), "--name", made.stem, "-o", made,
        limit_s=None if session.smallest else 1.5 * budget_s + 30)
    if ended.status != 0 or not made.exists():
        return failure(ended)
    text = made.read_text()
    part = session.folder / (FILE + ".part")
    part.write_text(text)
    part.replace(session.folder / FILE)
    keep_samples(session)
    machine = json.loads(text)
    warnings = machine.get("warnings", [])
    return Result(PASSED, f"{FILE}; {len(warnings)} warnings" if warnings else FILE,
                  {"machine": parameters(machine), "warnings": warnings})


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
