// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "kernels/launch/grid.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// A face across which a rank exchanges one layer of cells with a neighbour.
struct HaloFace {
  int neighbour = 0;
  int direction = 0;  ///< 0 to 2: x, y, z
  int side = 0;       ///< 0 low, 1 high
  Box send;           ///< owned cells, in local coordinates
  Box receive;        ///< ghost cells, in local coordinates
};

/// The faces of a rank that have a neighbour, low before high, x before y before z. None where a
/// wall is or where the direction is not split.
std::vector<HaloFace> halo_faces(const Decomposition& decomposition, int rank);

}  // namespace bellwether
