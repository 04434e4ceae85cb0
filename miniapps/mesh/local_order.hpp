// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
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

/// Where an element stands in a list, by its global index: a table where the list's indices are
/// close together, as they are on few ranks, a hash elsewhere.
class NumberOf {
 public:
  explicit NumberOf(const std::vector<std::int64_t>& elements) {
    if (elements.empty()) return;
    const auto [low, high] = std::minmax_element(elements.begin(), elements.end());
    low_ = *low;
    const bool dense = *high - low_ < 4 * static_cast<std::int64_t>(elements.size());
    if (dense)
      table_.assign(*high - low_ + 1, absent);
    else
      hash_.reserve(elements.size());
    for (std::size_t at = 0; at < elements.size(); ++at) {
      if (dense)
        table_[elements[at] - low_] = static_cast<int>(at);
      else
        hash_.emplace(elements[at], static_cast<int>(at));
    }
  }

  static constexpr int absent = -1;
  [[nodiscard]] int operator()(std::int64_t element) const {
    if (table_.empty()) {
      const auto found = hash_.find(element);
      return found == hash_.end() ? absent : found->second;
    }
    const std::int64_t at = element - low_;
    return at < 0 || at >= static_cast<std::int64_t>(table_.size()) ? absent : table_[at];
  }

 private:
  std::int64_t low_ = 0;
  std::vector<int> table_;
  std::unordered_map<std::int64_t, int> hash_;
};

}  // namespace bellwether
