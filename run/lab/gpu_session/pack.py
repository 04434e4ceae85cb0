# SPDX-License-Identifier: MIT
"""All that a session needs in one archive, built here: the bundle for one GPU generation,
libraries with other knobs, and the CPU's fingerprints."""
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

from gpu_session import place as places
from gpu_session import runs, steps
from gpu_session.session import Session

MOST_BYTES = 60 << 20
ARCHITECTURE = "90"
PRESET = "ci"
# The knobs that are tried: for each macro of a family the values beside its default.
KNOBS = {
    "lbm": {"BELLWETHER_LBM_THREADS": (64, 256), "BELLWETHER_LBM_RESIDENT_F32": (384, 512),
            "BELLWETHER_LBM_RESIDENT_F64": (384, 512)},
    "diffusion": {"BELLWETHER_STAR_THREADS": (256, 512), "BELLWETHER_STAR_ROW_THREADS": (16, 64),
                  "BELLWETHER_STAR_PLANES": (4, 16), "BELLWETHER_STAR_TILES": (16, 64),
                  "BELLWETHER_STAR_RESIDENT": (768, 1280), "BELLWETHER_STAR_EVICT_FIRST": (0,),
                  "BELLWETHER_STAR_AHEAD": (0,)}}
# Those that are tried together: fewer registers let taller blocks, which read fewer rows twice, be resident.
TOGETHER = {"diffusion": [{"BELLWETHER_STAR_THREADS": 512, "BELLWETHER_STAR_PLANES": 16,
                           "BELLWETHER_STAR_AHEAD": 0}]}


class CannotPack(Exception):
    """What failed, or is too large."""


def pack(target, amg2023=None):
    """Builds and packs; returns the text to print. `target`: a .tar.xz; `amg2023`: AMG2023's program, built
    with the same hypre, to take along."""
    build = places.ROOT / "build" / PRESET
    call(["cmake", "--preset", PRESET, f"-DCMAKE_CUDA_ARCHITECTURES={ARCHITECTURE}"], cwd=places.ROOT)
    call(["cmake", "--build", str(build), "--target", "gpu-session"], cwd=places.ROOT)
    trees = [path for path in (build / "bundle").glob("gpu-session-*") if path.is_dir()]
    if len(trees) != 1:
        raise CannotPack(f"found {len(trees)} bundles in {build / 'bundle'}, expected one: remove old ones")
    return gather(trees[0], target, amg2023)


def gather(tree, target, amg2023=None):
    """A copy of the bundle with what it lacks, put in the target's place when it is whole. As one stream:
    the test programs and the libraries with other knobs are much alike."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".pack-") as work:
        folder = pathlib.Path(work) / tree.name
        shutil.copytree(tree, folder, symlinks=True)
        if amg2023:
            add_amg2023(folder, amg2023)
        (folder / runs.EXPECTED).write_text(json.dumps(expected(folder), indent=1))
        add_knobs(folder)
        made = pathlib.Path(work) / "archive"
        with tarfile.open(made, "w:xz") as file:
            file.add(folder, folder.name)
        told = f"{sizes(folder)}\n{target}: {megabytes(made.stat().st_size)} of at most {megabytes(MOST_BYTES)}"
        if made.stat().st_size > MOST_BYTES:
            raise CannotPack(f"too large:\n{told}")
        os.replace(made, target)
    return told


def expected(folder):
    """The CPU's fingerprints by the words of the runs, by the program that was packed."""
    with tempfile.TemporaryDirectory() as work:
        place = places.Place(pathlib.Path(work), folder / "bellwether", folder / "mpirun")
        session = Session(pathlib.Path(work), place)
        try:
            session.end += 600
            found = {}
            for words in itertools.chain.from_iterable(
                    steps.compared_words(app, False) for app in steps.COMPARED):
                found[" ".join(map(str, words))], ended = runs.expected(session, words)
                if ended is not None:
                    raise CannotPack(f"on the CPU: {ended.said()}")
            return found
        finally:
            session.close()


def add_amg2023(folder, program):
    """With the bundle's libraries, by which the bundle's bellwether is started too."""
    packed = folder / "bin" / places.AMG2023
    shutil.copy(program, packed)
    call(["strip", "--strip-unneeded", str(packed)])
    call(["patchelf", "--force-rpath", "--set-rpath", "$ORIGIN/../lib", str(packed)])
    shutil.copy(folder / "bellwether", folder / places.AMG2023)  # the launcher of what has its name
    needed = subprocess.run(["patchelf", "--print-needed", str(packed)], text=True, capture_output=True)
    hypre = [name for name in needed.stdout.split() if name.startswith("libHYPRE")]
    if not hypre or not (folder / "lib" / hypre[0]).exists():
        raise CannotPack(f"{program}: expected it to be linked to the hypre that the bundle has, found "
                         f"{hypre[0] if hypre else 'none'}")


def add_knobs(folder):
    """A library for each trial. A compiler cache saves what a knob does not change."""
    knobs = folder / "knobs"
    knobs.mkdir()
    for trial in trials_of(KNOBS, TOGETHER):
        options = [f"-D{macro}={value}" for macro, value in trial.items()]
        name = "+".join(option.removeprefix("-DBELLWETHER_") for option in options)
        with tempfile.TemporaryDirectory() as work:
            call([str(places.ROOT / "run/lab/cuda-library"), "--architectures", ARCHITECTURE, work, *options],
                 env={**os.environ, **cached_compiler(work)})
            library = pathlib.Path(work) / "libbellwether_cuda.so"
            call(["strip", "--strip-unneeded", str(library)])
            shutil.copy(library, knobs / f"{name}.so")


def cached_compiler(work):
    nvcc, ccache = places.tool("nvcc"), shutil.which("ccache")
    if not nvcc:
        raise CannotPack("nvcc is not installed: it builds the libraries with other knobs")
    if not ccache:
        return {"NVCC": nvcc}
    wrapper = pathlib.Path(work) / "nvcc"
    wrapper.write_text(f'#!/bin/sh\nexec {ccache} {nvcc} "$@"\n')
    wrapper.chmod(0o755)
    return {"NVCC": str(wrapper)}


def trials_of(families, together):
    """Each a dictionary {macro: value}: every value alone beside the others' defaults, then those that a
    family has together. The families' kernels are of different sources, so that one library holds a trial of
    each."""
    singles = [[*({macro: value} for macro, values in macros.items() for value in values),
                *together.get(family, ())] for family, macros in sorted(families.items())]
    return [{macro: value for one in filter(None, ones) for macro, value in one.items()}
            for ones in itertools.zip_longest(*singles)]


def call(words, **how):
    if subprocess.run(words, **how).returncode != 0:
        raise CannotPack(f"failed: {' '.join(words)}")


def plain_bytes(path):
    return sum(file.stat().st_size for file in ([path] if path.is_file() else path.rglob("*"))
               if file.is_file() and not file.is_symlink())


def megabytes(bytes_):
    return f"{bytes_ / (1 << 20):.1f} MiB"


def sizes(folder):
    """Of what lies in the folder, the largest first."""
    found = sorted(((plain_bytes(path), path.name) for path in folder.iterdir()), reverse=True)
    return "\n".join(f"{megabytes(size):>10}  {name}" for size, name in found)
