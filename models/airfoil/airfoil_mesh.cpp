// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace bellwether {

AirfoilMesh mesh_with_edges(std::int64_t edges) {
  // Nearly 2 edges per cell and 9/2 I^2 cells; the neighbours of that I make up for "nearly".
  const auto guess = static_cast<std::int64_t>(std::sqrt(static_cast<double>(edges) / 9));
  AirfoilMesh best;
  for (std::int64_t columns = std::max<std::int64_t>(1, guess - 1); columns <= guess + 2;
       ++columns) {
    const AirfoilMesh mesh{columns, columns + columns / 2};
    if (std::llabs(mesh.edges() - edges) < std::llabs(best.edges() - edges)) best = mesh;
  }
  return best;
}

}  // namespace bellwether
