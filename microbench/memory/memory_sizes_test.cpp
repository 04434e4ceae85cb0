// SPDX-License-Identifier: MIT
#include "microbench/memory/memory.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

MemorySizes example() {
  MemorySizes sizes;
  sizes.edges = {{16}, {16}};
  sizes.last_level_cache_bytes = 32 * mebibyte;
  sizes.ranks_per_node = sizes.ranks_per_device = 4;
  sizes.array_bytes = 32 * mebibyte;
  sizes.alone_array_bytes = 128 * mebibyte;
  return sizes;
}

TEST(MemorySizes, ArenaHoldsTheArraysAndTheCubes) {
  MemorySizes sizes = example();
  EXPECT_EQ(sizes.arena_bytes(), 96 * mebibyte);
  sizes.edges.copied = {16, 256};
  EXPECT_EQ(sizes.arena_bytes(), 2 * field_bytes(256, 8));
  EXPECT_GE(field_bytes(256, 8), 256 * mebibyte / 2);
}

TEST(MemorySizes, CubesKeepWithinLimitsAndRoom) {
  constexpr std::size_t room = std::size_t{8} << 30;
  const MemorySizes full = cubes_within(full_limits(), room);
  EXPECT_EQ(full.edges.copied.back(), 512);
  EXPECT_EQ(full.edges.in_place.back(), 640);
  CalibrationLimits limits = full_limits();
  limits.largest_edge = 32;
  const MemorySizes small = cubes_within(limits, room);
  EXPECT_EQ(small.edges.copied, (std::vector{16, 32}));
  EXPECT_EQ(small.edges.in_place, (std::vector{16, 32}));
  // In place no more than the copies' cubes hold.
  const MemorySizes narrow = cubes_within(full_limits(), 2 * field_bytes(64, 8));
  EXPECT_EQ(narrow.edges.copied.back(), 64);
  EXPECT_EQ(narrow.edges.in_place.back(), 64);
}

/// Bytes of values on a cube with a layer of ghosts around it, as a mini-app's fields have.
constexpr double bytes_of(int values, int edge, int value_bytes) {
  const double side = edge + 4.;
  return values * side * side * side * value_bytes;
}

// README and run/demo name diffusion on 384^3 and lbm on 200^3 cells, f32, on one rank and more.
TEST(MemorySizes, QuickCurvesReachWhatReadmeAndDemoRun) {
  const MemorySizes sizes = cubes_within(quick_limits(), std::size_t{4} << 30);
  EXPECT_GE(bytes_of(2, sizes.edges.copied.back() - 4, 8), bytes_of(2, 384, 4));
  EXPECT_GE(bytes_of(1, sizes.edges.in_place.back() - 4, 8), bytes_of(19, 200, 4));
  EXPECT_EQ(sizes.arena_bytes(), 2 * field_bytes(400, 8)) << "no more memory than the copies take";
}

TEST(MemorySizes, OneRankAloneHasItsOwnArrays) {
  EXPECT_EQ(example().stream_array_bytes(1), 128 * mebibyte);
  EXPECT_EQ(example().stream_array_bytes(4), 32 * mebibyte);
  EXPECT_EQ(example().stream_array_bytes(2), 32 * mebibyte);  // the arena of a rank with others
}

TEST(MemorySizes, ArraysOfAllRanksWhereEachNodeHasOne) {
  MemorySizes sizes = example();
  sizes.ranks_per_node = 1;
  EXPECT_EQ(sizes.stream_array_bytes(1), 32 * mebibyte);
  // Four nodes in a box share the caches: 4 x 32 MiB is four times the last-level cache.
  sizes.ranks_per_device = 4;
  EXPECT_TRUE(array_warnings(sizes).empty());
  sizes.ranks_per_device = 2;
  ASSERT_EQ(array_warnings(sizes).size(), 1u);
  EXPECT_NE(array_warnings(sizes)[0].find("2 ranks at once: the arrays are of 64 MiB together"),
            std::string::npos);
}

TEST(ArrayWarnings, NameBothFiguresOfEachArrayThatIsTooSmall) {
  MemorySizes sizes = example();
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
  sizes.last_level_cache_bytes = 0;
  EXPECT_TRUE(array_warnings(sizes).empty());
}

}  // namespace
}  // namespace bellwether
