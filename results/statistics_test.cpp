// SPDX-License-Identifier: MIT
#include "results/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>

namespace bellwether {
namespace {

/// The samples 1, 2, …, n in random order, so that the k-th order statistic is k.
std::vector<double> shuffled_ranks(int n) {
  std::vector<double> samples(static_cast<std::size_t>(n));
  std::iota(samples.begin(), samples.end(), 1.0);
  std::shuffle(samples.begin(), samples.end(), std::mt19937(17));
  return samples;
}

TEST(Summarize, IntervalRanksAreThoseOfTheTables) {
  // n and the lower rank: tables of the binomial(n, 1/2), for large n exact integer sums.
  const std::pair<int, int> tabulated[] = {{6, 1},    {8, 1},      {9, 2},       {12, 3},
                                           {20, 6},   {25, 8},     {30, 10},     {50, 18},
                                           {100, 40}, {1000, 469}, {5000, 2431}, {20000, 9861}};
  for (const auto& [n, rank] : tabulated) {
    const Summary summary = summarize(shuffled_ranks(n));
    EXPECT_EQ(summary.low, rank) << n;
    EXPECT_EQ(summary.high, n + 1 - rank) << n;
  }
}

TEST(Summarize, IntervalIsTheNarrowestWithNinetyFivePercent) {
  for (int n = 6; n <= 60; ++n) {
    std::vector<std::uint64_t> ways = {1};  // row n of Pascal's triangle
    for (int row = 1; row <= n; ++row) {
      ways.push_back(1);
      for (std::size_t i = ways.size() - 2; i > 0; --i) ways[i] += ways[i - 1];
    }
    // Outcomes of n coins in which fewer than `rank` fall below: at most 2.5 % of all.
    const auto outcomes_below = [&](double rank) {
      return std::accumulate(ways.begin(), ways.begin() + static_cast<long>(rank), std::uint64_t{});
    };
    const std::uint64_t allowed = (std::uint64_t{1} << n) / 40;
    const Summary summary = summarize(shuffled_ranks(n));
    EXPECT_LE(outcomes_below(summary.low), allowed) << n;
    EXPECT_GT(outcomes_below(summary.low + 1), allowed) << n;
    EXPECT_EQ(summary.low + summary.high, n + 1) << n;
  }
}

TEST(Summarize, FewSamplesGiveTheirRange) {
  for (int n = 1; n <= 5; ++n) {
    const Summary summary = summarize(shuffled_ranks(n));
    EXPECT_EQ(summary.low, 1) << n;
    EXPECT_EQ(summary.high, n) << n;
  }
}

TEST(Summarize, OrderStatistics) {
  const Summary odd = summarize({0.3, 0.1, 0.2});
  EXPECT_EQ(odd.median, 0.2);
  EXPECT_EQ(odd.min, 0.1);
  EXPECT_EQ(odd.max, 0.3);
  EXPECT_EQ(odd.count, 3);
  EXPECT_EQ(summarize({4, 1, 3, 10}).median, 3.5);
  EXPECT_EQ(summarize({7}).median, 7);
  const double large = std::numeric_limits<double>::max();
  EXPECT_EQ(summarize({large, large}).median, large);
}

TEST(Summarize, RefusesWhatIsNoMeasurement) {
  EXPECT_THROW(summarize({}), std::invalid_argument);
  EXPECT_THROW(summarize({1, std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
  EXPECT_THROW(summarize({std::numeric_limits<double>::infinity()}), std::invalid_argument);
}

TEST(IsTight, ComparesHalfTheWidthWithTheMedian) {
  Summary summary = {.median = 100, .low = 98, .high = 102, .min = 90, .max = 110, .count = 6};
  EXPECT_TRUE(is_tight(summary, 0.02));
  EXPECT_FALSE(is_tight(summary, 0.019));
  summary.count = 5;
  EXPECT_FALSE(is_tight(summary, 0.02));
}

}  // namespace
}  // namespace bellwether
