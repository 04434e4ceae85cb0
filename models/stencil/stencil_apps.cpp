// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_apps.hpp"

namespace bellwether {

StencilKernel lattice_boltzmann() {
  constexpr double intensity = 1.83;  // flop/byte, Section 6.2.2
  constexpr double f32_bytes = 4;
  StencilKernel kernel;
  kernel.name = "lbm";
  kernel.flops = kernel.paper_flops = 476;
  kernel.accessed_values = kernel.paper_flops / intensity / f32_bytes;
  kernel.read_values = 19;
  kernel.written_values = 19;
  kernel.in_place = true;
  kernel.arrays = 19;
  kernel.fetches_ahead = true;
  kernel.halo_values = 5;
  kernel.edge_values = 1;
  kernel.paper_halo_values = 13;
  kernel.paper_aligned_buffers = false;
  return kernel;
}

}  // namespace bellwether
