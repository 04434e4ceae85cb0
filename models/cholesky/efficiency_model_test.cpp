// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_paper.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace bellwether {
namespace {

TEST(EfficiencyModel, OneProcessorIsEquation1) {
  // 2 us and 3e6 flops at half of 1 Gflop/s.
  EXPECT_DOUBLE_EQ(one_processor_time({2e-6, 1e9, 0.5}, 3e6), 2e-6 + 6e-3);
  EXPECT_DOUBLE_EQ(one_processor_time({2e-6, 1e9, 0.5}, 0), 2e-6);
}

TEST(EfficiencyModel, ManyProcessorsIsEquation2) {
  // 5 us, 8 s over 16 processors at 80 %, and 7 us of overhead.
  EXPECT_DOUBLE_EQ(many_processors_time({5e-6, 0.8, 7e-6}, 8, 16), 5e-6 + 0.625 + 7e-6);
  EXPECT_DOUBLE_EQ(many_processors_time({}, 8, 1), 8) << "perfect and alone: the serial time";
}

TEST(EfficiencyModel, TotalsAreEquations4To6) {
  const std::vector<KernelTotal> kernels = {{6, 1.5}, {1, {}}, {3, 2}};
  EXPECT_DOUBLE_EQ(many_processors_total(kernels), 1.5 + 1 + 2);
  EXPECT_DOUBLE_EQ(one_processor_total(kernels), 10);
  EXPECT_DOUBLE_EQ(parallel_fraction(kernels), 0.9);
  EXPECT_DOUBLE_EQ(speed_up_bound(0.75), 4);
}

TEST(EfficiencyModel, NothingParallelAndEverything) {
  EXPECT_EQ(parallel_fraction({}), 0);
  EXPECT_EQ(parallel_fraction(std::array{KernelTotal{2, {}}}), 0);
  EXPECT_EQ(speed_up_bound(0), 1);
  EXPECT_EQ(parallel_fraction(std::array{KernelTotal{2, 1.0}}), 1);
  EXPECT_EQ(speed_up_bound(1), std::numeric_limits<double>::infinity());
}

/// A number from 0 to 1 in steps of a thousandth.
double fraction() { return *rc::gen::inRange(0, 1001) / 1000.0; }

RC_GTEST_PROP(EfficiencyModel, SpeedUpStaysBelowItsBounds, ()) {
  const int processors = *rc::gen::inRange(1, 100000);
  const int count = *rc::gen::inRange(1, 6);
  std::vector<KernelTotal> kernels;
  double efficient = 1;
  for (int k = 0; k < count; ++k) {
    const double one = one_processor_time({fraction(), 1e6, 0.001 + fraction()}, 1e6 * fraction());
    const ManyProcessors shared{fraction(), std::min(1.0, 0.001 + fraction()), fraction()};
    efficient = std::min(efficient, shared.efficiency);
    KernelTotal total{one, {}};
    if (*rc::gen::inRange(0, 2) == 1)
      total.many_processors_s = many_processors_time(shared, one, processors);
    kernels.push_back(total);
  }
  const double one = one_processor_total(kernels);
  RC_PRE(one > 0);
  const double p = parallel_fraction(kernels);
  RC_ASSERT(p >= 0 && p <= 1);
  const double speed_up = one / many_processors_total(kernels);
  RC_ASSERT(speed_up <= processors * (1 + 1e-12));
  RC_ASSERT(speed_up <= speed_up_bound(p) * (1 + 1e-12));
}

RC_GTEST_PROP(EfficiencyModel, UnitsOfTimeAndWorkCancel, ()) {
  // Seconds a thousand times shorter, work counted in thousands: times scale, ratios stay.
  const double start_up = fraction(), work = 1e3 * fraction(), efficiency = 0.001 + fraction();
  const double one = one_processor_time({start_up, 50, efficiency}, work);
  const double scaled = one_processor_time({1e3 * start_up, 50e-6, efficiency}, work / 1e3);
  RC_ASSERT(std::abs(scaled - 1e3 * one) <= 1e-9 * scaled);
}

}  // namespace
}  // namespace bellwether
