// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace bellwether {

/// Disjoint pairs of ranks over one path.
struct RankPairs {
  std::string link;  ///< "shared_memory" or "network"
  std::vector<std::pair<int, int>> pairs;

  /// This rank's partner among the first `count` pairs and whether it is the first of its pair;
  /// partner -1: none.
  struct Place {
    int partner = -1;
    bool first = false;
  };
  [[nodiscard]] Place place_of(int rank, int count) const;
};

/// Neighbouring ranks of the node with the most ranks (the first such); no pairs if no node has
/// two.
RankPairs shared_memory_pairs(const std::vector<int>& node_of_rank);
/// The i-th rank of one node with the i-th of another, `other` in 1 to nodes - 1 and node 0.
RankPairs network_pairs(const std::vector<int>& node_of_rank, int other = 1);

int node_count(const std::vector<int>& node_of_rank);
/// Who plays whom in a round of a tournament in which each of `members` meets each other once: in
/// round 0 to tournament_rounds(members) - 1, everyone at once but for one where they are odd.
std::vector<std::pair<int, int>> tournament_round(int members, int round);
/// members - 1, or as many as members where they are odd.
int tournament_rounds(int members);

/// 1, 2, 4, ... below `most`, and `most`.
std::vector<int> doubling_up_to(int most);

}  // namespace bellwether
