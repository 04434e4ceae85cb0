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

/// A rank's block of such a mesh.
inline AirfoilBlocks blocks_of(const QuadMesh& mesh, int ranks, int rank) {
  AirfoilBlocks blocks = airfoil_frame(mesh.nodes(), mesh.cells(), mesh.edges(), mesh.outer());
  blocks.origin.name = "quads";
  const auto cut = [&](int set, std::size_t width, const auto& from, auto& to) {
    const Blocks block = blocks.mesh.blocks(set, ranks);
    const auto at = [&](std::int64_t element) {
      return from.begin() + element * static_cast<std::ptrdiff_t>(width);
    };
    to.assign(at(block.first(rank)), at(block.end(rank)));
  };
  std::vector<BlockMap>& maps = blocks.mesh.maps;
  cut(airfoil_nodes, 2, mesh.x, blocks.coordinates.values);
  cut(airfoil_cells, 4, mesh.cell_nodes, maps[cell_nodes_map].targets);
  cut(airfoil_edge_set, 2, mesh.edge_nodes, maps[edge_nodes_map].targets);
  cut(airfoil_edge_set, 2, mesh.edge_cells, maps[edge_cells_map].targets);
  cut(airfoil_bedges, 2, mesh.outer_nodes, maps[bedge_nodes_map].targets);
  cut(airfoil_bedges, 1, mesh.outer_cells, maps[bedge_cell_map].targets);
  cut(airfoil_bedges, 1, mesh.outer_flags, blocks.bounds.values);
  return blocks;
}

}  // namespace bellwether
