# SPDX-License-Identifier: MIT
"""Stage `check`: what is there, how fast its parts are alone, and whether everything is right on it."""
import json
import pathlib
import platform
import re

from gpu_session import place as places
from gpu_session import tables
from gpu_session.session import FAILED, PASSED, SKIPPED, Job, Result, failure

LIMIT_S = 360
GPU_FACTS = ("name", "uuid", "driver_version", "memory.total", "power.limit", "clocks.max.sm",
             "clocks.max.memory", "ecc.mode.current", "mig.mode.current", "temperature.gpu")
# What bounds the mini-apps, by benchmark; of several that match the fastest is the ceiling. Arrays of
# fewer than 200^3 cells may lie in a GPU's cache.
CEILINGS = [
    ("copy f32", r"^(stream/copy|row_copy)/f32/", "bytes_per_s", "B/s"),
    ("copy f64", r"^(stream/copy|row_copy)/f64/", "bytes_per_s", "B/s"),
    ("update in place f32", r"^(array_update|arrays_update)/f32/[2-9][0-9][0-9]", "bytes_per_s", "B/s"),
    ("update in place f64", r"^(array_update|arrays_update)/f64/[2-9][0-9][0-9]", "bytes_per_s", "B/s"),
    ("cuBLAS f32", r"^gemm/[0-9]+/f32/", "flops_per_s", "FLOP/s"),
    ("cuBLAS f64", r"^gemm/[0-9]+/f64/", "flops_per_s", "FLOP/s")]
# At the smallest sizes: one ceiling, of each test program every fifth test, and one of gpu_test.py.
SMALLEST_PART, SMALLEST_SUITE = 5, ["Stencils.test_diffusion"]
SMALLEST = [("cuBLAS f32", r"^gemm/[0-9]+/f32/", "flops_per_s", "FLOP/s")]
TEST_S, SUITE_S, SANITIZER_S = 60, 180, 60
SANITIZED = [("diffusion", "--cells", 37, 29, 43, "--steps", 3),
             ("lbm", "--cells", 24, 20, 22, "--steps", 3),
             ("airfoil", "--cells", 12, 17, "--iterations", 3),
             ("cholesky", "--size", 70, "--factorizations", 1)]
TOOLS = ("memcheck", "racecheck", "synccheck")
FOUND = 86  # compute-sanitizer's exit status for errors that it found


def jobs(session):
    yield Job("machine", machine, 1)
    for name, filters, counter, unit in SMALLEST if session.smallest else CEILINGS:
        yield Job(name, lambda s, f=filters, c=counter, u=unit: ceiling(s, f, c, u))
    for program, ranks in session.place.tests():
        if session.smallest and ranks not in (0, 2):
            continue
        name = program.name + (f", {ranks} rank{'s' if ranks > 1 else ''}" if ranks else "")
        yield Job(name, lambda s, p=program, r=ranks: one_test(s, p, r))
    yield Job("gpu_test.py", suite, 20)
    if places.tool("compute-sanitizer") is None:
        yield Job("compute-sanitizer", lambda s: Result(SKIPPED, "it is not installed"), 0)
        return
    for tool in TOOLS:
        for words in SANITIZED:
            yield Job(f"{tool}, {words[0]}", lambda s, t=tool, w=words: sanitizer(s, t, w))


def machine(session):
    """Into the log all that is known; into the table a line."""
    version = session.command("--version", limit_s=30)
    if version.status != 0:
        return failure(version)
    parts = [version.out.strip(), f"{places.cores()} cores", f"Python {platform.python_version()}"]
    nvidia_smi = places.tool("nvidia-smi")
    if nvidia_smi:
        asked = session.run([nvidia_smi, "--query-gpu=" + ",".join(GPU_FACTS), "--format=csv,noheader"],
                            limit_s=30)
        session.run([nvidia_smi, "-q"], limit_s=30)
        session.run([nvidia_smi, "topo", "-m"], limit_s=30)
        parts.insert(0, " / ".join(asked.out.split("\n")[:-1]) or asked.said())
    else:
        parts.append("no nvidia-smi")
    for name, option in (("nvcc", "--version"), ("compute-sanitizer", "--version")):
        found = places.tool(name)
        if found:
            said = re.findall(r"[Vv]ersion [\d.]+|V[\d.]+\d", session.run([found, option], limit_s=30).out)
            parts.append(f"{found} {said[-1] if said else ''}".strip())
        else:
            parts.append(f"no {name}")
    parts += sorted({str(path) for folder in ("/usr/local/cuda*/lib64", "/usr/lib/*-linux-gnu",
                                              "/usr/local/cuda*/targets/*/lib", "/usr/lib64")
                     for path in pathlib.Path("/").glob(folder[1:] + "/libcublas.so.1[23]")})[:1] or \
        ["no cuBLAS in the usual places"]
    session.run(["sh", "-c", "uname -a; cat /etc/os-release; grep -m1 'model name' /proc/cpuinfo; "
                 "free -g; df -h /tmp /dev/shm; env | grep -E 'CUDA|NVIDIA' | cut -c -200"], limit_s=30)
    return Result(PASSED, "; ".join(parts))


def benchmark(one):
    return one["name"].replace("/manual_time", "")


def measured(session, filters, limit_s, place=None):
    """The command's end, and of each benchmark that matches its counters."""
    least = ["--benchmark_min_time=0.01"] if session.smallest else []
    done = session.run((place or session.place).command(
        "microbench", "--backend", "cuda", "--benchmark_format=json", f"--benchmark_filter={filters}",
        *least), limit_s=limit_s)
    try:
        return done, json.loads(done.out)["benchmarks"] if done.status == 0 else []
    except (ValueError, KeyError, RecursionError) as error:
        session.note(f"not what Google Benchmark writes: {error}")
        return done, []


def ceiling(session, filters, counter, unit):
    """The three fastest, of which the first is the ceiling."""
    done, found = measured(session, filters, 60)
    found = sorted((one for one in found if counter in one), key=lambda one: -one[counter])[:3]
    if not found:
        return failure(done) if done.status else Result(FAILED, f"no {counter} in what was printed")
    values = [{"name": benchmark(one), "value": one[counter], "unit": unit} for one in found]
    return Result(PASSED, f"{tables.quantity(found[0][counter], unit)} ({values[0]['name']})",
                  {"ceilings": values})


def one_test(session, program, ranks):
    part = {"GTEST_TOTAL_SHARDS": str(SMALLEST_PART), "GTEST_SHARD_INDEX": "0"} if session.smallest else {}
    done = session.run(session.place.preloaded([str(program), "--gtest_filter=*cuda*"]), ranks, TEST_S,
                       part)
    return of_gtest(done)


def of_gtest(done):
    """Right if it ended well, ran something, and skipped nothing for want of a device."""
    names = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", done.out, re.M)
    passed = re.search(r"^\[  PASSED  \] (\d+) test", done.out, re.M)
    skipped = re.search(r"^\[  SKIPPED \] (\d+) test", done.out, re.M)
    if done.status != 0:
        if names:
            return Result(FAILED, ", ".join(dict.fromkeys(names)))
        return failure(done)
    if not passed or int(passed[1]) == 0:
        return Result(FAILED, "no test has cuda in its name")
    return Result(PASSED, f"{passed[1]} tests" + (f", {skipped[1]} skipped" if skipped else ""))


def suite(session):
    """gpu_test.py, whose runs the launcher gives one word: the rank count, which it replaces."""
    done = session.run(
        [*places.python(), str(places.ROOT / "run" / "gpu_test.py"), "-v",
         *(SMALLEST_SUITE if session.smallest else [])], limit_s=SUITE_S,
        environment={"BELLWETHER_PROGRAM": preload_script(session),
                     "BELLWETHER_LAUNCHER": " ".join(session.place.launcher(4, TEST_S))})
    said = re.search(r"^Ran (\d+) tests?", done.error, re.M)
    if done.status != 0:
        names = re.findall(r"^(?:FAIL|ERROR): (\w+)", done.error, re.M)
        return Result(FAILED, ", ".join(names)) if names else failure(done)
    if not said or int(said[1]) == 0 or "skipped=" in done.error:
        return Result(FAILED, "tests were skipped, or there were none")
    return Result(PASSED, f"{said[1]} tests")


def preload_script(session):
    """gpu_test.py starts one program without words before it."""
    place = session.place
    if not place.cuda_library:
        return str(place.program)
    script = session.work / "bellwether"
    script.write_text(f'#!/bin/sh\nexec env LD_PRELOAD={place.cuda_library} {place.program} "$@"\n')
    script.chmod(0o755)
    return str(script)


def sanitizer(session, tool, words):
    done = session.run(
        [places.tool("compute-sanitizer"), "--tool", tool, "--target-processes", "all",
         "--error-exitcode", str(FOUND), *session.place.command("run", *words, "--backend", "cuda")], limit_s=SANITIZER_S)
    errors = re.findall(r"ERROR SUMMARY: (\d+) error", done.out + done.error)
    if done.status == FOUND or any(int(count) for count in errors):
        first = re.search(r"^========= (?!COMPUTE)(.+)$", done.out + done.error, re.M)
        return Result(FAILED, f"{max(map(int, errors or ['1']))} errors: {first[1] if first else ''}")
    return failure(done) if done.status else Result(PASSED, "no errors")
