# SPDX-License-Identifier: MIT
"""run/lab/cuda-library: what it asks of CUDA's compiler, in whose place a script stands here that writes
down its words, and what it refuses."""
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

LAB = pathlib.Path(__file__).resolve().parent
COMPILER = """#!/bin/sh
[ "$*" != --list-gpu-arch ] || {{ printf 'compute_%s\\n' 75 80 90 100 103; exit; }}
echo "$@" >> {folder}/calls
case "$*" in {fails}) echo "error: no such register" >&2; exit 1;; esac
while [ "$1" != -o ]; do shift; done
echo made > "$2"
"""


class CudaLibrary(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def build(self, *words, fails="never"):
        compiler = self.folder / "nvcc"
        compiler.write_text(COMPILER.format(folder=self.folder, fails=fails))
        compiler.chmod(0o755)
        return subprocess.run([LAB / "cuda-library", *map(str, words)], capture_output=True, text=True,
                              env={**os.environ, "NVCC": str(compiler)})

    def calls(self):
        return (self.folder / "calls").read_text().splitlines()

    def test_compiles_the_sources_of_the_whole_build(self):
        done = self.build("--architectures", "80,90", self.folder / "out",
                          "-DBELLWETHER_LBM_THREADS=64", "-DBELLWETHER_STAR_TILES=64")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(os.listdir(self.folder / "out"), ["libbellwether_cuda.so"])
        listed = (LAB.parents[1] / "kernels" / "cuda.cmake").read_text()
        listed = re.search(r"set\(BELLWETHER_CUDA_SOURCES\s+([^)]*)\)", listed)[1].split()
        *compiled, linked = self.calls()
        self.assertEqual(sorted(re.search(r"/kernels/(\S+) -o", call)[1] for call in compiled),
                         sorted(listed))
        for call in compiled:
            for word in ["-fmad=false", "-ffp-contract=off", "code=[compute_80,sm_80]",
                         "code=[compute_90,sm_90]", "-DBELLWETHER_LBM_THREADS=64",
                         "-DBELLWETHER_STAR_TILES=64"]:
                self.assertIn(word, call)
        self.assertIn("-soname=libbellwether_cuda.so", linked)
        self.assertIn("-cudart static", linked)

    @unittest.skipIf(shutil.which("nvidia-smi"), "a GPU of this machine says what is compiled for")
    def test_compiles_for_the_generations_that_the_compiler_knows(self):
        done = self.build(self.folder / "out")
        self.assertEqual(done.returncode, 0, done.stderr)
        for call in self.calls():
            self.assertEqual(re.findall(r"code=\[compute_\d+,sm_(\d+)\]", call), ["80", "90", "100"])

    def test_a_source_that_does_not_compile_leaves_no_library(self):
        (self.folder / "out").mkdir()
        done = self.build(self.folder / "out", fails="*lbm_cuda.cu*")
        self.assertEqual(done.returncode, 3)
        self.assertIn("no such register", done.stderr)
        self.assertIn("lbm/lbm_cuda.cu", done.stderr)
        self.assertEqual(os.listdir(self.folder / "out"), [])

    def test_refuses_what_it_does_not_know(self):
        for words, named in [([], "folder"), (["out", "again"], "again"), (["out", "-O2"], "-O2"),
                             (["out", "-DNDEBUG=1"], "-DNDEBUG=1"),
                             (["out", "-DBELLWETHER_LBM_THREADS"], "-DBELLWETHER_LBM_THREADS"),
                             (["out", "-DBELLWETHER_LBM_TREADS=64"], "BELLWETHER_LBM_THREADS"),
                             (["out", "--architectures"], "--architectures"),
                             (["out", "--architectures", "sm_90"], "sm_90")]:
            done = self.build(*words)
            self.assertEqual(done.returncode, 2, words)
            self.assertIn(named, done.stderr)
        self.assertFalse((self.folder / "calls").exists())

    def test_says_that_there_is_no_compiler(self):
        done = subprocess.run([LAB / "cuda-library", self.folder / "out"], capture_output=True,
                              text=True, env={**os.environ, "NVCC": "/nowhere/nvcc"})
        self.assertEqual(done.returncode, 3)
        self.assertIn("NVCC", done.stderr)


if __name__ == "__main__":
    unittest.main()
