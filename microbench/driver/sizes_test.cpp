// SPDX-License-Identifier: MIT
#include "microbench/driver/sizes.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

Sizes example() {
  Sizes sizes;
  sizes.edges_f32 = {16};
  sizes.edges_f64 = {16};
  sizes.messages = {8, 64 * mebibyte};
  sizes.gemm_size = 32;
  sizes.last_level_cache_bytes = 32 * mebibyte;
  sizes.ranks_per_node = 4;
  sizes.array_bytes = 32 * mebibyte;
  sizes.alone_array_bytes = 128 * mebibyte;
  return sizes;
}

TEST(Sizes, ArenaHoldsTheArraysAndTheLargestMessage) {
  Sizes sizes = example();
  EXPECT_EQ(sizes.arena_bytes(), 96 * mebibyte);
  EXPECT_EQ(sizes.arena_bytes_of_rank_0(), 384 * mebibyte);
  sizes.array_bytes = sizes.alone_array_bytes = mebibyte;
  EXPECT_EQ(sizes.arena_bytes(), 64 * mebibyte);
  EXPECT_EQ(sizes.arena_bytes_of_rank_0(), 64 * mebibyte);
}

TEST(Sizes, OneRankAloneHasItsOwnArrays) {
  EXPECT_EQ(example().stream_array_bytes(1), 128 * mebibyte);
  EXPECT_EQ(example().stream_array_bytes(4), 32 * mebibyte);
}

TEST(Sizes, ArraysOfAllRanksWhereEachNodeHasOne) {
  Sizes sizes = example();
  sizes.ranks_per_node = 1;
  EXPECT_EQ(sizes.stream_array_bytes(1), 32 * mebibyte);
  // Four nodes in a box share the caches: 4 x 32 MiB is four times the last-level cache.
  sizes.nodes_per_kernel = 4;
  EXPECT_TRUE(array_warnings(sizes).empty());
  sizes.nodes_per_kernel = 2;
  ASSERT_EQ(array_warnings(sizes).size(), 1u);
  EXPECT_NE(array_warnings(sizes)[0].find("2 ranks at once: the arrays are of 64 MiB together"),
            std::string::npos);
}

TEST(ArrayWarnings, NameBothFiguresOfEachArrayThatIsTooSmall) {
  Sizes sizes = example();
  EXPECT_TRUE(array_warnings(sizes).empty());
  sizes.alone_array_bytes = 100 * mebibyte;
  ASSERT_EQ(array_warnings(sizes).size(), 1u);
  EXPECT_NE(array_warnings(sizes)[0].find("1 rank alone: the arrays are of 100 MiB"),
            std::string::npos);
  EXPECT_NE(array_warnings(sizes)[0].find("(128 MiB)"), std::string::npos);
  sizes.array_bytes = 20 * mebibyte;
  ASSERT_EQ(array_warnings(sizes).size(), 2u);
  EXPECT_NE(array_warnings(sizes)[1].find("4 ranks at once: the arrays are of 80 MiB"),
            std::string::npos);
  sizes.on_host = false;
  EXPECT_TRUE(array_warnings(sizes).empty());
  sizes.on_host = true;
  sizes.last_level_cache_bytes = 0;
  EXPECT_TRUE(array_warnings(sizes).empty());
}

}  // namespace
}  // namespace bellwether
