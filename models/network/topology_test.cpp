// SPDX-License-Identifier: MIT
#include "models/network/topology.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "models/errors.hpp"

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

TEST(Topology, PartitionsAreAsCubicAsTheirFactorsAllow) {
  EXPECT_EQ(torus_of(512, 5), (std::vector<int>{4, 4, 4, 4, 2}));
  EXPECT_EQ(torus_of(64, 5), (std::vector<int>{4, 2, 2, 2, 2}));
  EXPECT_EQ(torus_of(30, 3), (std::vector<int>{5, 3, 2}));
  EXPECT_EQ(torus_of(1, 2), (std::vector<int>{1, 1}));
  EXPECT_EQ(torus_of(7, 1), (std::vector<int>{8})) << "7 is no partition's size, 8 is";
}

TEST(Topology, PartitionDiameter) {
  Topology torus{.kind = "torus",
                 .dimensions = {8, 2},
                 .links_per_node = {},
                 .hop_latency_s = {},
                 .node_bandwidth_bytes_per_s = {}};
  EXPECT_EQ(partition_diameter(torus, 16), 4 + 1) << "as measured";
  EXPECT_EQ(partition_diameter(torus, 64), 4 + 4) << "8 x 8";
  EXPECT_EQ(partition_diameter(torus, 1), 1) << "never less than one hop";
  torus.kind = "ring";
  EXPECT_EQ(partition_diameter(torus, 9), 4);
  torus.kind = "tree";
  EXPECT_EQ(partition_diameter(torus, 4096), 1);
}

RC_GTEST_PROP(Topology, PartitionsHoldTheirNodes, ()) {
  const int nodes = *rc::gen::inRange(1, 5000).as("nodes");
  const int dimensions = *rc::gen::inRange(1, 7).as("dimensions");
  const std::vector<int> shape = torus_of(nodes, dimensions);
  RC_ASSERT(shape.size() == static_cast<std::size_t>(dimensions));
  long long held = 1;
  for (const int side : shape) held *= side;
  RC_ASSERT(held >= nodes && held < 2 * nodes);
  RC_ASSERT(std::is_sorted(shape.rbegin(), shape.rend()));
}

TEST(Topology, FactorsOnTheNetworkTime) {
  EXPECT_EQ(topology_factor("star", 2), 2);
  EXPECT_EQ(topology_factor("star", 100), 2);
  EXPECT_EQ(topology_factor("bus", 7), 7);
  EXPECT_EQ(topology_factor("mesh", 100), 1);
  EXPECT_EQ(topology_factor("ring", 2), 1);
  EXPECT_EQ(topology_factor("ring", 3), 1);
  EXPECT_EQ(topology_factor("ring", 8), 4);
  EXPECT_EQ(topology_factor("tree", 1), 0);
  EXPECT_EQ(topology_factor("tree", 2), 2);
  EXPECT_EQ(topology_factor("tree", 8), 6);
  EXPECT_EQ(topology_factor("tree", 9), 8);
  EXPECT_THROW(topology_factor("torus", 8), BadInput);
}

}  // namespace
}  // namespace bellwether
