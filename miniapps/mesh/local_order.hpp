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

/// The place of each vertex in the reverse Cuthill-McKee order (E. Cuthill, J. McKee 1969; A.
/// George 1971): breadth first from a vertex at the graph's rim, of equals the one with fewer
/// neighbours first, reversed. Neighbours are then numbered close together.
std::vector<int> reverse_cuthill_mckee(const LocalGraph& graph);

/// For each set, by which key a rank sorts its core, and its eeh, core's elements first and both as
/// MeshParts has them. `set`, which the others follow, gets its reverse Cuthill-McKee order,
/// neighbours through the first map with two targets in it: any graph has one, with neighbouring
/// wavefronts in a core's cache (kernels/airfoil/README.md has what others gave). A set that refers
/// to one that is ordered follows the numbers of its targets; one that is referred to follows its
/// first use; what no map connects stays as the mesh numbers it.
std::vector<std::vector<std::uint64_t>> order_keys(const BlockMesh& mesh, const MeshParts& parts,
                                                   int set);

/// The positions of the keys in ascending order; the first `core` apart from the rest.
std::vector<int> sorted_by_class(const std::vector<std::uint64_t>& keys, std::size_t core);

}  // namespace bellwether
