// SPDX-License-Identifier: MIT
#include "microbench/links/rank_pairs.hpp"

#include <algorithm>

namespace bellwether {
namespace {

std::vector<std::vector<int>> ranks_of_nodes(const std::vector<int>& node_of_rank) {
  std::vector<std::vector<int>> ranks(static_cast<std::size_t>(node_count(node_of_rank)));
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank)
    ranks[static_cast<std::size_t>(node_of_rank[rank])].push_back(static_cast<int>(rank));
  return ranks;
}

}  // namespace

RankPairs::Place RankPairs::place_of(int rank, int count) const {
  for (int pair = 0; pair < count; ++pair) {
    const auto [first, second] = pairs[static_cast<std::size_t>(pair)];
    if (rank == first) return {second, true};
    if (rank == second) return {first, false};
  }
  return {};
}

RankPairs shared_memory_pairs(const std::vector<int>& node_of_rank) {
  RankPairs found{"shared_memory", {}};
  const auto nodes = ranks_of_nodes(node_of_rank);
  const auto fullest = std::max_element(
      nodes.begin(), nodes.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
  for (std::size_t at = 0; at + 1 < fullest->size(); at += 2)
    found.pairs.emplace_back((*fullest)[at], (*fullest)[at + 1]);
  return found;
}

RankPairs network_pairs(const std::vector<int>& node_of_rank, int other) {
  RankPairs found{"network", {}};
  const auto nodes = ranks_of_nodes(node_of_rank);
  if (nodes.size() < 2) return found;
  const auto& here = nodes.front();
  const auto& there = nodes.at(static_cast<std::size_t>(other));
  for (std::size_t at = 0; at < std::min(here.size(), there.size()); ++at)
    found.pairs.emplace_back(here[at], there[at]);
  return found;
}

int node_count(const std::vector<int>& node_of_rank) {
  return 1 + *std::max_element(node_of_rank.begin(), node_of_rank.end());
}

int tournament_rounds(int members) { return members % 2 == 0 ? members - 1 : members; }

std::vector<std::pair<int, int>> tournament_round(int members, int round) {
  // The circle method: one stays, the others go round; where they are odd, who meets that one
  // rests.
  const int circle = tournament_rounds(members);
  std::vector<std::pair<int, int>> pairs;
  if (members % 2 == 0 && members > 0) pairs.emplace_back(round, circle);
  for (int step = 1; 2 * step < circle + 1; ++step) {
    const int one = (round + step) % circle, other = (round - step + circle) % circle;
    if (one != other) pairs.emplace_back(std::min(one, other), std::max(one, other));
  }
  return pairs;
}

std::vector<int> doubling_up_to(int most) {
  std::vector<int> counts;
  for (int count = 1; count < most; count *= 2) counts.push_back(count);
  if (most > 0) counts.push_back(most);
  return counts;
}

}  // namespace bellwether
