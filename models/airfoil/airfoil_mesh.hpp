// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace bellwether {

/// A C-mesh round an airfoil, of three blocks of `columns` x `rows` cells: 3 I columns of J cells.
/// Column i, row j; row 0 lies along the airfoil (columns I to 2I - 1) and along both sides of the
/// wake, where cell (i, 0) and cell (3I - 1 - i, 0) share an edge. All other edges are those of a
/// 3I x J grid. I, J >= 1.
struct AirfoilMesh {
  std::int64_t block_columns = 1;  ///< I
  std::int64_t rows = 1;           ///< J

  [[nodiscard]] std::int64_t columns() const { return 3 * block_columns; }
  [[nodiscard]] std::int64_t cells() const { return columns() * rows; }
  /// Those of the wake twice, once for each side.
  [[nodiscard]] std::int64_t nodes() const { return (columns() + 1) * (rows + 1); }
  /// Edges between two cells: between columns, between rows, and of the wake.
  [[nodiscard]] std::int64_t edges() const {
    return (columns() - 1) * rows + columns() * (rows - 1) + block_columns;
  }
  /// The airfoil, the far side and both ends of the wake.
  [[nodiscard]] std::int64_t boundary_edges() const { return block_columns + columns() + 2 * rows; }
  /// The cell on the other side of the wake, or -1 at the airfoil.
  [[nodiscard]] std::int64_t across_wake(std::int64_t column) const {
    const bool airfoil = column >= block_columns && column < 2 * block_columns;
    return airfoil ? -1 : columns() - 1 - column;
  }
};

/// The mesh twice as long as high (3 I = 2 J, as 400 x 600 that have 720000 cells and 1438600
/// edges) whose number of edges comes nearest. Of one edge or fewer the smallest, 1 x 1.
AirfoilMesh mesh_with_edges(std::int64_t edges);

}  // namespace bellwether
