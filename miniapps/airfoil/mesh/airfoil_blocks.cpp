// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

#include <fmt/format.h>

#include <utility>

#include "miniapps/airfoil/mesh/airfoil_connectivity.hpp"
#include "miniapps/airfoil/mesh/airfoil_coordinates.hpp"
#include "miniapps/comm/device_checks.hpp"

namespace bellwether {
namespace {

/// The cell with which an edge is numbered: the last that has no more edges before it.
std::int64_t cell_of_edge(const AirfoilMesh& mesh, std::int64_t edge) {
  std::int64_t low = 0, high = mesh.cells();
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (airfoil_edges_before(mesh, middle) <= edge ? low : high) = middle;
  }
  return low;
}

template <class Values>
void append(std::vector<std::int64_t>& to, const Values& values) {
  to.insert(to.end(), values.begin(), values.end());
}

void generate_edges(const AirfoilMesh& shape, std::int64_t first, std::int64_t end,
                    BlockMesh& mesh) {
  if (first == end) return;
  std::int64_t cell = cell_of_edge(shape, first);
  std::int64_t number = airfoil_edges_before(shape, cell);
  for (; number < end; ++cell) {
    const AirfoilEdgesOfCell of = airfoil_edges(shape, cell);
    for (int e = 0; e < of.count; ++e, ++number) {
      if (number < first || number >= end) continue;
      append(mesh.maps[edge_nodes_map].targets, of.edges[e].nodes);
      append(mesh.maps[edge_cells_map].targets, of.edges[e].cells);
    }
  }
}

}  // namespace

AirfoilBlocks airfoil_frame(std::int64_t nodes, std::int64_t cells, std::int64_t edges,
                            std::int64_t bedges) {
  AirfoilBlocks frame;
  frame.mesh.sets = {{"nodes", nodes}, {"cells", cells}, {"edges", edges}, {"bedges", bedges}};
  frame.mesh.maps = {{"pcell", airfoil_cells, airfoil_nodes, 4, false, {}},
                     {"pedge", airfoil_edge_set, airfoil_nodes, 2, false, {}},
                     {"pecell", airfoil_edge_set, airfoil_cells, 2, true, {}},
                     {"pbedge", airfoil_bedges, airfoil_nodes, 2, false, {}},
                     {"pbecell", airfoil_bedges, airfoil_cells, 1, true, {}}};
  frame.coordinates = {"p_x", airfoil_nodes, 2, {}};
  frame.bounds = {"p_bound", airfoil_bedges, 1, {}};
  return frame;
}

AirfoilBlocks airfoil_frame(const AirfoilMesh& mesh) {
  return airfoil_frame(mesh.nodes(), mesh.cells(), mesh.edges(), mesh.boundary_edges());
}

double airfoil_mesh_bytes(const BlockMesh& mesh) {
  const auto total = [&](int set) { return static_cast<double>(mesh.sets[set].total); };
  double values = 2 * total(airfoil_nodes) + total(airfoil_bedges);
  for (const BlockMap& map : mesh.maps) values += map.arity * total(map.from);
  constexpr double value_bytes = 8, copies = 3.6;
  return copies * value_bytes * values;
}

std::string place_of(const AirfoilBlocks& blocks, int set, const std::string& dataset,
                     std::int64_t element) {
  if (blocks.origin.kind != MeshOrigin::text)
    return fmt::format("{}, dataset {}, row {}", blocks.origin.name, dataset, element);
  std::int64_t line = 2;  // the first line counts
  for (int before = 0; before < set; ++before) line += blocks.mesh.sets[before].total;
  return fmt::format("{}, line {}", blocks.origin.name, line + element);
}

AirfoilBlocks generate_airfoil(const AirfoilMesh& mesh, int ranks, int rank) {
  AirfoilBlocks of = airfoil_frame(mesh);
  of.origin.name = fmt::format("generated airfoil mesh {} x {}", mesh.block_columns, mesh.rows);
  const auto block = [&](int set) {
    const Blocks blocks = of.mesh.blocks(set, ranks);
    return std::pair(blocks.first(rank), blocks.end(rank));
  };
  const AirfoilCoordinates coordinates(mesh);
  for (auto [node, end] = block(airfoil_nodes); node < end; ++node) {
    const std::array<double, 2> at = coordinates.node(node);
    of.coordinates.values.insert(of.coordinates.values.end(), at.begin(), at.end());
  }
  for (auto [cell, end] = block(airfoil_cells); cell < end; ++cell)
    append(of.mesh.maps[cell_nodes_map].targets, airfoil_cell(mesh, cell));
  const auto [first_edge, end_edge] = block(airfoil_edge_set);
  generate_edges(mesh, first_edge, end_edge, of.mesh);
  for (auto [edge, end] = block(airfoil_bedges); edge < end; ++edge) {
    const AirfoilBoundaryEdge bedge = airfoil_boundary_edge(mesh, edge);
    append(of.mesh.maps[bedge_nodes_map].targets, bedge.nodes);
    of.mesh.maps[bedge_cell_map].targets.push_back(bedge.cell);
    of.bounds.values.push_back(bedge.flag);
  }
  return of;
}

void require_mesh_memory(const Session& session, double bytes) {
  require_host_memory(session, bytes, "the mesh", "a smaller mesh, or more nodes");
}

}  // namespace bellwether
