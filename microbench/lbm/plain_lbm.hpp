// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/grid.hpp"

namespace bellwether {

/// D3Q19 as one writes it first for a CPU: two lattices of 19 arrays, one after another, a layer of
/// ghost cells round each, and for each cell of the interior the 19 populations that reach it
/// pulled from `from`, relaxed (BGK, no force) and written to `to`, in vectors of AVX2 where this
/// processor has them. Population 2 p + 1 moves with +c of d3q19's pair p, 2 p + 2 with -c; number
/// i of cell (x, y, z) stands at i * layout.elements() + layout.at(x, y, z), as f_i itself, not as
/// a deviation. The measure of what LbmKernels' storage and schedule gain.
void plain_lbm_step(const GridLayout& layout, const float* from, float* to, float tau);
void plain_lbm_step(const GridLayout& layout, const double* from, double* to, double tau);

/// Both lattices' elements.
constexpr std::size_t plain_lbm_elements(const GridLayout& layout) {
  return 2 * 19 * layout.elements();
}

}  // namespace bellwether
