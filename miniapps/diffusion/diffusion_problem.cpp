// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>

#include "kernels/diffusion/diffusion.hpp"
#include "models/errors.hpp"

namespace bellwether {
void validate(const DiffusionProblem& problem) { validate(problem, "dirichlet"); }

Decomposition decompose(const DiffusionProblem& problem, int ranks, const Machine* machine,
                        const StencilVariant& variant, const RankPlacement& placement) {
  std::array<int, 3> shape = parse_ranks(problem.decomposition);
  if (shape == std::array<int, 3>{}) {
    shape = machine == nullptr
                ? least_surface(ranks, problem.grid())
                : fastest_decomposition(*machine, diffusion_stencil(), problem.grid(), ranks,
                                        problem.periodic(), variant, placement);
  }
  const long long product = 1LL * shape[0] * shape[1] * shape[2];
  if (product != ranks)
    throw BadInput(
        fmt::format("--decomposition: {} is for {} ranks, and there {} {} (mpirun -n {}, or "
                    "--decomposition auto)",
                    problem.decomposition, product, ranks == 1 ? "is" : "are", ranks, product));
  return {problem.grid(), shape, problem.periodic()};
}

StepWork diffusion_work(const DiffusionProblem& problem) {
  const double cells = problem.volume();
  return {cells, "cells/s", cells * (diffusion_reads + diffusion_writes) * problem.value_bytes(),
          cells * diffusion_flops};
}

StencilKernel diffusion_stencil() {
  StencilKernel kernel;
  kernel.name = "diffusion";
  kernel.flops = diffusion_flops;
  kernel.accessed_values = diffusion_accesses;
  kernel.read_values = diffusion_reads;
  kernel.written_values = diffusion_writes;
  kernel.rereads = 4;  // south, north, below and above; west and east stand in the same lines
  kernel.halo_values = 1;
  kernel.paper_halo_values = 1;
  kernel.paper_aligned_buffers = true;
  return kernel;
}

StencilVariant stencil_variant(const DiffusionProblem& problem, const Variant& variant,
                               const std::string& stores) {
  return {problem.precision, variant.overlap, variant.halo == "staged", stores};
}

ModeDirection mode_direction(int cells, bool periodic, int direction) {
  constexpr int longest_wave = 64;
  const double offset = 0.3 + 0.2 * direction;  // no node of the mode on a cell
  if (periodic) {
    const int waves = (cells + longest_wave - 1) / longest_wave;
    return {2 * std::numbers::pi * waves / cells, offset};
  }
  // Zero at the ghost cells -1 and n: a whole number of half waves over n + 1 intervals.
  constexpr int longest_half_wave = longest_wave / 2;
  const int half_waves = (cells + longest_half_wave - 1) / longest_half_wave;
  const double angle = std::numbers::pi * half_waves / (cells + 1);
  return {angle, angle};
}

}  // namespace bellwether
