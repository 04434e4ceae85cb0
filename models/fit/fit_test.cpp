// SPDX-License-Identifier: MIT
#include "models/fit/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "models/errors.hpp"
#include "models/network/link.hpp"

namespace bellwether {
namespace {

/// Times of sizes 8 B to 64 MiB from a law, each with the same number of repeats.
template <class Law>
std::vector<RepeatedSample> sweep(Law law, int repeats = 1) {
  std::vector<RepeatedSample> samples;
  for (double bytes = 8; bytes <= 64 * 1024 * 1024; bytes *= 2) {
    RepeatedSample sample{bytes, {}};
    for (int repeat = 0; repeat < repeats; ++repeat) sample.seconds.push_back(law(bytes));
    samples.push_back(sample);
  }
  return samples;
}

TEST(FitLink, RecoversAnExactLink) {
  const LinkTiming timing = fit_link(sweep([](double s) { return 7.47e-6 + s / 5.8e9; }));
  EXPECT_NEAR(timing.latency_s.value, 7.47e-6, 1e-14);
  EXPECT_NEAR(timing.bandwidth_bytes_per_s.value, 5.8e9, 10);
  EXPECT_LT(timing.largest_residual, 1e-9);
  ASSERT_EQ(timing.segments.size(), 1u);
  EXPECT_NEAR(timing.segments[0].latency_s.value, 7.47e-6, 1e-14);
  EXPECT_EQ(timing.largest_bytes, 64 << 20);
}

TEST(FitLink, FindsAProtocolSwitch) {
  const auto law = [](double s) { return s < 65536 ? 0.3e-6 + s / 4e9 : 8e-6 + s / 12e9; };
  const LinkTiming timing = fit_link(sweep(law));
  ASSERT_EQ(timing.segments.size(), 2u);
  EXPECT_EQ(timing.segments[0].from_bytes, 8);
  EXPECT_EQ(timing.segments[1].from_bytes, 65536);
  EXPECT_NEAR(timing.segments[0].bandwidth_bytes_per_s.value, 4e9, 1e3);
  EXPECT_NEAR(timing.segments[1].latency_s.value, 8e-6, 1e-12);
  EXPECT_LT(timing.largest_residual, 1e-9);
  EXPECT_GT(timing.largest_residual_paper, 0.3);
  for (const RepeatedSample& sample : sweep(law))
    EXPECT_NEAR(link_time(timing, sample.bytes), law(sample.bytes), 1e-9 * law(sample.bytes));
}

TEST(FitLink, FindsATokenBucket) {
  // 135 KB pass at 2 GB/s, the rest at 624 MB/s.
  const auto law = [](double s) { return 10e-6 + std::max(s / 2e9, (s - 135e3) / 624e6); };
  const LinkTiming timing = fit_link(sweep(law, 3));
  const LinkSegment& last = timing.segments.back();
  EXPECT_NEAR(last.bandwidth_bytes_per_s.value, 624e6, 1e-3 * 624e6);
  EXPECT_NEAR(last.burst_bytes.value, 135e3 - 10e-6 * 624e6, 2e3);
  EXPECT_EQ(last.latency_s.value, 0);
  EXPECT_LE(last.burst_bytes.high, last.from_bytes / 2);
  EXPECT_EQ(timing.segments.front().burst_bytes.high, 0);
  for (const RepeatedSample& sample : sweep(law, 3))
    EXPECT_NEAR(link_time(timing, sample.bytes) / law(sample.bytes), 1, 0.02);
}

TEST(FitLink, SpendsNoSegmentOnNoise) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> noise(0, 0.05);
  int single = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const auto samples = sweep([&](double s) { return (2e-6 + s / 3e9) * noise(random); }, 15);
    if (fit_link(samples).segments.size() == 1) ++single;
  }
  EXPECT_GE(single, 40);
}

TEST(FitLink, IntervalHoldsTheTruthInMostTrials) {
  std::mt19937 random(11);
  std::lognormal_distribution<double> noise(0, 0.1);
  constexpr int trials = 100;
  int latency_held = 0;
  int bandwidth_held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const LinkTiming timing =
        fit_link(sweep([&](double s) { return (5e-6 + s / 2e9) * noise(random); }, 21));
    const Quantity& latency = timing.latency_s;
    const Quantity& bandwidth = timing.bandwidth_bytes_per_s;
    EXPECT_LT(latency.low, latency.high);
    EXPECT_LE(latency.low, latency.value);
    EXPECT_GE(latency.high, latency.value);
    latency_held += latency.low <= 5e-6 && 5e-6 <= latency.high;
    bandwidth_held += bandwidth.low <= 2e9 && 2e9 <= bandwidth.high;
    EXPECT_LT(latency.high / latency.low, 1.2);
  }
  EXPECT_GE(latency_held, 85);
  EXPECT_GE(bandwidth_held, 85);
}

TEST(FitLink, IntervalsOfSegmentsHoldTheTruthInMostTrials) {
  std::mt19937 random(23);
  std::lognormal_distribution<double> noise(0, 0.05);
  const auto law = [&](double s) {
    return (s < 65536 ? 0.3e-6 + s / 4e9 : 40e-6 + s / 12e9) * noise(random);
  };
  constexpr int trials = 100;
  int found = 0, latencies_held = 0, bandwidths_held = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const LinkTiming timing = fit_link(sweep(law, 21));
    if (timing.segments.size() != 2) continue;
    ++found;
    const auto& [small, large] = std::tie(timing.segments[0], timing.segments[1]);
    for (const Quantity& quantity : {small.latency_s, small.bandwidth_bytes_per_s, large.latency_s,
                                     large.bandwidth_bytes_per_s}) {
      EXPECT_LT(quantity.low, quantity.high);
      EXPECT_LE(quantity.low, quantity.value);
      EXPECT_GE(quantity.high, quantity.value);
    }
    latencies_held += small.latency_s.low <= 0.3e-6 && 0.3e-6 <= small.latency_s.high;
    bandwidths_held +=
        large.bandwidth_bytes_per_s.low <= 12e9 && 12e9 <= large.bandwidth_bytes_per_s.high;
  }
  EXPECT_GE(found, 80);
  EXPECT_GE(latencies_held, 0.85 * found);
  EXPECT_GE(bandwidths_held, 0.85 * found);
}

TEST(FitLink, IsTheSameEachTime) {
  std::mt19937 random(5);
  std::lognormal_distribution<double> noise(0, 0.2);
  const auto samples = sweep([&](double s) { return (5e-6 + s / 2e9) * noise(random); }, 9);
  EXPECT_EQ(fit_link(samples).latency_s.low, fit_link(samples).latency_s.low);
}

TEST(FitLink, TakesTheMedianOfTheRepeats) {
  const LinkTiming timing = fit_link({{8, {1, 9, 2}}, {16, {4, 1, 2, 3}}});
  EXPECT_NEAR(link_time(timing, 8), 2, 1e-12);
  EXPECT_NEAR(link_time(timing, 16), 2.5, 1e-12);
}

TEST(FitLink, AcceptsOneSize) {
  const LinkTiming timing = fit_link({{1000, {2e-6}}});
  EXPECT_EQ(timing.latency_s.value, 0);
  EXPECT_NEAR(timing.bandwidth_bytes_per_s.value, 5e8, 1e-3);
  EXPECT_LT(timing.largest_residual, 1e-12);
  const LinkTiming empty = fit_link({{0, {2e-6}}});
  EXPECT_NEAR(link_time_paper(empty, 0), 2e-6, 1e-18);
  EXPECT_TRUE(std::isfinite(empty.bandwidth_bytes_per_s.value));
}

TEST(FitLink, AcceptsZeroLatency) {
  const LinkTiming timing = fit_link(sweep([](double s) { return s / 1e9; }));
  EXPECT_NEAR(timing.latency_s.value, 0, 1e-20);
  EXPECT_NEAR(timing.bandwidth_bytes_per_s.value, 1e9, 1e-3);
}

TEST(FitLink, KeepsParametersPossibleWhereTimesDecrease) {
  const LinkTiming timing = fit_link({{10, {4e-6}}, {1000, {3e-6}}, {100000, {2e-6}}});
  EXPECT_GT(timing.latency_s.value, 2e-6);
  EXPECT_LT(timing.latency_s.value, 4e-6);
  EXPECT_TRUE(std::isfinite(timing.bandwidth_bytes_per_s.value));
  EXPECT_GT(timing.bandwidth_bytes_per_s.value, 0);
  EXPECT_NEAR(link_time_paper(timing, 1e5), timing.latency_s.value, 1e-11);
  for (const LinkSegment& segment : timing.segments) {
    EXPECT_GE(segment.latency_s.low, 0);
    EXPECT_TRUE(std::isfinite(segment.bandwidth_bytes_per_s.high));
  }
}

TEST(FitLine, NoOtherParametersAreBetter) {
  std::mt19937 random(17);
  std::uniform_real_distribution<double> uniform(0.2, 5);
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<LinkSample> samples;
    for (const double bytes : {1.0, 3.0, 10.0, 30.0}) samples.push_back({bytes, uniform(random)});
    const FittedLine best = fit_line(samples);
    EXPECT_GE(best.intercept_s, 0);
    EXPECT_GE(best.seconds_per_byte, 0);
    const FittedLine bursting = fit_line(samples, Intercept::burst);
    EXPECT_GE(bursting.seconds_per_byte, 0);
    EXPECT_LE(bursting.burst_bytes(), 0.5 + 1e-12);
    EXPECT_LE(bursting.squares, best.squares + 1e-12);
    for (double intercept = -1; intercept < 5; intercept += 0.1) {
      for (double slope = 0; slope < 2; slope += 0.05) {
        double squares = 0;
        for (const auto& [bytes, seconds] : samples)
          squares += std::pow((intercept + slope * bytes) / seconds - 1, 2);
        if (intercept >= 0) {
          ASSERT_GE(squares, best.squares - 1e-12);
        }
        if (intercept >= -0.5 * slope) {
          ASSERT_GE(squares, bursting.squares - 1e-12);
        }
      }
    }
  }
}

TEST(FitLink, RefusesUnusableSamples) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(fit_link({}), BadInput);
  EXPECT_THROW(fit_link({{8, {}}}), BadInput);
  EXPECT_THROW(fit_link({{8, {0}}}), BadInput);
  EXPECT_THROW(fit_link({{8, {nan}}}), BadInput);
  EXPECT_THROW(fit_link({{-8, {1}}}), BadInput);
  EXPECT_THROW(fit_link({{8, {1}}, {8, {1}}}), BadInput);
  EXPECT_THROW(fit_link({{16, {1}}, {8, {1}}}), BadInput);
}

}  // namespace
}  // namespace bellwether
