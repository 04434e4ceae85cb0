// SPDX-License-Identifier: MIT
#include "miniapps/mesh/block_mesh.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

TEST(Blocks, CoverTheSetEvenly) {
  for (const std::int64_t total : {0LL, 1LL, 2LL, 7LL, 64LL, 1000LL, 5'000'000'000LL}) {
    for (const int ranks : {1, 2, 3, 7, 64, 1001}) {
      const Blocks blocks(total, ranks);
      EXPECT_EQ(blocks.first(0), 0);
      EXPECT_EQ(blocks.end(ranks - 1), total);
      for (int rank = 0; rank < ranks; ++rank) {
        EXPECT_GE(blocks.size(rank), total / ranks);
        EXPECT_LE(blocks.size(rank), total / ranks + 1);
        if (blocks.size(rank) == 0) continue;
        EXPECT_EQ(blocks.rank_of(blocks.first(rank)), rank);
        EXPECT_EQ(blocks.rank_of(blocks.end(rank) - 1), rank);
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
