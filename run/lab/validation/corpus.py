# SPDX-License-Identifier: MIT
"""Runs that are kept with the machine file that predicted them: a folder NAME with machine.json and
records.jsonl, each with .gz or without."""
import gzip
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[3] / "results/validation/corpus"
# Of a record's or a machine file's provenance: what tells machines and programs apart, and nothing of
# whose machine it was.
PROVENANCE = ("blas", "build_type", "commit", "compiler", "compiler_flags", "cpu", "gemm_library", "gpu_driver",
              "gpu_name", "kokkos", "last_level_cache_bytes", "memory_bytes", "mpi", "nodes", "time", "version",
              "virtual_machine")
LARGE_BYTES = 64 << 10  # from which a file is compressed


class Unusable(Exception):
    """The folder is no corpus, or the program does not predict it."""


def read(folder, name):
    for path, opened in ((folder / name, open), (folder / f"{name}.gz", gzip.open)):
        if path.is_file():
            with opened(path, "rt") as file:
                return file.read()
    raise Unusable(f"{folder}: found no {name}, expected it there, with .gz or without")


class Corpus:
    """`records`: those that were predicted when they were measured, verified and not oversubscribed."""

    def __init__(self, folder):
        self.name = folder.name
        self.machine = json.loads(read(folder, "machine.json"))
        every = [json.loads(line) for line in read(folder, "records.jsonl").splitlines()]
        self.records = [record for record in every if "refined" in record.get("predicted", {})
                        and record["verification"]["passed"] and not record["oversubscribed"]]
        if not self.records:
            raise Unusable(f"{folder}: found no record with a prediction, expected some")


def corpus_in(folder):
    try:
        return Corpus(folder)
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, OSError) as error:
        raise Unusable(f"{folder}: {type(error).__name__}: {error}; expected machine.json and records.jsonl as "
                       "run/lab/validate --keep writes them") from error


def figures_in(folder):
    """Recorded by `--replay -o`; none where there is no file."""
    file = folder / "figures.json"
    try:
        return json.loads(file.read_text()) if file.is_file() else {}
    except ValueError as error:
        raise Unusable(f"{file}: {error}") from error


def read_all(folder):
    kept = [corpus_in(path) for path in sorted(folder.iterdir()) if path.is_dir()] if folder.is_dir() else []
    if not kept:
        raise Unusable(f"{folder}: found no corpus, expected folders with machine.json and records.jsonl")
    return kept


def keep(folder, network, kept):
    """Into the folder `kept` what a validation run's folder has of this network."""
    machine = folder / f"{network}.machine.json"
    files = sorted(folder.glob(f"{network}.*.jsonl"))
    if not machine.is_file() or not files:
        raise Unusable(f"{folder}: found no machine file and records of {network}, expected a finished run's")
    kept.mkdir(parents=True, exist_ok=True)
    write(kept / "machine.json", json.dumps(without_names(json.loads(machine.read_text()), {}), indent=1) + "\n")
    lines = [line for file in files for line in file.read_text().splitlines() if line.endswith("}")]
    hosts = {}
    write(kept / "records.jsonl",
          "".join(json.dumps(without_names(json.loads(line), hosts)) + "\n" for line in lines))


def without_names(document, hosts):
    """Without what names a machine, a file or a person's folder; hosts are numbered."""
    kept = {name: document["provenance"][name] for name in PROVENANCE if name in document["provenance"]}
    ranks = [dict(rank, host=hosts.setdefault(rank["host"], f"node{len(hosts)}"))
             for rank in document.get("per_rank", [])]
    return dict(document, provenance=kept, **({"per_rank": ranks, "machine": "machine.json"} if ranks else {}))


def write(path, text):
    """Compressed without a time, so that the same text gives the same bytes."""
    for old in (path, path.with_name(f"{path.name}.gz")):
        old.unlink(missing_ok=True)
    if len(text) < LARGE_BYTES:
        path.write_text(text)
    else:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))
