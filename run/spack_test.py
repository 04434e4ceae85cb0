# SPDX-License-Identifier: MIT
"""run/spack/package.py asks for what CMake asks for: every dependency with its version, and every option.
Both are read, neither is run."""
import ast
import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).parent.parent
# What CMake finds, by Spack's name.
SPACK_NAMES = {
    "MPI": "mpi", "BLAS": "blas", "BellwetherKokkos": "kokkos", "BellwetherScotch": "scotch",
    "BellwetherHypre": "hypre", "hwloc": "hwloc", "hdf5": "hdf5", "fmt": "fmt", "CLI11": "cli11",
    "nlohmann_json": "nlohmann-json", "benchmark": "benchmark", "GTest": "googletest",
    "PkgConfig": "pkgconfig", "SQLite3": "sqlite", "Boost": "boost", "CUDAToolkit": "cuda", "Python3": "python", "cmake": "cmake"}
# Spack has no RapidCheck: the tests that need it are left out.
NOT_IN_SPACK = {"rapidcheck"}
# Asked for by a find module of ours, under its own name there.
WITHIN_A_MODULE = {"Kokkos", "HYPRE"}
# Brought by the base classes CudaPackage and ROCmPackage.
OF_BASE_CLASSES = {"CudaPackage": {"cuda"}, "ROCmPackage": {"hip"}}
# Of no CMake file: compilers, the generator that the presets name, and what pages are drawn with.
BESIDE_CMAKE = {"c", "cxx", "ninja", "py-matplotlib", "py-jinja2"}
# For who develops Bellwether, or no build of the command.
OPTIONS_LEFT_ALONE = {"BELLWETHER_WARNINGS_AS_ERRORS", "BELLWETHER_MODELS_ONLY", "BELLWETHER_FUZZ", "BELLWETHER_SMPI"}


def cmake_text():
    files = [ROOT / "CMakeLists.txt", ROOT / "run" / "tests.cmake", *sorted(ROOT.glob("cmake/*.cmake"))]
    return "\n".join(re.sub(r"(?m)#.*$", "", file.read_text()) for file in files)


def of_cmake(text):
    """Dependencies with their lowest version ("": any), and options."""
    found = {}
    for name, version in re.findall(r"find_package\(\s*(\w+)(?:\s+([\d.]+))?", text):
        if name not in WITHIN_A_MODULE:
            found[name] = found.get(name) or version
    # pkg-config's modules of one prefix are one library under several names.
    for name in re.findall(r"(?:pkg_check_modules|pkg_search_module)\(\s*(\w+)", text):
        found[name] = ""
    found["cmake"] = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)", text)[1]
    return found, set(re.findall(r"option\((\w+)", text))


class Package:
    """What the directives of a package say."""

    def __init__(self, text):
        tree = ast.parse(text)
        self.kind = next(node for node in tree.body if isinstance(node, ast.ClassDef))
        self.dependencies, self.conditions, self.variants, self.version = {}, {}, set(), ""
        for call in (node for node in ast.walk(self.kind) if isinstance(node, ast.Call)):
            if isinstance(call.func, ast.Name) and isinstance(call.args[0], ast.Constant):
                self.directive(call.func.id, call.args[0].value, call.keywords)
        self.defined = set(re.findall(r"define(?:_from_variant)?\(\s*\"(\w+)\"", text))
        self.bases = [base.id for base in self.kind.bases]
        for base in self.bases:
            self.variants |= {"CudaPackage": {"cuda"}, "ROCmPackage": {"rocm"}}.get(base, set())

    def directive(self, name, word, keywords):
        if name == "version":
            self.version = word
        if name == "variant":
            self.variants.add(word)
        if name == "depends_on":
            one, version = re.match(r"([\w-]+)(?:@([\d.]+):)?", word).groups()
            self.dependencies[one] = self.dependencies.get(one) or version or ""
            when = [word.value.value for word in keywords if word.arg == "when"]
            self.conditions.setdefault(one, []).extend(when or [""])


def differences(cmake, package):
    """Sentences on all that is asked for on one side alone."""
    found, options = of_cmake(cmake)
    said = []
    wanted = {}
    for name, version in found.items():
        if name in NOT_IN_SPACK:
            continue
        if name not in SPACK_NAMES:
            said.append(f"CMake finds {name}, whose name in Spack this test does not know")
        else:
            wanted[SPACK_NAMES[name]] = version
    brought = set().union(*(OF_BASE_CLASSES.get(base, set()) for base in package.bases))
    for name, version in wanted.items():
        if name in brought:
            continue
        if name not in package.dependencies:
            said.append(f"CMake finds {name}, the package does not depend on it")
        elif version and package.dependencies[name] != version:
            said.append(f"{name}: CMake wants {version}, the package "
                        f"{package.dependencies[name] or 'any version'}")
    for name in sorted(set(package.dependencies) - set(wanted) - BESIDE_CMAKE):
        said.append(f"the package depends on {name}, CMake does not find it")
    for option in sorted(options - OPTIONS_LEFT_ALONE - package.defined):
        said.append(f"CMake has the option {option}, the package leaves it alone")
    for option in sorted(one for one in package.defined
                         if one.startswith("BELLWETHER_") and one not in options):
        said.append(f"the package defines {option}, CMake does not have it")
    for name in re.findall(r"CMAKE_DISABLE_FIND_PACKAGE_(\w+)", " ".join(sorted(package.defined))):
        if name not in found:
            said.append(f"the package disables {name}, CMake does not find it")
    for when in sorted({word for words in package.conditions.values() for word in words}):
        for variant in re.findall(r"[+~](\w+)", when):
            if variant not in package.variants:
                said.append(f"a dependency is for the variant {variant}, which there is not")
    version = re.search(r"project\(bellwether VERSION ([\d.]+)", cmake)[1]
    if package.version != version:
        said.append(f"CMake builds version {version}, the package {package.version}")
    return said


class Spack(unittest.TestCase):
    def setUp(self):
        self.cmake = cmake_text()
        self.package = (ROOT / "run" / "spack" / "package.py").read_text()

    def differences(self, cmake=None, package=None):
        return differences(cmake or self.cmake, Package(package or self.package))

    def test_package_and_cmake_ask_for_the_same(self):
        self.assertEqual(self.differences(), [])
        self.assertEqual({"cuda", "rocm", "openmp"} - Package(self.package).variants, set())

    def test_what_is_changed_on_one_side_alone_is_found(self):
        for old, new, expected in [
                ("find_package(fmt REQUIRED)", "find_package(fmt REQUIRED)\nfind_package(zlib)",
                 "CMake finds zlib"),
                ("find_package(fmt REQUIRED)", "", "the package depends on fmt"),
                ("find_package(CLI11 2.1", "find_package(CLI11 2.3", "cli11: CMake wants 2.3"),
                ("option(BELLWETHER_TESTS", "option(BELLWETHER_ODD \"\" ON)\noption(BELLWETHER_TESTS",
                 "CMake has the option BELLWETHER_ODD"),
                ("pkg_check_modules(hwloc", "pkg_check_modules(numa", "CMake finds numa")]:
            self.assertIn(old, self.cmake)
            self.assertRegex(" ".join(self.differences(cmake=self.cmake.replace(old, new))), expected)
        for old, new, expected in [
                ('    depends_on("hwloc")\n', "", "CMake finds hwloc, the package does not"),
                ('depends_on("hwloc")', 'depends_on("hwloc")\n    depends_on("zlib")',
                 "depends on zlib, CMake does not find it"),
                ("hypre@2.26:", "hypre@2.30:", "hypre: CMake wants 2.26, the package 2.30"),
                ('when="+hypre"', 'when="+amg"', "variant amg, which there is not"),
                ("BELLWETHER_KERNEL_VARIANTS", "BELLWETHER_VARIANTS", "option BELLWETHER_KERNEL_VARIANTS"),
                ('version("0.2.0")', 'version("0.0.9")', "builds version 0.2.0, the package 0.0.9")]:
            self.assertIn(old, self.package)
            self.assertRegex(" ".join(self.differences(package=self.package.replace(old, new))),
                             expected)


if __name__ == "__main__":
    unittest.main()
