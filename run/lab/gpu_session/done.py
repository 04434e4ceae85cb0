# SPDX-License-Identifier: MIT
"""done.jsonl: a line for each step that passed, {"step", "hash", "seconds", "time"}; of one step the last
counts. The hash is that of the files that the step depends on."""
import functools
import hashlib
import json

from gpu_session import place as places

NAME = "done.jsonl"
SOURCES = (".cpp", ".hpp", ".cu", ".cuh")


@functools.lru_cache(maxsize=None)
def digest(paths):
    """Of names and contents of the sources in folders of the source tree, but of tests' and of the GPU made
    of CPU's."""
    found = hashlib.sha256()
    for path in paths:
        for file in sorted((places.ROOT / path).rglob("*")):
            name = file.relative_to(places.ROOT).as_posix()
            if file.suffix in SOURCES and "_test." not in name and "/host_gpu/" not in name:
                found.update(f"{name}\0{file.stat().st_size}\0".encode())
                found.update(file.read_bytes())
    return found.hexdigest()[:16]


def read(*files):
    """The last line of each step; files that are not there hold none."""
    lines = [line for file in files if file and file.is_file() for line in file.read_text().splitlines()]
    return {line["step"]: line for line in map(json.loads, lines)}


def add(file, step, hash_):
    with open(file, "a") as lines:
        lines.write(json.dumps({"step": step["step"], "hash": hash_, "seconds": step["seconds"],
                                "time": step["time"]}) + "\n")
