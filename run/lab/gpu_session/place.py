# SPDX-License-Identifier: MIT
"""Where the program, the tests and the launcher are: in an unpacked bundle, or in a build folder."""
import ctypes
import dataclasses
import os
import pathlib
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
AMG2023 = "amg2023"  # AMG2023's own program, of a packed folder
TESTS = "gpu_tests.txt"  # of a build or a bundle; a line: a program, and its rank counts if it has any
LAST = 5  # seconds: mpirun ends its ranks that much before it would be ended itself


class NotHere(Exception):
    """This machine, or what is unpacked on it, cannot do it."""


@dataclasses.dataclass(frozen=True)
class Place:
    folder: pathlib.Path
    program: pathlib.Path
    mpirun: pathlib.Path
    cuda_library: pathlib.Path = None  # loaded in the place of the one that the program was linked to
    amg2023: pathlib.Path = None  # AMG2023's own program, where it is at hand

    def command(self, *words):
        return self.preloaded([str(self.program), *map(str, words)])

    def preloaded(self, words):
        """LD_PRELOAD and not LD_LIBRARY_PATH, which the run paths of a bundle come before."""
        return ["env", f"LD_PRELOAD={self.cuda_library}", *words] if self.cuda_library else list(words)

    def launcher(self, ranks, limit_s):
        """Words before the program's: none for one process without MPI's launcher."""
        if ranks == 0:
            return []
        # A rank that waits leaves its core, where there are fewer than two cores for each.
        crowded = ["--mca", "mpi_yield_when_idle", "1"] if 2 * ranks > cores() else []
        return [str(self.mpirun), "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                *crowded, "--timeout", str(max(1, int(limit_s - LAST))), "-n", str(ranks)]

    def tests(self):
        """Pairs of a test program and a rank count, 0 for one without MPI."""
        found = []
        for line in (self.folder / TESTS).read_text().splitlines():
            name, *ranks = line.split()
            found += [(self.folder / name, int(count)) for count in ranks or [0]]
        return found


def cores():
    return len(os.sched_getaffinity(0))


def find(build=None, cuda_library=None, amg2023=None):
    """The bundle that this file is in, else the build folder, given or the first that has all parts and is
    for GPUs. AMG2023's program is the one that is given, or that the bundle has."""
    if build is None and (ROOT / "mpirun").is_file():
        place = Place(ROOT, ROOT / "bellwether", ROOT / "mpirun")
    else:
        place = of_build(build)
    packed = place.folder / AMG2023
    return dataclasses.replace(place, cuda_library=file_of(cuda_library),
                               amg2023=file_of(amg2023 or (packed if packed.is_file() else None)))


def file_of(path):
    """The whole path of a file that is there; None for None."""
    if path is None:
        return None
    if not pathlib.Path(path).is_file():
        raise NotHere(f"{path} is not there")
    return pathlib.Path(path).resolve()


def of_build(build):
    folders = [pathlib.Path(build)] if build else sorted(
        ROOT.glob("build/*"), key=lambda folder: (folder.name not in ("cuda", "release"), folder.name))
    for folder in map(pathlib.Path.resolve, folders):
        if not build and is_for_tests(folder):
            continue
        if (folder / "bellwether").is_file() and (folder / TESTS).is_file():
            return Place(folder, folder / "bellwether", launcher_of(folder))
    raise NotHere(f"no build with CUDA and its tests in {build or ROOT / 'build'}: expected bellwether "
                  f"and {TESTS} there")


def is_for_tests(folder):
    """Whether its GPU is one made of CPU: what it measures is nobody's speed."""
    return cached(folder, "BELLWETHER_CUDA") == "HOST_GPU"


def launcher_of(folder):
    launcher = cached(folder, "MPIEXEC_EXECUTABLE")
    if launcher is None:
        raise NotHere(f"{folder}/CMakeCache.txt names no MPIEXEC_EXECUTABLE")
    return pathlib.Path(launcher)


def cached(folder, name):
    """What CMake was told or found in this build; None where it says nothing."""
    cache = folder / "CMakeCache.txt"
    for line in cache.read_text().splitlines() if cache.is_file() else []:
        if line.startswith(name + ":"):
            return line.partition("=")[2]
    return None


def mpirun_for(program):
    """The launcher that belongs to a program: what stands beside it in a bundle, else the one that its
    build folder names; of a program that was installed the one on PATH."""
    found = shutil.which(program)
    if found is None:
        return "mpirun"
    folder = pathlib.Path(found).resolve().parent
    beside = folder / "mpirun"
    return str(beside) if beside.is_file() else cached(folder, "MPIEXEC_EXECUTABLE") or "mpirun"


def environment():
    """For everything that is started: nothing is skipped for want of a GPU, nothing of this machine's
    Open MPI is meant, and ranks copy from one another only where the kernel lets them."""
    chosen = {name: value for name, value in os.environ.items()
              if not name.startswith(("OMPI_", "PMIX_", "OPAL_"))}
    # Under mpirun GoogleTest believes that it writes to a terminal, whose colours nobody here reads.
    chosen.update(BELLWETHER_REQUIRE_CUDA="1", PYTHONDONTWRITEBYTECODE="1", GTEST_COLOR="no")
    if not reads_another_process():
        chosen["OMPI_MCA_btl_vader_single_copy_mechanism"] = "none"
    return chosen


def reads_another_process():
    """Containers often forbid process_vm_readv, and Open MPI then complains of every large message."""
    class Piece(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]
    there, here = ctypes.create_string_buffer(b"x", 1), ctypes.create_string_buffer(1)
    child_ends, parent_ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(parent_ends)
        os.read(child_ends, 1)  # until the parent closes its end
        os._exit(0)
    try:
        read = ctypes.CDLL(None).process_vm_readv
        return 1 == read(child, ctypes.byref(Piece(ctypes.addressof(here), 1)), 1,
                         ctypes.byref(Piece(ctypes.addressof(there), 1)), 1, 0)
    except AttributeError:
        return False
    finally:
        os.close(parent_ends)
        os.waitpid(child, 0)
        os.close(child_ends)


def tool(name):
    """A program of CUDA's, on PATH or in the usual places; None where there is none."""
    homes = [os.environ[name] for name in ("CUDA_HOME", "CUDA_PATH") if name in os.environ]
    homes += ["/usr/local/cuda", *sorted(map(str, pathlib.Path("/usr/local").glob("cuda-*")), reverse=True),
              *map(str, pathlib.Path("/opt").glob("cuda*")), "/opt/nvidia/cuda"]
    folders = [str(pathlib.Path(home) / part) for home in homes for part in
               ("bin", "compute-sanitizer", "extras/compute-sanitizer")]
    return shutil.which(name) or shutil.which(name, path=os.pathsep.join(folders))


def python():
    return [sys.executable, "-B"]
