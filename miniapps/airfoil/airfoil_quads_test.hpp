// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/airfoil/airfoil_arrays_test.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

namespace bellwether {

/// For tests: a generated mesh as the plain loops take it, whole, its coordinates rounded to T.
template <class T>
QuadMesh plain_mesh(const AirfoilMesh& shape) {
  const AirfoilBlocks blocks = generate_airfoil(shape, 1, 0);
  const auto narrow = [&](int map) {
    const auto& targets = blocks.mesh.maps[map].targets;
    return std::vector<std::int32_t>(targets.begin(), targets.end());
  };
  QuadMesh mesh;
  for (const double x : blocks.coordinates.values) mesh.x.push_back(static_cast<T>(x));
  mesh.cell_nodes = narrow(cell_nodes_map);
  mesh.edge_nodes = narrow(edge_nodes_map);
  mesh.edge_cells = narrow(edge_cells_map);
  mesh.outer_nodes = narrow(bedge_nodes_map);
  mesh.outer_cells = narrow(bedge_cell_map);
  mesh.outer_flags = blocks.bounds.values;
  return mesh;
}

}  // namespace bellwether
