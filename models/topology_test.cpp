// SPDX-License-Identifier: MIT
#include "models/topology.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace bellwether {
namespace {

/// The longest of the shortest ways round a ring of n nodes, by looking at each.
int farthest_on_ring(int n) {
  int farthest = 0;
  for (int to = 0; to < n; ++to) farthest = std::max(farthest, std::min(to, n - to));
  return farthest;
}

TEST(Topology, TorusDiameterOfTheBlueGeneQPartition) {
  EXPECT_EQ(torus_diameter({4, 4, 4, 4, 2}), 9);  // 512 nodes, Gahvari et al.
  EXPECT_EQ(torus_diameter({}), 0);
}

RC_GTEST_PROP(Topology, TorusDiameterIsTheSumOverItsRings, ()) {
  const auto dimensions =
      *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 20)).as("dimensions");
  int expected = 0;
  for (const int nodes : dimensions) expected += farthest_on_ring(nodes);
  RC_ASSERT(torus_diameter(dimensions) == expected);
}

}  // namespace
}  // namespace bellwether
