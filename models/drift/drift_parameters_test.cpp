// SPDX-License-Identifier: MIT
#include "models/drift/drift_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace bellwether {
namespace {

std::vector<double> drawn(int count, unsigned seed, double slow_share, double slow, double spread) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> around(1, spread);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<double> seconds;
  for (int n = 0; n < count; ++n)
    seconds.push_back(1e-3 * around(random) * (share(random) < slow_share ? slow : 1));
  return seconds;
}

TEST(DriftSeries, HoldsTimesOverTheirMedianAscending) {
  const DriftSeries series = drift_series("memory", {3, 1, 2});
  EXPECT_EQ(series.slowness, (std::vector<double>{0.5, 1, 1.5}));
  DriftParameters drift;
  drift.series = {series};
  EXPECT_EQ(drift.slowness("memory"), series.slowness);
  EXPECT_TRUE(drift.slowness("network").empty());
}

TEST(DriftSeries, KeepsQuantilesOfMany) {
  std::vector<double> seconds;
  for (int n = 1000; n >= 0; --n) seconds.push_back(1 + n);
  const DriftSeries series = drift_series("memory", seconds);
  ASSERT_EQ(series.slowness.size(), most_drift_probes);
  EXPECT_DOUBLE_EQ(series.slowness.front(), 1 / 501.);
  EXPECT_DOUBLE_EQ(series.slowness.back(), 1001 / 501.);
  EXPECT_NEAR(series.slowness[most_drift_probes / 4], 0.5, 0.02);
}

TEST(TwoStatesOfDrift, AreFoundWithTheirShare) {
  const auto states = two_states(drift_series("memory", drawn(60, 1, 0.3, 1.8, 0.03)).slowness);
  ASSERT_TRUE(states.has_value());
  EXPECT_NEAR(states->slow / states->fast, 1.8, 0.1);
  EXPECT_NEAR(states->slow_share, 0.3, 0.15);
}

TEST(TwoStatesOfDrift, AreNotSeenInWhatWanders) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::vector<double> even;
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> between(1, 2);
    for (int n = 0; n < 40; ++n) even.push_back(between(random));
    EXPECT_FALSE(two_states(drift_series("memory", even).slowness)) << seed;
    EXPECT_FALSE(two_states(drift_series("memory", drawn(40, seed, 0, 1, 0.1)).slowness)) << seed;
  }
}

TEST(TwoStatesOfDrift, NeedProbesOfEither) {
  EXPECT_FALSE(two_states({}));
  std::vector<double> slowness(20, 1);
  std::fill_n(slowness.rbegin(), 3, 2.);
  EXPECT_FALSE(two_states(slowness));
  std::fill_n(slowness.rbegin(), 4, 2.);
  EXPECT_TRUE(two_states(slowness));
  EXPECT_FALSE(two_states({1, 1, 1, 1, 2, 2, 2, 2}));
}

}  // namespace
}  // namespace bellwether
