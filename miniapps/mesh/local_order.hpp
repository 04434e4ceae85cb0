// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/mesh_parts.hpp"

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

/// The place of each vertex in the reverse Cuthill-McKee order (1969; A. George 1971), from a
/// vertex at the graph's rim: neighbours are numbered close together.
std::vector<int> reverse_cuthill_mckee(const LocalGraph& graph);

/// For each set the key by which a rank sorts its core and eeh: `set` in reverse Cuthill-McKee
/// order, others by the numbers of their targets or their first use, else as in the mesh.
std::vector<std::vector<std::uint64_t>> order_keys(const BlockMesh& mesh, const MeshParts& parts,
                                                   int set);

/// The positions of the keys in ascending order; the first `core` apart from the rest.
std::vector<int> sorted_by_class(const std::vector<std::uint64_t>& keys, std::size_t core);

}  // namespace bellwether
