// SPDX-License-Identifier: MIT
#include "models/network/link.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/random_inputs_test.hpp"

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

TEST(Link, ABurstPassesAheadOfTheBandwidth) {
  LinkTiming timing = two_segments();
  timing.segments[1].burst_bytes = {3000, 2000, 4000, {}};
  EXPECT_DOUBLE_EQ(link_time(timing, 4095), 1e-6 + 4095 / 0.5e9);
  EXPECT_DOUBLE_EQ(link_time(timing, 5000), 5e-6 + 2000 / 2e9);
  EXPECT_DOUBLE_EQ(link_time(timing, 5000, Bound::value, 2), 5e-6 + 7000 / 2e9);
  EXPECT_DOUBLE_EQ(link_time(timing, 5000, Bound::fastest), 4e-6 + 1000 / 2.5e9);
  EXPECT_DOUBLE_EQ(link_time(timing, 5000, Bound::slowest), 6e-6 + 3000 / 1.6e9);
  timing.segments.erase(timing.segments.begin());
  EXPECT_DOUBLE_EQ(link_time(timing, 1000), 5e-6);  // all of a smaller message
}

TEST(Link, IntervalHoldsTheValue) {
  for (const double bytes : {8.0, 4096.0, 1e8}) {
    const double value = link_time(two_segments(), bytes);
    EXPECT_LT(link_time(two_segments(), bytes, Bound::fastest), value);
    EXPECT_GT(link_time(two_segments(), bytes, Bound::slowest), value);
  }
}

TEST(Link, BoundsAreThoseOfTheSegment) {
  const auto at = [](double bytes, Bound bound) { return link_time(two_segments(), bytes, bound); };
  EXPECT_DOUBLE_EQ(at(1024, Bound::fastest), 0.9e-6 + 1024 / 0.6e9);
  EXPECT_DOUBLE_EQ(at(1024, Bound::slowest), 1.2e-6 + 1024 / 0.4e9);
  EXPECT_DOUBLE_EQ(at(1e8, Bound::fastest), 4e-6 + 1e8 / 2.5e9);
  EXPECT_DOUBLE_EQ(at(1e8, Bound::slowest), 6e-6 + 1e8 / 1.6e9);
  EXPECT_DOUBLE_EQ(link_time(two_segments(), 1e8, Bound::slowest, 2), 6e-6 + 2e8 / 1.6e9);
}

TEST(Link, KnowsItsCalibratedRange) {
  LinkTiming timing = two_segments();
  EXPECT_FALSE(beyond_samples(timing, 1e12));
  timing.largest_bytes = 1024;
  EXPECT_FALSE(beyond_samples(timing, 1024));
  EXPECT_TRUE(beyond_samples(timing, 1025));
}

RC_GTEST_PROP(Link, PaperBandwidthRisesToB0AndIsHalfAtB0T0, ()) {
  const LinkTiming timing = random_timing();
  const double b0 = timing.bandwidth_bytes_per_s.value;
  const double half_length = b0 * timing.latency_s.value;
  const auto bandwidth = [&](double bytes) { return bytes / link_time_paper(timing, bytes); };
  RC_ASSERT(std::abs(bandwidth(half_length) / (b0 / 2) - 1) < 1e-12);
  const double bytes = random_between(1, 1e9);
  RC_ASSERT(bandwidth(bytes) < b0);
  RC_ASSERT(bandwidth(2 * bytes) > bandwidth(bytes));
  RC_ASSERT(std::abs(bandwidth(1e9 * half_length) / b0 - 1) < 1e-8);
  RC_ASSERT(link_time_paper(timing, 0) == timing.latency_s.value);
}

/// Not from one segment to the next, where a fit may jump down.
RC_GTEST_PROP(Link, RefinedTimeGrowsWithinASegmentAndWithSharing, ()) {
  LinkTiming timing = random_timing();
  if (timing.segments.empty()) timing.segments = {{8, {1e-6, 1e-6, 1e-6, {}}, {1e9, 1e9, 1e9, {}}}};
  const auto index = *rc::gen::inRange<std::size_t>(0, timing.segments.size());
  const double from = timing.segments[index].from_bytes;
  const bool last = index + 1 == timing.segments.size();
  const double to = last ? 1e12 : timing.segments[index + 1].from_bytes;
  const double a = random_between(from, to) * (1 - 1e-9);
  const double b = random_between(std::max(a, from), to) * (1 - 1e-9);
  RC_PRE(a >= from && b >= a);
  RC_ASSERT(link_time(timing, b) >= link_time(timing, a));
  RC_ASSERT(link_time(timing, a, Bound::value, random_between(1, 100)) >= link_time(timing, a));
  RC_ASSERT(link_time(timing, a, Bound::fastest) <= link_time(timing, a));
  RC_ASSERT(link_time(timing, a, Bound::slowest) >= link_time(timing, a));
}

}  // namespace
}  // namespace bellwether
