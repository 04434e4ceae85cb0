# SPDX-License-Identifier: MIT
"""Do the tests notice? On a GPU made of CPU (kernels/launch/host_gpu), every wait for an event, every
fence and the last block of every kernel are left out in turn, one at a time: the runs below must then
fail, or compute something else. Needs a build with line numbers (preset host-gpu or asan)."""
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import unittest

import command_test

BUILD = pathlib.Path(command_test.PROGRAM).parent
SEEDS = range(1, 7)

# Left out, these change no result: by kind and a part of the place, and why.
HARMLESS = {
    ("block", "for_each_item_kernel<Nothing>"): "the kernel does nothing",
    ("fence", "bare_exchange_seconds"): "a time ends there",
    ("fence", "AirfoilArrays"): "what it waits for is freed next, and cudaFree waits for the device",
    ("fence", "restart_from"): "what follows is on the same stream",
    ("fence", "LocalMatrix::fill"): "what follows is on the same stream; its time begins there",
    ("fence", "ColumnMatrix::fill"): "what follows is on the same stream; its time begins there",
    ("fence", "keep_pace"): "it bounds how far the host is ahead",
    ("fence", "ColumnFactorization::run"): "without look-ahead a panel's time ends there",
    ("fence", "CholeskyCase::finish"): "what follows is on the same stream; a time ends there",
}


def app(*words, ranks=2):
    return command_test.launched(ranks) + [
        command_test.PROGRAM, "run", *words, "--backend", "cuda", "--overlap", "both", "--json"]


def program(folder, name, ranks=0, only="*cuda*"):
    return command_test.launched(ranks) + [
        str(BUILD / folder / name), f"--gtest_filter={only}", "--gtest_break_on_failure"]


STAGED = ["--halo", "staged"]
RUNS = {
    "diffusion": app("diffusion", "--cells", "19", "13", "16", "--steps", "7", *STAGED),
    "lbm": app("lbm", "--cells", "12", "10", "9", "--steps", "7", "--geometry", "sphere",
               "--force", "1e-5", "0", "0", *STAGED),
    "periodic lbm": app("lbm", "--cells", "12", "10", "9", "--steps", "7", *STAGED),
    "airfoil": app("airfoil", "--cells", "12", "17", "--iterations", "7", *STAGED),
    "hpl": app("hpl", "--size", "70", "--block", "16", "--grid", "1x2,2x1", "--swap",
               "spread-roll,binary-exchange", "--panel", "host"),
    # A rank has every fourth panel: none that it takes itself orders the copies of the others.
    "hpl on four columns": app("hpl", "--size", "90", "--block", "8", "--grid", "1x4", "--panel",
                               "host", ranks=4),
    "hpl panels": app("hpl", "--size", "90", "--block", "8", "--grid", "1x4", "--panel", "device",
                      ranks=4),
    "hpl panels of rows": app("hpl", "--size", "90", "--block", "8", "--grid", "4x1,2x2", "--panel",
                              "device", ranks=4),
    "hpl panels on one": app("hpl", "--size", "90", "--block", "40", "--panel", "device",
                             ranks=1),
    "hpl pivots": program("miniapps/hpl", "hpl_app_test", 1, "*NamesTheColumn*cuda*"),
    "split hpl": app("hpl", "--size", "90", "--block", "8", "--device-share", "0.8"),
    "cholesky": app("cholesky", "--size", "90", "--factorizations", "1"),
    # On four ranks one has neither this panel, the one before nor the one behind.
    "cholesky by blocks": app("cholesky", "--size", "90", "--block", "8", "--factorizations", "1",
                              ranks=4),
    # On one no fence orders the panel and the update.
    "cholesky by blocks on one": app("cholesky", "--size", "90", "--block", "8", "--factorizations", "1",
                                     ranks=1),
    "terms": program("miniapps/stencil", "stencil_test", 2, "*TermsOfManySteps*"),
    "device": program("kernels", "device_test"),
    "stream": program("kernels", "stream_test"),
    "dense": program("kernels", "dense_test"),
    "diffusion kernels": program("kernels", "diffusion_test"),
    "airfoil kernels": program("kernels", "airfoil_test"),
    "hpl kernels": program("kernels", "hpl_test"),
    "cholesky kernels": program("kernels", "cholesky_test"),
}


def outcome(run, **environment):
    """What a run ends in: its status, and what its mini-app computed."""
    done = subprocess.run(
        RUNS[run], env={**os.environ, "HOST_GPU_SEED": "1", "BELLWETHER_REQUIRE_CUDA": "1",
                        **environment},
        capture_output=True, text=True, timeout=300)
    if done.returncode != 0 or RUNS[run][-1] != "--json":
        return done.returncode, None
    records = json.loads(done.stdout)["records"]
    return 0, tuple(record["result"].get("fingerprint", record["result"].get("residual"))
                    for record in records)


class Site:
    """A place in the program, and the runs that pass it under the name that it has there."""

    def __init__(self):
        self.names = {}


def sites_of_runs(folder):
    """The sites that the runs pass: (kind, function, file:line) to a Site."""
    names = collections.defaultdict(dict)
    for run in RUNS:
        file = folder / re.sub(r"\W", "_", run)
        status, _ = outcome(run, HOST_GPU_SITES=str(file))
        assert status == 0, f"{run} fails with nothing left out: {' '.join(RUNS[run])}"
        for line in file.read_text().splitlines():
            names[line.split()[0]][run] = True
    sites = collections.defaultdict(Site)
    for name, runs in names.items():
        place = where(name, next(iter(runs)))
        if place is not None:
            for run in runs:
                sites[place].names.setdefault(run, set()).add(name)
    return sites


def where(name, run):
    """(kind, function, place) of a site such as wait:libbellwether_cuda.so+0x12, without the function's
    types but for a kernel's; None outside of what is tested: in the tests themselves."""
    kind, module, offset = re.fullmatch(r"(\w+):(.*)\+0x(\w+)", name).groups()
    program = pathlib.Path(next(word for word in RUNS[run] if str(BUILD) in word))
    path = program if program.name == module else BUILD / "lib" / module
    if not path.exists():
        path = BUILD / "lib/host_gpu" / module
    address = int(offset, 16) - (0 if kind == "block" else 1)  # of the call, not where it returns to
    words = subprocess.run(["addr2line", "-f", "-C", "-i", "-e", str(path), hex(address)],
                           capture_output=True, text=True, check=True).stdout.split("\n")
    function, place = words[0], words[1]
    file, line = re.sub(r" \(discriminator.*", "", place).rsplit(":", 1)
    file = re.sub(r".*?(kernels|miniapps|microbench)/", r"\1/", file, count=1)
    if "_test" in file or not file.startswith(("kernels/", "miniapps/", "microbench/")):
        return None
    function = re.sub(r"\(anonymous namespace\)::|bellwether::", "", function)
    if kind == "block":
        return (kind, function, file)
    name = re.sub(r"<.*?>", "", re.sub(r"\(.*", "", function)).split(" ")[-1]
    return (kind, name, f"{file}:{line}")


class Mutations(unittest.TestCase):
    def notices(self, site):
        """The run and the seed that tell, or None; the shortest run is asked first."""
        for seed in SEEDS:
            for run in sorted(site.names, key=self.seconds.get):
                for name in site.names[run]:
                    if outcome(run, HOST_GPU_DROP=name, HOST_GPU_SEED=str(seed)) != self.usual[run]:
                        return f"{run}, seed {seed}"
        return None

    def test_every_one_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            found = sites_of_runs(pathlib.Path(folder))
        excused = {place: key for place in found for key in HARMLESS
                   if place[0] == key[0] and key[1] in f"{place[2]} {place[1]}"}
        self.assertEqual(set(excused.values()), set(HARMLESS), "some are no sites any more")
        sites = {place: site for place, site in found.items() if place not in excused}
        kinds = collections.Counter(kind for kind, _, _ in sites)
        for kind in ["wait", "fence", "block"]:
            self.assertGreater(kinds[kind], 0, sites.keys())
        self.usual, self.seconds = {}, {}
        for run in RUNS:
            begin = time.monotonic()
            self.usual[run] = outcome(run)
            self.seconds[run] = time.monotonic() - begin
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            told = dict(zip(sites, pool.map(self.notices, sites.values())))
        for place, by in sorted(told.items()):
            print(f"{place[0]:6} {by or 'NOT NOTICED':24} {place[2]} {place[1][:90]}", flush=True)
        self.assertEqual([place for place, by in told.items() if by is None], [])


if __name__ == "__main__":
    unittest.main()
