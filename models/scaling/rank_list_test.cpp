// SPDX-License-Identifier: MIT
#include "models/scaling/rank_list.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"

namespace bellwether {
namespace {

using Counts = std::vector<int>;

TEST(RankList, ReadsSingleCounts) {
  EXPECT_EQ(parse_rank_sweep("12").counts, (Counts{12}));
  EXPECT_EQ(parse_rank_sweep("12,1,2,4,2").counts, (Counts{1, 2, 4, 12}));
}

TEST(RankList, FillsARangeWithPowersOfTwo) {
  EXPECT_EQ(parse_rank_sweep("1:8").counts, (Counts{1, 2, 4, 8}));
  EXPECT_EQ(parse_rank_sweep("3:20").counts, (Counts{3, 4, 8, 16, 20}));
  EXPECT_EQ(parse_rank_sweep("5:5").counts, (Counts{5}));
  const Counts counts = parse_rank_sweep("1:65536").counts;
  EXPECT_EQ(counts.size(), 17u);
  EXPECT_EQ(counts.back(), 65536);
  EXPECT_EQ(parse_rank_sweep("20000000:20000000").counts, (Counts{20000000}));
}

TEST(RankList, StepsThroughARange) {
  EXPECT_EQ(parse_rank_sweep("1:4:1").counts, (Counts{1, 2, 3, 4}));
  EXPECT_EQ(parse_rank_sweep("1:10:4").counts, (Counts{1, 5, 9}));
  EXPECT_EQ(parse_rank_sweep("1:4,96:192:48").counts, (Counts{1, 2, 4, 96, 144, 192}));
}

TEST(RankList, NamesSingleCountsAndEndsOfRanges) {
  const RankSweep sweep = parse_rank_sweep("7,1:8,10:20:4,30:40:5");
  EXPECT_EQ(sweep.counts, (Counts{1, 2, 4, 7, 8, 10, 14, 18, 30, 35, 40}));
  EXPECT_EQ(sweep.named, (Counts{1, 7, 8, 10, 30, 40}));
}

TEST(RankList, HoldsAtMostSoManyCounts) {
  const RankSweep sweep = parse_rank_sweep("1:16384:1");
  EXPECT_EQ(sweep.counts.size(), 16'384u);
  EXPECT_EQ(sweep.named, (Counts{1, 16'384}));
  EXPECT_THROW(parse_rank_sweep("1:16385:1"), BadInput);
  EXPECT_THROW(parse_rank_sweep("1:9000:1,1:9000:1"), BadInput);
}

TEST(RankList, NodesHaveTheirRanks) {
  const RankSweep sweep = parse_node_sweep("1:4,7", 6);
  EXPECT_EQ(sweep.counts, (std::vector<int>{6, 12, 24, 42}));
  EXPECT_EQ(sweep.named, (std::vector<int>{6, 24, 42}));
  EXPECT_THROW(parse_node_sweep("1000000", 192), BadInput);
}

TEST(RankList, RefusesNonsense) {
  for (const char* text : {"", ",", "1,", "0", "-4", "1:0", "8:4", "a", "1:b", "1:8:0", "1:8:-1",
                           "1:2:3:4", "1.5", "1 ", ":", "99999999999", "1:2147483647:1"})
    EXPECT_THROW(parse_rank_sweep(text), BadInput) << text;
}

}  // namespace
}  // namespace bellwether
