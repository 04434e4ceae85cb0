// SPDX-License-Identifier: MIT
#include "miniapps/diffusion/diffusion_problem.hpp"

#include <numbers>

#include "kernels/diffusion/diffusion.hpp"

namespace bellwether {

StepWork diffusion_work(const DiffusionProblem& problem) {
  return stencil_work(problem, diffusion_stencil(), problem.volume());
}

StencilKernel diffusion_stencil() {
  StencilKernel kernel;
  kernel.name = "diffusion";
  kernel.flops = diffusion_flops;
  kernel.paper_flops = diffusion_paper_flops;
  kernel.accessed_values = diffusion_accesses;
  kernel.read_values = diffusion_reads;
  kernel.written_values = diffusion_writes;
  kernel.rereads = 4;  // south, north, below and above; west and east stand in the same lines
  kernel.halo_values = 1;
  kernel.paper_halo_values = 1;
  kernel.paper_aligned_buffers = true;
  return kernel;
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
