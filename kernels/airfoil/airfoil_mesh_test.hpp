// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "kernels/airfoil/airfoil.hpp"
#include "kernels/launch/backend_test.hpp"

namespace bellwether {

/// For tests: a grid of quads whose nodes are moved, with nodes, cells and edges numbered at
/// random, cells begun at any corner and edges turned either way round. Coordinates are exact in
/// float.
struct QuadMesh {
  std::vector<double> x;                  ///< 2 for each node
  std::vector<std::int32_t> cell_nodes;   ///< 4 for each cell
  std::vector<std::int32_t> edge_nodes;   ///< 2
  std::vector<std::int32_t> edge_cells;   ///< 2
  std::vector<std::int32_t> outer_nodes;  ///< 2
  std::vector<std::int32_t> outer_cells;  ///< 1
  std::vector<std::int32_t> outer_flags;  ///< 1 wall, 2 far field

  [[nodiscard]] std::int32_t nodes() const { return static_cast<std::int32_t>(x.size() / 2); }
  [[nodiscard]] std::int32_t cells() const {
    return static_cast<std::int32_t>(cell_nodes.size() / 4);
  }
  [[nodiscard]] std::int32_t edges() const {
    return static_cast<std::int32_t>(edge_cells.size() / 2);
  }
  [[nodiscard]] std::int32_t outer() const { return static_cast<std::int32_t>(outer_cells.size()); }

  /// What lies beyond the sides of the cells.
  [[nodiscard]] std::vector<std::uint32_t> surroundings() const {
    std::vector<std::uint32_t> codes;
    for (std::uint32_t n = 0; n < cell_nodes.size(); ++n)
      codes.push_back(AirfoilSide{n / 4, AirfoilSide::nothing}.code());
    const auto same_place = [&](std::int32_t a, std::int32_t b) {
      const auto m = 2 * static_cast<std::size_t>(a), n = 2 * static_cast<std::size_t>(b);
      return x[m] == x[n] && x[m + 1] == x[n + 1];
    };
    const auto add = [&](std::int32_t cell, std::int32_t to, std::int32_t from, std::int32_t beyond,
                         AirfoilSide::Kind kind) {
      const auto first = 4 * static_cast<std::size_t>(cell);
      std::size_t side = 0;
      while (!same_place(cell_nodes[first + side], from)) ++side;
      EXPECT_TRUE(same_place(cell_nodes[first + (side + 1) % 4], to));
      codes[first + side] = AirfoilSide{static_cast<std::uint32_t>(beyond), kind}.code();
    };
    for (std::size_t a = 0, b = 1; a < edge_cells.size(); a += 2, b += 2) {
      add(edge_cells[a], edge_nodes[a], edge_nodes[b], edge_cells[b], AirfoilSide::inner);
      add(edge_cells[b], edge_nodes[b], edge_nodes[a], edge_cells[a], AirfoilSide::inner);
    }
    for (std::size_t e = 0; e < outer_cells.size(); ++e)
      add(outer_cells[e], outer_nodes[2 * e], outer_nodes[2 * e + 1], outer_cells[e],
          outer_flags[e] == airfoil_wall ? AirfoilSide::wall : AirfoilSide::far_field);
    return codes;
  }

  /// Edges in another order: the n-th is the order[n]-th.
  void reorder_edges(const std::vector<std::int32_t>& order) {
    const QuadMesh old = *this;
    for (std::size_t n = 0; n < order.size(); ++n) {
      for (std::size_t k = 0; k < 2; ++k) {
        const std::size_t from = 2 * static_cast<std::size_t>(order[n]) + k;
        edge_nodes[2 * n + k] = old.edge_nodes[from];
        edge_cells[2 * n + k] = old.edge_cells[from];
      }
    }
  }
};

inline std::vector<std::int32_t> shuffled_numbers(int count, Random& random) {
  std::vector<std::int32_t> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (int n = count - 1; n > 0; --n)
    std::swap(numbers[static_cast<std::size_t>(n)],
              numbers[static_cast<std::size_t>(random.below(n + 1))]);
  return numbers;
}

/// columns x rows cells; a boundary edge in `walls` is a wall (of 4: bottom, right, top, left).
inline QuadMesh quad_mesh(int columns, int rows, std::array<bool, 4> walls, Random& random) {
  QuadMesh mesh;
  const auto node_number = shuffled_numbers((columns + 1) * (rows + 1), random);
  const auto cell_number = shuffled_numbers(columns * rows, random);
  const auto node = [&](int i, int j) {
    return node_number[static_cast<std::size_t>(i + (columns + 1) * j)];
  };
  const auto cell = [&](int i, int j) {
    return cell_number[static_cast<std::size_t>(i + columns * j)];
  };
  mesh.x.resize(2 * node_number.size());
  mesh.cell_nodes.resize(4 * cell_number.size());
  for (int j = 0; j <= rows; ++j) {
    for (int i = 0; i <= columns; ++i) {
      const std::size_t at = 2 * static_cast<std::size_t>(node(i, j));
      mesh.x[at] = i + random.below(64) / 256.0;
      mesh.x[at + 1] = j + random.below(64) / 256.0;
    }
  }
  // An edge from a to b, with the first cell on its right when one looks from b to a: (dy, -dx) of
  // a - b points out of it.
  const auto add_edge = [&](std::int32_t a, std::int32_t b, std::int32_t first,
                            std::int32_t second) {
    if (random.below(2) == 0) {
      std::swap(a, b);
      std::swap(first, second);
    }
    mesh.edge_nodes.insert(mesh.edge_nodes.end(), {a, b});
    mesh.edge_cells.insert(mesh.edge_cells.end(), {first, second});
  };
  const auto add_outer = [&](std::int32_t a, std::int32_t b, std::int32_t inside, int side) {
    mesh.outer_nodes.insert(mesh.outer_nodes.end(), {a, b});
    mesh.outer_cells.push_back(inside);
    mesh.outer_flags.push_back(walls[static_cast<std::size_t>(side)] ? 1 : 2);
  };
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const std::int32_t corner[4] = {node(i, j), node(i + 1, j), node(i + 1, j + 1),
                                      node(i, j + 1)};
      const int begin = random.below(4);
      for (int k = 0; k < 4; ++k)
        mesh.cell_nodes[4 * static_cast<std::size_t>(cell(i, j)) + static_cast<std::size_t>(k)] =
            corner[(begin + k) % 4];
      if (i + 1 < columns) add_edge(corner[2], corner[1], cell(i, j), cell(i + 1, j));
      if (j + 1 < rows) add_edge(corner[3], corner[2], cell(i, j), cell(i, j + 1));
      if (j == 0) add_outer(corner[1], corner[0], cell(i, j), 0);
      if (i + 1 == columns) add_outer(corner[2], corner[1], cell(i, j), 1);
      if (j + 1 == rows) add_outer(corner[3], corner[2], cell(i, j), 2);
      if (i == 0) add_outer(corner[0], corner[3], cell(i, j), 3);
    }
  }
  mesh.reorder_edges(shuffled_numbers(mesh.edges(), random));
  return mesh;
}

/// Without some of its edges: cells have any number of them from none to four.
inline QuadMesh with_holes(QuadMesh mesh, Random& random) {
  const auto keep = [&](std::vector<std::int32_t>& nodes, std::vector<std::int32_t>& cells,
                        std::vector<std::int32_t>* flags) {
    const std::size_t edges = nodes.size() / 2, targets = edges > 0 ? cells.size() / edges : 0;
    std::size_t kept = 0;
    for (std::size_t edge = 0; edge < edges; ++edge) {
      if (random.below(3) == 0) continue;
      for (std::size_t k = 0; k < 2; ++k) nodes[2 * kept + k] = nodes[2 * edge + k];
      for (std::size_t k = 0; k < targets; ++k)
        cells[targets * kept + k] = cells[targets * edge + k];
      if (flags != nullptr) (*flags)[kept] = (*flags)[edge];
      ++kept;
    }
    nodes.resize(2 * kept);
    cells.resize(targets * kept);
    if (flags != nullptr) flags->resize(kept);
  };
  keep(mesh.edge_nodes, mesh.edge_cells, nullptr);
  keep(mesh.outer_nodes, mesh.outer_cells, &mesh.outer_flags);
  return mesh;
}
}  // namespace bellwether
