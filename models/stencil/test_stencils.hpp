// SPDX-License-Identifier: MIT
#pragma once

#include "models/stencil/stencil_refined.hpp"

namespace bellwether {

/// For tests: the paper's applications. Diffusion: Section 6.1, apart from the mini-app's; D3Q19
/// lattice Boltzmann: Section 6.2, whose numbers stencil_work_test.cpp holds against the paper.
inline StencilKernel diffusion_stencil() {
  return {.name = "diffusion",
          .flops = 13,
          .paper_flops = 13,
          .accessed_values = 8,
          .read_values = 1,
          .written_values = 1,
          .rereads = 4,
          .halo_values = 1,
          .paper_halo_values = 1};
}
inline StencilKernel lattice_boltzmann_stencil() { return lattice_boltzmann(); }

/// The refined prediction of diffusion.
inline Prediction refined_diffusion(const Machine& machine, const Decomposition& decomposition,
                                    const StencilVariant& variant, int ranks_per_node) {
  return predict_stencil_refined(machine, diffusion_stencil(), decomposition, variant,
                                 {ranks_per_node});
}

}  // namespace bellwether
