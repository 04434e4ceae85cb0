// SPDX-License-Identifier: MIT
#include "models/link.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

LinkTiming two_segments() {
  LinkTiming timing;
  timing.latency_s = {2e-6, 1e-6, 4e-6, {}};
  timing.bandwidth_bytes_per_s = {1e9, 0.5e9, 2e9, {}};
  timing.segments = {{8, {1e-6, 0.9e-6, 1.2e-6, {}}, {0.5e9, 0.4e9, 0.6e9, {}}},
                     {4096, {5e-6, 4e-6, 6e-6, {}}, {2e9, 1.6e9, 2.5e9, {}}}};
  return timing;
}

TEST(Link, PaperFormIsLatencyPlusTransfer) {
  EXPECT_DOUBLE_EQ(link_time_paper(two_segments(), 1e6), 2e-6 + 1e-3);
  EXPECT_DOUBLE_EQ(link_time_paper(two_segments(), 1e6, Bound::fastest), 1e-6 + 0.5e-3);
  EXPECT_DOUBLE_EQ(link_time_paper(two_segments(), 1e6, Bound::slowest), 4e-6 + 2e-3);
}

TEST(Link, RefinedFormIsTheSegmentThatTheSizeFallsIn) {
  EXPECT_DOUBLE_EQ(link_time(two_segments(), 4), 1e-6 + 4 / 0.5e9);
  EXPECT_DOUBLE_EQ(link_time(two_segments(), 4095), 1e-6 + 4095 / 0.5e9);
  EXPECT_DOUBLE_EQ(link_time(two_segments(), 4096), 5e-6 + 4096 / 2e9);
  EXPECT_DOUBLE_EQ(link_time(two_segments(), 1e9), 5e-6 + 0.5);
}

TEST(Link, RefinedFormWithoutSegmentsIsThePaperForm) {
  LinkTiming timing = two_segments();
  timing.segments.clear();
  for (const double bytes : {0.0, 8.0, 1e7})
    for (const Bound bound : {Bound::value, Bound::fastest, Bound::slowest})
      EXPECT_DOUBLE_EQ(link_time(timing, bytes, bound), link_time_paper(timing, bytes, bound));
}

TEST(Link, SharingDividesTheBandwidthAndNotTheLatency) {
  EXPECT_DOUBLE_EQ(link_time(two_segments(), 1e6, Bound::value, 3), 5e-6 + 3e6 / 2e9);
}

TEST(Link, IntervalHoldsTheValue) {
  for (const double bytes : {8.0, 4096.0, 1e8}) {
    const Quantity time = link_time_interval(two_segments(), bytes);
    EXPECT_LT(time.low, time.value);
    EXPECT_GT(time.high, time.value);
  }
}

TEST(Link, BoundsAreThoseOfTheSegment) {
  const Quantity small = link_time_interval(two_segments(), 1024);
  EXPECT_DOUBLE_EQ(small.low, 0.9e-6 + 1024 / 0.6e9);
  EXPECT_DOUBLE_EQ(small.high, 1.2e-6 + 1024 / 0.4e9);
  const Quantity large = link_time_interval(two_segments(), 1e8);
  EXPECT_DOUBLE_EQ(large.low, 4e-6 + 1e8 / 2.5e9);
  EXPECT_DOUBLE_EQ(large.high, 6e-6 + 1e8 / 1.6e9);
  EXPECT_DOUBLE_EQ(link_time(two_segments(), 1e8, Bound::slowest, 2), 6e-6 + 2e8 / 1.6e9);
}

TEST(Link, KnowsItsCalibratedRange) {
  LinkTiming timing = two_segments();
  EXPECT_FALSE(beyond_samples(timing, 1e12));
  timing.samples = {{8, 1e-6}, {1024, 3e-6}};
  EXPECT_FALSE(beyond_samples(timing, 1024));
  EXPECT_TRUE(beyond_samples(timing, 1025));
}

}  // namespace
}  // namespace bellwether
