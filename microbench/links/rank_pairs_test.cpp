// SPDX-License-Identifier: MIT
#include "microbench/links/rank_pairs.hpp"

#include <gtest/gtest.h>

#include <set>

namespace bellwether {
namespace {

using Pairs = std::vector<std::pair<int, int>>;

TEST(RankPairs, StayOnTheFullestNode) {
  EXPECT_EQ(shared_memory_pairs({0, 0, 0, 0}).pairs, (Pairs{{0, 1}, {2, 3}}));
  EXPECT_EQ(shared_memory_pairs({0, 1, 0, 1, 1}).pairs, (Pairs{{1, 3}}));
  EXPECT_TRUE(shared_memory_pairs({0}).pairs.empty());
  EXPECT_TRUE(shared_memory_pairs({0, 1, 2}).pairs.empty());
}

TEST(RankPairs, CrossTheNetwork) {
  EXPECT_EQ(network_pairs({0, 0, 1, 1}).pairs, (Pairs{{0, 2}, {1, 3}}));
  EXPECT_EQ(network_pairs({0, 0, 1, 2, 2}, 2).pairs, (Pairs{{0, 3}, {1, 4}}));
  EXPECT_TRUE(network_pairs({0, 0}).pairs.empty());
}

TEST(RankPairs, KnowEachRanksPlace) {
  const RankPairs pairs{"network", {{0, 2}, {1, 3}}};
  EXPECT_EQ(pairs.place_of(2, 1).partner, 0);
  EXPECT_FALSE(pairs.place_of(2, 1).first);
  EXPECT_EQ(pairs.place_of(1, 1).partner, -1);
  EXPECT_EQ(pairs.place_of(1, 2).partner, 3);
  EXPECT_TRUE(pairs.place_of(1, 2).first);
}

TEST(RankPairs, MeetEachOtherOnceInATournament) {
  for (const int members : {2, 3, 4, 7, 16}) {
    std::set<std::pair<int, int>> met;
    for (int round = 0; round < tournament_rounds(members); ++round) {
      std::set<int> busy;
      for (const auto& [one, other] : tournament_round(members, round)) {
        EXPECT_LT(one, other);
        EXPECT_LT(other, members);
        EXPECT_TRUE(busy.insert(one).second && busy.insert(other).second);
        EXPECT_TRUE(met.insert({one, other}).second);
      }
      EXPECT_EQ(busy.size(), static_cast<std::size_t>(members / 2 * 2));
    }
    EXPECT_EQ(met.size(), static_cast<std::size_t>(members * (members - 1) / 2));
  }
}

TEST(RankPairs, DoubleUpToAll) {
  EXPECT_EQ(doubling_up_to(6), (std::vector<int>{1, 2, 4, 6}));
  EXPECT_EQ(doubling_up_to(1), std::vector<int>{1});
  EXPECT_TRUE(doubling_up_to(0).empty());
}

}  // namespace
}  // namespace bellwether
