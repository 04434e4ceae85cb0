// SPDX-License-Identifier: MIT
#pragma once

#include "models/stencil.hpp"

namespace bellwether {

/// For tests: the paper's applications. Diffusion: Section 6.1; D3Q19 lattice Boltzmann:
/// Section 6.2, whose F/B of 1.83 is 65 accesses of 4 bytes.
inline StencilKernel diffusion_stencil() {
  return {.name = "diffusion",
          .flops = 13,
          .accessed_values = 8,
          .read_values = 1,
          .written_values = 1,
          .rereads = 4,
          .halo_values = 1,
          .paper_halo_values = 1};
}
inline StencilKernel lattice_boltzmann_stencil() {
  return {.name = "lbm",
          .flops = 476,
          .accessed_values = 476 / 1.83 / 4,
          .read_values = 19,
          .written_values = 19,
          .rereads = 0,
          .halo_values = 5,
          .paper_halo_values = 13,
          .paper_aligned_buffers = false};
}

}  // namespace bellwether
