// SPDX-License-Identifier: MIT
#include "miniapps/mesh/local_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "kernels/launch/backend_test.hpp"

namespace bellwether {
namespace {

/// A grid's graph with its vertices shuffled.
LocalGraph shuffled_grid(int columns, int rows, Random& random) {
  std::vector<int> name(columns * rows);
  std::iota(name.begin(), name.end(), 0);
  for (int n = columns * rows - 1; n > 0; --n) std::swap(name[n], name[random.below(n + 1)]);
  std::vector<std::pair<int, int>> pairs;
  for (int j = 0; j < rows; ++j) {
    for (int i = 0; i < columns; ++i) {
      const int at = i + columns * j;
      if (i + 1 < columns) pairs.emplace_back(name[at], name[at + 1]);
      if (j + 1 < rows) pairs.emplace_back(name[at], name[at + columns]);
    }
  }
  return graph_of_pairs(columns * rows, pairs);
}

int bandwidth(const LocalGraph& graph, const std::vector<int>& place) {
  int most = 0;
  for (int vertex = 0; vertex < graph.vertices(); ++vertex)
    for (std::int64_t at = graph.offsets[vertex]; at < graph.offsets[vertex + 1]; ++at)
      most = std::max(most, std::abs(place[vertex] - place[graph.neighbours[at]]));
  return most;
}

TEST(CuthillMckee, KeepsNeighboursTogether) {
  Random random(1969);
  for (const auto& [columns, rows] : {std::pair{1, 1}, {7, 1}, {9, 5}, {40, 12}}) {
    const LocalGraph graph = shuffled_grid(columns, rows, random);
    const std::vector<int> place = reverse_cuthill_mckee(graph);
    EXPECT_EQ(std::set<int>(place.begin(), place.end()).size(), place.size());
    // The numbering along the short side has that side as its bandwidth; the method comes near.
    EXPECT_LE(bandwidth(graph, place), std::min(columns, rows) + 2) << columns << " x " << rows;
  }
}

TEST(CuthillMckee, TakesGraphsOfSeveralPieces) {
  const LocalGraph graph = graph_of_pairs(6, {{0, 3}, {5, 1}});
  const std::vector<int> place = reverse_cuthill_mckee(graph);
  std::vector<int> sorted = place;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(bandwidth(graph, place), 1);
}

TEST(SortedByClass, KeepsCoreFirstAndEqualKeysInTheirOrder) {
  EXPECT_EQ(sorted_by_class({5, 1, 1, 9, 0, 0, 7}, 3), (std::vector<int>{1, 2, 0, 4, 5, 6, 3}));
  EXPECT_EQ(sorted_by_class({}, 0), std::vector<int>{});
}

}  // namespace
}  // namespace bellwether
