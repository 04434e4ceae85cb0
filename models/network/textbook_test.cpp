// SPDX-License-Identifier: MIT
#include "models/network/textbook.hpp"

#include <gtest/gtest.h>

#include "models/network/test_links.hpp"

namespace bellwether {
namespace {

/// Exchanges of 2 us + 1 ns/B and messages of 1 us + 1 ns/B on a node; 10 times that between nodes,
/// where more pairs share the bandwidth.
Machine two_links() {
  Machine machine;
  for (const auto& [name, times] : {std::pair{"shared_memory", 1.}, std::pair{"network", 10.}}) {
    machine.links[name].one_way = line(times * 1e-6, 1e9 / times);
    machine.links[name].exchange = line(times * 2e-6, 1e9 / times);
  }
  machine.links["shared_memory"].concurrent = {{2, line(2e-6, 1e9)}, {4, line(2e-6, 1e9)}};
  machine.links["network"].concurrent = {{2, line(2e-5, 5e7)}};
  return machine;
}

double microseconds(const std::string& collective, int ranks, int ranks_per_node, double bytes) {
  const Machine machine = two_links();
  return 1e6 * textbook_time(collective, Paths(machine, {ranks_per_node}), ranks, bytes);
}

TEST(Textbook, SmallBlocksTakeTheFewestSteps) {
  // Two exchanges of two blocks, of one and of two, and two messages: of 100 bytes a block.
  EXPECT_NEAR(microseconds("alltoall", 4, 4, 100), 2 * 2.2, 1e-9);
  EXPECT_NEAR(microseconds("allgather", 4, 4, 100), 2.1 + 2.2, 1e-9);
  EXPECT_NEAR(microseconds("bcast", 4, 4, 100), 2 * 1.1, 1e-9);
  EXPECT_NEAR(microseconds("reduce_scatter", 4, 4, 100), 2.1 + 2.2, 1e-9);
}

TEST(Textbook, LargeBlocksTakeTheFewestBytes) {
  // Of 1 MB: three exchanges of one block; (n - n / p) / B for all but bcast, twice that for it.
  EXPECT_NEAR(microseconds("alltoall", 4, 4, 1e6), 3 * (2 + 1e3), 1e-9);
  EXPECT_NEAR(microseconds("allgather", 4, 4, 1e6), 2 * 2 + 3e3, 1e-9);
  EXPECT_NEAR(microseconds("reduce_scatter", 4, 4, 1e6), 2 * 2 + 3e3, 1e-9);
  EXPECT_NEAR(microseconds("bcast", 4, 4, 1e6), 2 * 1 + 750 + 2 * 2 + 750, 1e-9);
}

TEST(Textbook, OfThreeRanksTheLastStepHasFewerBlocks) {
  EXPECT_NEAR(microseconds("allgather", 3, 4, 1e3), 2 * (2 + 1), 1e-9);
  // Blocks 1 and 3 of ways 1 to 2: one each time.
  EXPECT_NEAR(microseconds("alltoall", 3, 4, 1e3), 2 * (2 + 1), 1e-9);
}

TEST(Textbook, StepsBetweenNodesTakeTheNetwork) {
  // Distance 1 is on the node, 2 crosses with both ranks of each node: 20 us + 20 ns/B.
  EXPECT_NEAR(microseconds("reduce_scatter", 4, 2, 1e3), (2 + 1) + (20 + 40), 1e-9);
  // Distance 3 crosses too.
  EXPECT_NEAR(microseconds("alltoall", 4, 2, 1e6), (2 + 1e3) + 2 * (20 + 2e4), 1e-9);
  // Three steps of a ring, in which one message leaves each node.
  EXPECT_NEAR(microseconds("allgather", 4, 2, 1e6), 3 * (20 + 1e4), 1e-9);
}

}  // namespace
}  // namespace bellwether
