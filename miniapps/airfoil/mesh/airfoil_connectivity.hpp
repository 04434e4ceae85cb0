// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>

#include "models/airfoil/airfoil_mesh.hpp"

namespace bellwether {

/// An edge: with (dx, dy) = first - second node, (dy, -dx) points from its first into its second
/// cell.
struct AirfoilEdge {
  std::array<std::int64_t, 2> nodes, cells;
};

enum AirfoilBoundaryCondition : int { wall = 1, far_field = 2 };

/// An edge of one cell: (dy, -dx) points out of it.
struct AirfoilBoundaryEdge {
  std::array<std::int64_t, 2> nodes;
  std::int64_t cell;
  int flag;  ///< an AirfoilBoundaryCondition
};

/// The nodes of a cell, counterclockwise. Nodes and cells are numbered i fastest.
std::array<std::int64_t, 4> airfoil_cell(const AirfoilMesh& mesh, std::int64_t cell);

/// Edges are numbered cell by cell: the wake's below the cell (i < I), the one above, the one to
/// the right, those that there are.
std::int64_t airfoil_edges_before(const AirfoilMesh& mesh, std::int64_t cell);
/// The edges numbered with the cell, airfoil_edges_before(cell + 1) - airfoil_edges_before(cell).
struct AirfoilEdgesOfCell {
  std::array<AirfoilEdge, 3> edges;
  int count;
};
AirfoilEdgesOfCell airfoil_edges(const AirfoilMesh& mesh, std::int64_t cell);

/// Boundary edges are numbered round the mesh: the airfoil from left to right, the right side up,
/// the top from right to left, the left side down (all in the mapped plane).
AirfoilBoundaryEdge airfoil_boundary_edge(const AirfoilMesh& mesh, std::int64_t edge);

}  // namespace bellwether
