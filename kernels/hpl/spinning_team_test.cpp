// SPDX-License-Identifier: MIT
#include "kernels/hpl/spinning_team.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace bellwether {
namespace {

TEST(SpinningTeam, EachThreadOfAShiftDoesItsPartOfEveryTask) {
  for (const int threads : {1, 2, 3, 5}) {
    SpinningTeam team(threads);
    EXPECT_EQ(team.threads(), threads);
    // Shifts of all sizes, one after another, so that threads stay out of some.
    for (int round = 0; round < 10; ++round) {
      const int on_shift = 1 + (round * 3) % threads;
      const SpinningTeam::Shift shift(team, on_shift);
      ASSERT_EQ(team.on_shift(), on_shift);
      std::vector<int> numbers(static_cast<std::size_t>(threads), 0);
      for (int task = 1; task <= 5; ++task) {
        // Each task reads what other threads wrote in the one before.
        const int before = std::accumulate(numbers.begin(), numbers.end(), 0);
        team.each([&](int thread) { numbers[static_cast<std::size_t>(thread)] += task; });
        ASSERT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0), before + task * on_shift);
      }
    }
    EXPECT_EQ(team.on_shift(), 1);
  }
}

TEST(SpinningTeam, OutsideOfAShiftTheCallerWorksAlone) {
  SpinningTeam team(3);
  std::vector<int> who;
  team.each([&](int thread) { who.push_back(thread); });
  EXPECT_EQ(who, std::vector<int>{0});
}

TEST(SpinningTeam, AShiftHasOneThreadAtLeastAndAllAtMost) {
  SpinningTeam team(2);
  {
    const SpinningTeam::Shift shift(team, 0);
    EXPECT_EQ(team.on_shift(), 1);
  }
  const SpinningTeam::Shift shift(team, 9);
  EXPECT_EQ(team.on_shift(), 2);
}

}  // namespace
}  // namespace bellwether
