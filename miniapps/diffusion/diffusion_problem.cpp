// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "kernels/diffusion/diffusion.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

void check_one_of(const char* option, const std::string& found, const char* first,
                  const char* second) {
  if (found != first && found != second)
    throw BadInput(fmt::format("{}: found '{}', expected {} or {}", option, found, first, second));
}

}  // namespace

std::array<int, 3> DiffusionProblem::grid() const {
  return {static_cast<int>(cells[0]), static_cast<int>(cells[1]), static_cast<int>(cells[2])};
}

void validate(const DiffusionProblem& problem) {
  constexpr long long most = DiffusionProblem::most_cells;
  double cells = 1;
  for (const long long n : problem.cells) {
    if (n < 1 || n > most)
      throw BadInput(
          fmt::format("--cells: found {}, expected three numbers from 1 to {}", n, most));
    cells *= static_cast<double>(n);
  }
  constexpr long long most_in_all = DiffusionProblem::most_cells_in_all;
  if (cells > static_cast<double>(most_in_all))
    throw BadInput(fmt::format("--cells: found {} x {} x {}, expected at most {} cells in all",
                               problem.cells[0], problem.cells[1], problem.cells[2], most_in_all));
  (void)parse_ranks(problem.decomposition);
  check_one_of("--precision", problem.precision, "f32", "f64");
  check_one_of("--boundary", problem.boundary, "periodic", "dirichlet");
}

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
  const double cells = static_cast<double>(problem.cells[0]) *
                       static_cast<double>(problem.cells[1]) *
                       static_cast<double>(problem.cells[2]);
  const double value_bytes = problem.precision == "f32" ? 4 : 8;
  return {cells, "cells/s", cells * (diffusion_reads + diffusion_writes) * value_bytes,
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
