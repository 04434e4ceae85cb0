// SPDX-License-Identifier: MIT
#include "models/drift/drift_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace bellwether {
namespace {

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

}  // namespace
}  // namespace bellwether
