# SPDX-License-Identifier: MIT
"""All that is asked of a GPU, what is worth most first: some nine minutes, of which a shorter session does
the beginning. Seconds are those of an H200 where it was measured, else estimated."""
import functools

from gpu_session import calibrate, check, runs
from gpu_session import place as places
from gpu_session.session import Step

PRECISIONS = ("f32", "f64")
LAUNCH = "kernels/launch"
DENSE = (LAUNCH, "kernels/dense")
FILES = {"diffusion": (LAUNCH, "kernels/diffusion", "miniapps/diffusion", "miniapps/stencil"),
         "lbm": (LAUNCH, "kernels/lbm", "miniapps/lbm", "miniapps/stencil"),
         "airfoil": (LAUNCH, "kernels/airfoil", "miniapps/airfoil", "miniapps/mesh"),
         "hpl": (*DENSE, "kernels/hpl", "miniapps/hpl"),
         "cholesky": (*DENSE, "kernels/cholesky", "miniapps/cholesky"),
         "amg": (LAUNCH, "miniapps/amg")}
ALL_FILES = ("kernels", "miniapps")

# By app: the size that a target is about, and one that a GPU made of CPU does in a moment.
SIZES = {"diffusion": (("--cells", 512, 512, 512), ("--cells", 16, 16, 16, "--steps", 4)),
         "lbm": (("--cells", 256, 256, 256), ("--cells", 12, 12, 12, "--steps", 4)),
         "airfoil": (("--cells", 400, 600), ("--cells", 12, 17, "--iterations", 4))}
# Of odd sizes; on a GPU in some 0.6 s each.
COMPARED = {"diffusion": (("--cells", 125, 131, 127, "--steps", 20), ("--cells", 19, 21, 23, "--steps", 4)),
            "lbm": (("--cells", 93, 99, 95, "--steps", 20), ("--cells", 13, 15, 14, "--steps", 4)),
            # The order of additions that a GPU has by itself.
            "airfoil": (("--cells", 100, 150, "--iterations", 20, "--increments", "gather"),
                        ("--cells", 12, 17, "--iterations", 4, "--increments", "gather"))}
TINY = {"diffusion": ("--cells", 37, 29, 43, "--steps", 3), "lbm": ("--cells", 24, 20, 22, "--steps", 3),
        "airfoil": ("--cells", 12, 17, "--iterations", 3),
        "hpl": ("--size", 130, "--block", 32, "--factorizations", 1),
        "cholesky": ("--size", 70, "--factorizations", 1),
        "amg": ("--cells", 15, 15, 15, "--cycles", 3)}
# (panel, block, size, seconds): the headline and its yardstick, then what tells where the time goes. A block of
# the whole matrix is cuSOLVER's own factorization: what a library gives.
HPL = [("device", 512, 65536, 14), ("cusolver", 512, 65536, 14), ("device", 512, 32768, 5),
       ("device", 512, 16384, 3), ("cusolver", 512, 16384, 3), ("host", 256, 16384, 4),
       ("device", 1024, 65536, 14), ("device", 256, 16384, 3), ("cusolver", 512, 32768, 5),
       ("device", 1024, 32768, 5), ("cusolver", 32768, 32768, 6), ("device", 256, 65536, 14),
       ("host", 256, 32768, 10)]
CHOLESKY = [(("--size", 16384, "--block", 256), 8), (("--size", 32768, "--block", 256), 15),
            (("--size", 16384, "--block", 512), 8), (("--size", 32768, "--block", 512), 15),
            (("--size", 8192), 8), (("--size", 16384, "--block", 128), 8)]
AMG = [(128, "amg", 10), (256, "amg", 25), (256, "pcg", 25), (128, "pcg", 10)]
# AMG2023's options: its own, and ours (ext+i, l1-Jacobi).
AMG2023 = {"own options": (), "ext+i, l1-jacobi": ("-interptype", 6, "-rlx", 18)}
TOOLS = ("memcheck", "racecheck", "synccheck")
PROFILED = {"airfoil": "for_each_item_kernel", "diffusion": "store_star_kernel", "hpl": "column_kernel"}


def steps(session):
    small = session.smallest
    yield Step("machine", check.machine, 2)
    for app in TINY:
        yield Step(f"smoke: {app}", functools.partial(runs.case, words=(app, *TINY[app])), 3,
                   vital=app != "amg")
    yield Step("tests, 1 rank", functools.partial(check.tests, ranks=1), 40, depends=ALL_FILES)
    for app in COMPARED:
        yield Step(f"{app}: as on the CPU",
                   functools.partial(runs.same_as_cpu, all_words=compared_words(app, small), ranks=0), 4,
                   depends=FILES[app])
    for app, sizes in SIZES.items():
        for precision in PRECISIONS:
            words = (app, *sizes[small], "--precision", precision, "--overlap", "off", "--time-budget", 1)
            yield Step(f"{app} {name_of(sizes[small])} {precision}",
                       functools.partial(runs.measured, words=words), 6 if app == "airfoil" else 2,
                       depends=FILES[app])
    yield from hpl_steps(small)
    yield from cholesky_steps(small)
    for edge, solver, seconds in [(15, "amg", 5)] if small else AMG:
        words = ("amg", "--cells", edge, edge, edge, "--solver", solver, "--relax", "l1-jacobi",
                 "--overlap", "on", "--time-budget", 2)
        yield Step(f"amg {edge}x{edge}x{edge} {solver}", functools.partial(runs.measured, words=words),
                   seconds, depends=FILES["amg"])
    for name, options in AMG2023.items():
        yield Step(f"AMG2023, {name}",
                   functools.partial(runs.amg2023, edge=15 if small else 256, options=options), 20,
                   needs=(amg2023,), depends=FILES["amg"])
    for app in COMPARED:
        yield Step(f"{app}: as on the CPU, 2 ranks",
                   functools.partial(runs.same_as_cpu, all_words=compared_words(app, small), ranks=2), 6,
                   needs=(mpirun,), depends=FILES[app])
    yield Step("calibration", functools.partial(calibrate.calibrate, budget_s=55), 15 if small else 66,
               depends=ALL_FILES)
    yield from knob_steps(session)
    yield from sanitizer_steps()
    for app, kernel in PROFILED.items():
        yield Step(f"ncu: {app}", functools.partial(check.profile, kernel=kernel, words=(app, *tiny(app))), 7,
                   needs=(has_tool("ncu"), *of_app(app)), depends=FILES[app])
    yield Step("tests, 2 ranks", functools.partial(check.tests, ranks=2), 60, needs=(mpirun,),
               depends=ALL_FILES)


def hpl_steps(small):
    yield Step("cuBLAS f64, sustained", functools.partial(
        check.ceiling, filters="^gemm/[0-9]+/f64/m", counter="flops_per_s", unit="FLOP/s",
        seconds=0.01 if small else 8), 16, depends=("kernels/dense",))
    for panel, block, size, seconds in [("device", 32, 130, 5)] if small else HPL:
        words = ("hpl", "--size", size, "--block", block, "--panel", panel, "--factorizations", 1,
                 "--overlap", "on")
        yield Step(f"hpl {size}, block {block}, panel {panel}", functools.partial(runs.measured, words=words),
                   seconds, needs=of_app("hpl"), depends=FILES["hpl"])


def cholesky_steps(small):
    for size, seconds in [(("--size", 70), 5), (("--size", 70, "--block", 16), 5)] if small else CHOLESKY:
        words = ("cholesky", *size, "--factorizations", 1, "--overlap", "on")
        yield Step(f"cholesky {name_of(size)}", functools.partial(runs.measured, words=words), seconds,
                   depends=FILES["cholesky"])


def knob_steps(session):
    """The program's own library, and those that were packed, each by the same runs."""
    libraries = sorted((session.place.folder / "knobs").glob("*.so"))
    needs = () if libraries else (lambda _: "no libraries with other knobs are packed",)
    words = [(app, *SIZES[app][session.smallest], "--precision", precision, "--overlap", "off",
              "--time-budget", 0.5) for app in ("diffusion", "lbm") for precision in PRECISIONS]
    files = FILES["diffusion"] + FILES["lbm"]
    for library in [None, *libraries]:
        yield Step(f"knobs: {library.stem if library else 'default'}",
                   functools.partial(runs.knobs, library=library, all_words=words), 6, needs=needs,
                   depends=files)
    yield Step("knobs, the best", runs.best_knobs, 0, needs=needs)


def sanitizer_steps():
    """HPL's panel first: what a GPU made of CPU does not see is how its blocks race."""
    for app in ("hpl", "diffusion", "lbm", "airfoil", "cholesky"):
        for tool in TOOLS:
            yield Step(f"{tool}: {app}",
                       functools.partial(check.sanitizer, tool=tool, words=(app, *tiny(app))), 5,
                       needs=(has_tool("compute-sanitizer"), *of_app(app)), depends=FILES[app])


def compared_words(app, small):
    return [(app, *COMPARED[app][small], "--precision", precision) for precision in PRECISIONS]


def tiny(app):
    return (*TINY[app], *(("--panel", "device") if app == "hpl" else ()))


def name_of(words):
    """As tables.size_of has it for the record: "512x512x512", "16384, block 256"."""
    sizes = [str(word) for word in words[:4] if isinstance(word, int)]
    return ("x" if "--cells" in words else ", block ").join(sizes)


def has_panel(session):
    return None if "--panel" in help_of_hpl(session) else "this program's hpl has no --panel"


@functools.lru_cache(maxsize=None)
def help_of_hpl(session):
    return session.command("run", "hpl", "--help", limit_s=30).out


def of_app(app):
    """What a run of an app needs beyond the program; of amg bellwether says it itself."""
    return (has_panel,) if app == "hpl" else ()


def has_tool(name):
    return lambda _: None if places.tool(name) else f"{name} is not installed"


def amg2023(session):
    return None if session.place.amg2023 else "AMG2023's program is not at hand (--amg2023)"


def mpirun(session):
    return None if session.place.mpirun.is_file() else f"no {session.place.mpirun}"
