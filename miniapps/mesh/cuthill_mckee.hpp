// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace bellwether {

/// Neighbours of vertices 0 to n - 1: those of v stand from offsets[v] to offsets[v + 1].
struct LocalGraph {
  std::vector<std::int64_t> offsets{0};
  std::vector<int> neighbours;

  [[nodiscard]] int vertices() const { return static_cast<int>(offsets.size()) - 1; }
  [[nodiscard]] std::int64_t degree(int vertex) const {
    return offsets[vertex + 1] - offsets[vertex];
  }
};

/// The graph in which both vertices of each pair are neighbours.
LocalGraph graph_of_pairs(int vertices, const std::vector<std::pair<int, int>>& pairs);

/// The place of each vertex in the reverse Cuthill-McKee order (E. Cuthill, J. McKee 1969; A.
/// George 1971): breadth first from a vertex at the graph's rim, of equals the one with fewer
/// neighbours first, reversed. Neighbours are then numbered close together.
std::vector<int> reverse_cuthill_mckee(const LocalGraph& graph);

}  // namespace bellwether
