# SPDX-License-Identifier: MIT
"""Bellwether for Spack 1, of a clone: run/README.md says how. run/spack_test.py holds it against CMake."""
from spack_repo.builtin.build_systems.cmake import CMakePackage, generator
from spack_repo.builtin.build_systems.cuda import CudaPackage
from spack_repo.builtin.build_systems.rocm import ROCmPackage

from spack.package import *


class Bellwether(CMakePackage, CudaPackage, ROCmPackage):
    """GPU/MPI mini-app benchmarks with performance models built in: how fast a machine is, whether that is
    as fast as it should be, and how fast it will be at scale."""

    license("MIT")

    # The source is a clone, told by `spack develop`.
    version("0.2.0")

    variant("openmp", default=False, description="Kokkos kernels of several threads a rank")
    variant("scotch", default=True, description="Unstructured meshes partitioned by PT-Scotch")
    variant("hdf5", default=True, description="Unstructured meshes read and written as HDF5")
    variant("hypre", default=True, description="BoomerAMG runs; without, it is predicted alone")
    variant("report", default=True, description="Pages and pictures, drawn by matplotlib")
    variant("kernel_variants", default=False,
            description="CPU kernels for each x86-64 level, chosen when the program starts")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("mpi@3.0:")
    depends_on("blas")
    depends_on("kokkos@3.4:")
    depends_on("kokkos+openmp", when="+openmp")
    depends_on("kokkos+serial", when="~openmp")
    depends_on("kokkos+rocm", when="+rocm")
    depends_on("kokkos+shared")
    depends_on("hwloc")
    depends_on("fmt")
    depends_on("boost@1.74:")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.9:")
    depends_on("sqlite")
    depends_on("benchmark@1.7:")
    depends_on("scotch@7: +mpi", when="+scotch")
    depends_on("hdf5+mpi", when="+hdf5")
    depends_on("hypre@2.26: +mpi precision=double", when="+hypre")
    depends_on("googletest", type="test")
    depends_on("python@3.9:", type=("run", "test"))
    depends_on("py-matplotlib", type="run", when="+report")
    depends_on("py-jinja2", type="run", when="+report")

    conflicts("+cuda", when="cuda_arch=none", msg="say for which: cuda_arch=80,90")
    conflicts("+cuda", when="+rocm", msg="one kind of GPU at a time")
    for target in ROCmPackage.amdgpu_targets:
        depends_on(f"kokkos amdgpu_target={target}", when=f"+rocm amdgpu_target={target}")

    generator("ninja")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("BELLWETHER_TESTS", self.run_tests),
            self.define("BELLWETHER_CUDA", "REQUIRED" if spec.satisfies("+cuda") else "OFF"),
            self.define_from_variant("BELLWETHER_KERNEL_VARIANTS", "kernel_variants"),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_BellwetherScotch", spec.satisfies("~scotch")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_BellwetherHypre", spec.satisfies("~hypre")),
            self.define("CMAKE_DISABLE_FIND_PACKAGE_rapidcheck", True),
        ]
        if spec.satisfies("+cuda"):
            args.append(self.define("CMAKE_CUDA_ARCHITECTURES", spec.variants["cuda_arch"].value))
        if spec.satisfies("+rocm"):
            args.append(self.define("CMAKE_CXX_COMPILER", spec["hip"].hipcc))
        return args
