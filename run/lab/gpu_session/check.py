# SPDX-License-Identifier: MIT
"""What is there, how fast its parts are alone, and whether everything is right on it."""
import concurrent.futures
import json
import pathlib
import platform
import re

from gpu_session import place as places
from gpu_session import tables
from gpu_session.session import FAILED, PASSED, Result, failure

GPU_FACTS = ("name", "uuid", "driver_version", "memory.total", "power.limit", "clocks.max.sm",
             "clocks.max.memory", "ecc.mode.current", "mig.mode.current", "temperature.gpu")
SMALLEST_PART = 5  # at the smallest sizes of each test program every fifth test
AT_ONCE = 8  # tests: their times do not matter, and a GPU has memory for many
TEST_S, SANITIZER_S, PROFILE_S = 60, 60, 60
FOUND = 86  # compute-sanitizer's exit status for errors that it found


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


def ceiling(session, filters, counter, unit, seconds):
    """The fastest of the benchmarks that match, each measured for so many seconds."""
    ended = session.command("microbench", "--backend", "cuda", "--benchmark_format=json",
                            f"--benchmark_filter={filters}", f"--benchmark_min_time={seconds}",
                            limit_s=60 + 10 * seconds)
    if ended.status != 0:
        return failure(ended)
    found = [one for one in json.loads(ended.out)["benchmarks"] if counter in one]
    if not found:
        return Result(FAILED, f"no {counter} in what was printed")
    best = max(found, key=lambda one: one[counter])
    name = best["name"].replace("/manual_time", "")
    return Result(PASSED, f"{tables.quantity(best[counter], unit)} ({name})",
                  {"ceilings": [{"name": name, "value": best[counter], "unit": unit}]})


def tests(session, ranks):
    """Of all test programs that run on so many ranks those tests that have cuda in their name, some programs
    at once."""
    # At the smallest sizes a part may hold nothing that runs on one rank of a program for several.
    counts = (ranks,) if ranks > 1 else (0,) if session.smallest else (0, 1)
    programs = sorted({program for program, count in session.place.tests() if count in counts})
    with concurrent.futures.ThreadPoolExecutor(max(1, min(AT_ONCE, places.cores() // ranks))) as pool:
        results = list(pool.map(lambda program: one_test(session, program, ranks), programs))
    wrong = [(program.name, result) for program, result in zip(programs, results)
             if result.outcome != PASSED]
    if not wrong:
        return Result(PASSED, f"{sum(result.values['tests'] for result in results)} tests of "
                      f"{len(programs)} programs")
    failed = [one for one in wrong if one[1].outcome == FAILED]
    return Result(failed[0][1].outcome if failed else wrong[0][1].outcome,
                  "; ".join(f"{name}: {result.note}" for name, result in wrong))


def one_test(session, program, ranks):
    part = {"GTEST_TOTAL_SHARDS": str(SMALLEST_PART), "GTEST_SHARD_INDEX": "0"} if session.smallest else {}
    return of_gtest(session.run(session.place.preloaded([str(program), "--gtest_filter=*cuda*"]),
                                ranks if ranks > 1 else 0, TEST_S, part))


def of_gtest(ended):
    """Right if it ended well, ran something, and skipped nothing for want of a device."""
    names = re.findall(r"^\[  FAILED  \] ([\w/]+\.[\w/]+)", ended.out, re.M)
    passed = re.search(r"^\[  PASSED  \] (\d+) test", ended.out, re.M)
    skipped = re.search(r"^\[  SKIPPED \] (\d+) test", ended.out, re.M)
    if ended.status != 0:
        if names:
            return Result(FAILED, ", ".join(dict.fromkeys(names)))
        return failure(ended)
    if not passed or int(passed[1]) == 0:
        return Result(FAILED, "no test has cuda in its name")
    return Result(PASSED, f"{passed[1]} tests" + (f", {skipped[1]} skipped" if skipped else ""),
                  {"tests": int(passed[1])})


def sanitizer(session, tool, words):
    ended = session.run(
        [places.tool("compute-sanitizer"), "--tool", tool, "--target-processes", "all",
         "--error-exitcode", str(FOUND), *session.place.command("run", *words, "--backend", "cuda")],
        limit_s=SANITIZER_S)
    errors = re.findall(r"ERROR SUMMARY: (\d+) error", ended.out + ended.error)
    if ended.status == FOUND or any(int(count) for count in errors):
        first = re.search(r"^========= (?!COMPUTE)(.+)$", ended.out + ended.error, re.M)
        return Result(FAILED, f"{max(map(int, errors or ['1']))} errors: {first[1] if first else ''}")
    return failure(ended) if ended.status else Result(PASSED, "no errors")


def profile(session, kernel, words):
    """All that Nsight Compute tells of one launch, into the log. Clocks are left as they are."""
    ended = session.run(
        [places.tool("ncu"), "--set", "full", "--clock-control", "none", "--kernel-name", f"regex:{kernel}",
         "--launch-skip", "2", "--launch-count", "1",
         *session.place.command("run", *words, "--backend", "cuda", "--overlap", "off")], limit_s=PROFILE_S)
    if ended.status != 0:
        return failure(ended)
    duration = re.search(r"^\s*Duration\s+(\S+\s+\S+)\s*$", ended.out, re.M)
    return Result(PASSED, duration[1]) if duration else Result(FAILED, "no kernel of that name was launched")
