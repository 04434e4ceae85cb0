// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/mesh/airfoil_connectivity.hpp"

#include <algorithm>

namespace bellwether {
namespace {

std::int64_t node_at(const AirfoilMesh& mesh, std::int64_t i, std::int64_t j) {
  return i + j * (mesh.columns() + 1);
}
std::int64_t cell_at(const AirfoilMesh& mesh, std::int64_t i, std::int64_t j) {
  return i + j * mesh.columns();
}

}  // namespace

std::array<std::int64_t, 4> airfoil_cell(const AirfoilMesh& mesh, std::int64_t cell) {
  const std::int64_t i = cell % mesh.columns(), j = cell / mesh.columns();
  return {node_at(mesh, i, j), node_at(mesh, i + 1, j), node_at(mesh, i + 1, j + 1),
          node_at(mesh, i, j + 1)};
}

std::int64_t airfoil_edges_before(const AirfoilMesh& mesh, std::int64_t cell) {
  const std::int64_t i = cell % mesh.columns(), j = cell / mesh.columns();
  const std::int64_t wake = j > 0 ? mesh.block_columns : std::min(i, mesh.block_columns);
  const std::int64_t above =
      std::min(j, mesh.rows - 1) * mesh.columns() + (j < mesh.rows - 1 ? i : 0);
  const std::int64_t right = j * (mesh.columns() - 1) + i;
  return wake + above + right;
}

AirfoilEdgesOfCell airfoil_edges(const AirfoilMesh& mesh, std::int64_t cell) {
  const std::int64_t i = cell % mesh.columns(), j = cell / mesh.columns();
  AirfoilEdgesOfCell of{};
  if (j == 0 && i < mesh.block_columns)
    of.edges[of.count++] = {{node_at(mesh, i, 0), node_at(mesh, i + 1, 0)},
                            {cell_at(mesh, mesh.across_wake(i), 0), cell}};
  if (j + 1 < mesh.rows)
    of.edges[of.count++] = {{node_at(mesh, i, j + 1), node_at(mesh, i + 1, j + 1)},
                            {cell, cell_at(mesh, i, j + 1)}};
  if (i + 1 < mesh.columns())
    of.edges[of.count++] = {{node_at(mesh, i + 1, j), node_at(mesh, i + 1, j + 1)},
                            {cell_at(mesh, i + 1, j), cell}};
  return of;
}

AirfoilBoundaryEdge airfoil_boundary_edge(const AirfoilMesh& mesh, std::int64_t edge) {
  const std::int64_t columns = mesh.columns(), rows = mesh.rows;
  if (edge < mesh.block_columns) {
    const std::int64_t i = mesh.block_columns + edge;
    return {{node_at(mesh, i + 1, 0), node_at(mesh, i, 0)}, cell_at(mesh, i, 0), wall};
  }
  edge -= mesh.block_columns;
  if (edge < rows)
    return {{node_at(mesh, columns, edge + 1), node_at(mesh, columns, edge)},
            cell_at(mesh, columns - 1, edge),
            far_field};
  edge -= rows;
  if (edge < columns) {
    const std::int64_t i = columns - 1 - edge;
    return {{node_at(mesh, i, rows), node_at(mesh, i + 1, rows)},
            cell_at(mesh, i, rows - 1),
            far_field};
  }
  const std::int64_t j = rows - 1 - (edge - columns);
  return {{node_at(mesh, 0, j), node_at(mesh, 0, j + 1)}, cell_at(mesh, 0, j), far_field};
}

}  // namespace bellwether
