// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_paper.hpp"
#include "models/cholesky/start_up_parameters.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <vector>

#include "models/machine/machine_file.hpp"

namespace bellwether {
namespace {

// Tables 1 and 2 of the paper.
const ColumnCholesky vpp500{.update = {0, 1.6e9, 0.605},
                            .parallel_update = {40e-6, 0.999, 0},
                            .scaling = {1.7e-6, 1.6e9, 0.46},
                            .summation = Summation::crossbar,
                            .transfer = {1.1e-6, 400e6, 0.493},
                            .adding = {},
                            .value_bytes = 4};
const ColumnCholesky paragon{.update = {0.94e-6, 0.1e9, 0.338},
                             .parallel_update = {0.4e-6, 0.983, 0},
                             .scaling = {0.0017e-6, 0.1e9, 0.0038},
                             .summation = Summation::tree,
                             .transfer = {0, 200e6, 0.113},
                             .adding = OneProcessor{0, 0.1e9, 0.0684},
                             .value_bytes = 4};

/// The paper's loops walked through: a start-up at each inner loop, two flops for each row.
struct Walked {
  double update = 0;
  double scaling = 0;
};
Walked walk(const ColumnCholesky& model, int n) {
  const auto loop = [](const OneProcessor& kernel, int rows) {
    return kernel.start_up_s + 2.0 * rows / kernel.peak_per_s / kernel.efficiency;
  };
  Walked sum;
  for (int j = 1; j <= n; ++j) {
    for (int k = 1; k <= j - 1; ++k) sum.update += loop(model.update, n - j + 1);
    sum.scaling += loop(model.scaling, n - j + 1);
  }
  return sum;
}

ColumnCholesky any_model() {
  const auto number = [](double scale) { return scale * *rc::gen::inRange(1, 1001) / 1000; };
  const auto kernel = [&](double peak) {
    return OneProcessor{number(1e-4) - 1e-7, number(peak), number(1)};
  };
  ColumnCholesky model;
  model.update = kernel(1e10);
  model.parallel_update = {number(1e-4) - 1e-7, number(1), 0};
  model.scaling = kernel(1e10);
  model.summation = *rc::gen::inRange(0, 2) == 0 ? Summation::crossbar : Summation::tree;
  model.transfer = kernel(1e9);
  if (*rc::gen::inRange(0, 2) == 0) model.adding = kernel(1e10);
  return model;
}

RC_GTEST_PROP(ColumnCholesky, ClosedSumsAreTheLoops, ()) {
  const ColumnCholesky model = any_model();
  const int n = *rc::gen::inRange(1, 60);
  const Walked walked = walk(model, n);
  RC_ASSERT(std::abs(update_time(model, n).total() - walked.update) <= 1e-11 * walked.update);
  RC_ASSERT(std::abs(scaling_time(model, n).total() - walked.scaling) <= 1e-11 * walked.scaling);
}

TEST(ColumnCholesky, OneProcessorAtThePapersSizes) {
  // Eq. 7 and 9 by hand.
  EXPECT_NEAR(update_time(vpp500, 5000).total(), 5000 * (25e6 - 1) / 3 / (1.6e9 * 0.605), 1e-9);
  EXPECT_NEAR(update_time(paragon, 2500).total(),
              2500 * (2499 / 2. * 0.94e-6 + (6.25e6 - 1) / 3 / (0.1e9 * 0.338)), 1e-9);
  EXPECT_NEAR(update_time(paragon, 2500).total(), 157.03, 0.01);
  EXPECT_NEAR(scaling_time(vpp500, 5000).total(), 5000 * 1.7e-6 + 25.005e6 / (1.6e9 * 0.46), 1e-12);
  EXPECT_NEAR(scaling_time(paragon, 2500).total(), 2500 * 0.0017e-6 + 6.2525e6 / 0.38e6, 1e-9);
}

TEST(ColumnCholesky, ManyProcessorsAreEquation8) {
  const double one = 2500 * (2499 / 2. * 0.94e-6 + (6.25e6 - 1) / 3 / (0.1e9 * 0.338));
  EXPECT_NEAR(update_time(paragon, 2500, 64).total(), 2500 * 0.4e-6 + one / (64 * 0.983), 1e-12);
  ColumnCholesky model = paragon;
  model.parallel_update.overhead_s = 3e-6;
  EXPECT_NEAR(update_time(model, 2500, 64).total(), 2500 * (0.4e-6 + 3e-6) + one / (64 * 0.983),
              1e-12);
}

TEST(ColumnCholesky, CrossbarSummationIsEquation10) {
  const double bytes = 15. / 16 * 4 * 5000 / 16;
  EXPECT_NEAR(summation_time(vpp500, 5000, 16), 2 * (1.1e-6 + bytes / (400e6 * 0.493)) * 16 * 5000,
              1e-12);
  EXPECT_NEAR(summation_time(vpp500, 5000, 16), 1.127, 0.001);
}

TEST(ColumnCholesky, TreeSummationIsEquation13) {
  ColumnCholesky model = paragon;
  model.transfer.start_up_s = 30e-6;
  model.adding->start_up_s = 20e-6;
  for (const auto& [processors, stages] :
       std::vector<std::pair<int, int>>{{2, 1}, {4, 2}, {64, 6}, {5, 3}, {1, 0}}) {
    const double values = 2500. * stages;
    EXPECT_NEAR(
        summation_time(model, 2500, processors),
        2500 * (2 * (30e-6 + values * 4 / (200e6 * 0.113)) + 20e-6 + values / (0.1e9 * 0.0684)),
        1e-10)
        << processors;
  }
}

TEST(ColumnCholesky, TwoOfThePapersParallelFractions) {
  EXPECT_NEAR(parallel_fraction(cholesky_kernels(paragon, 2500, 1)), 0.905, 5e-4);
  EXPECT_NEAR(parallel_fraction(cholesky_kernels(vpp500, 5000, 1)), 0.999, 5e-4);
}

TEST(ColumnCholesky, SpeedUpIsOfFigure5) {
  const double one20 = 2500 * (2499 / 2. * 0.94e-6 + (6.25e6 - 1) / 3 / (0.1e9 * 0.338));
  const double one30 = 2500 * 0.0017e-6 + 6.2525e6 / 0.38e6;
  const double many20 = 2500 * 0.4e-6 + one20 / (32 * 0.983);
  const double sum = 2500 * (2 * 2500 * 5 * 4 / 22.6e6 + 2500 * 5 / 6.84e6);
  const CholeskySpeedUp speed_up = cholesky_speed_up(paragon, 2500, 32);
  EXPECT_NEAR(speed_up.update, one20 / many20, 1e-9);
  EXPECT_NEAR(speed_up.without_summation, (one20 + one30) / (many20 + one30), 1e-9);
  EXPECT_NEAR(speed_up.whole, (one20 + one30) / (many20 + one30 + sum), 1e-9);
}

TEST(ColumnCholesky, BothSpeedUpsSaturateBelowTheBound) {
  for (const auto& [model, size] : {std::pair(&vpp500, 5000), std::pair(&paragon, 2500)}) {
    const double bound = speed_up_bound(parallel_fraction(cholesky_kernels(*model, size, 1)));
    int best = 1;
    for (int processors = 1; processors <= size; ++processors) {
      const CholeskySpeedUp speed_up = cholesky_speed_up(*model, size, processors);
      EXPECT_LT(speed_up.without_summation, bound);
      if (speed_up.whole > cholesky_speed_up(*model, size, best).whole) best = processors;
    }
    EXPECT_GT(best, 16) << "it rises first";
    EXPECT_LT(best, size / 10) << "and falls again";
    EXPECT_LT(cholesky_speed_up(*model, size, best).whole, bound / 2);
  }
  // Where dT/dN = 0 of the continuous sums: crossbar sqrt((43.08 - 1.014)/0.011), tree stages.
  EXPECT_GT(cholesky_speed_up(vpp500, 5000, 62).whole, cholesky_speed_up(vpp500, 5000, 55).whole);
  EXPECT_GT(cholesky_speed_up(vpp500, 5000, 62).whole, cholesky_speed_up(vpp500, 5000, 70).whole);
  EXPECT_GT(cholesky_speed_up(paragon, 2500, 32).whole, cholesky_speed_up(paragon, 2500, 16).whole);
  EXPECT_GT(cholesky_speed_up(paragon, 2500, 32).whole, cholesky_speed_up(paragon, 2500, 64).whole);
}

TEST(ColumnCholesky, TakesThePapersConstantsFromTheMachines) {
  for (const auto& [name, expected, size] :
       {std::tuple("vpp500", &vpp500, 5000), std::tuple("paragon", &paragon, 2500)}) {
    const ColumnCholesky read = column_cholesky(*section<StartUpParameters>(find_machine(name)), 4);
    EXPECT_EQ(read.summation, expected->summation);
    EXPECT_DOUBLE_EQ(update_time(read, size, 8).total(), update_time(*expected, size, 8).total());
    EXPECT_DOUBLE_EQ(scaling_time(read, size).total(), scaling_time(*expected, size).total());
    EXPECT_DOUBLE_EQ(summation_time(read, size, 8), summation_time(*expected, size, 8));
  }
}

RC_GTEST_PROP(ColumnCholesky, SpeedUpsStayBelowTheirBounds, ()) {
  const ColumnCholesky model = any_model();
  const int size = *rc::gen::inRange(2, 100000);
  const int processors = *rc::gen::inRange(1, 100000);
  const double p = parallel_fraction(cholesky_kernels(model, size, processors));
  RC_ASSERT(p >= 0 && p <= 1);
  const CholeskySpeedUp speed_up = cholesky_speed_up(model, size, processors);
  constexpr double rounding = 1 + 1e-12;
  RC_ASSERT(speed_up.update <= processors * rounding);
  RC_ASSERT(speed_up.without_summation <= processors * rounding);
  RC_ASSERT(speed_up.without_summation <= speed_up_bound(p) * rounding);
  RC_ASSERT(speed_up.whole <= speed_up.without_summation * rounding);
}

RC_GTEST_PROP(ColumnCholesky, EverythingGrowsWithSize, ()) {
  const ColumnCholesky model = any_model();
  const int size = *rc::gen::inRange(1, 10000);
  const int processors = *rc::gen::inRange(2, 1000);
  RC_ASSERT(update_time(model, size + 1).total() > update_time(model, size).total());
  RC_ASSERT(update_time(model, size + 1, processors).total() >
            update_time(model, size, processors).total());
  RC_ASSERT(scaling_time(model, size + 1).total() > scaling_time(model, size).total());
  RC_ASSERT(summation_time(model, size + 1, processors) > summation_time(model, size, processors));
}

RC_GTEST_PROP(ColumnCholesky, PerfectProcessorsShareTheWorkAlone, ()) {
  // No start-up, E_p = 1, communication without bound: speed-up of do 20 is N, of the whole
  // Amdahl's.
  ColumnCholesky model = any_model();
  model.update.start_up_s = model.scaling.start_up_s = 0;
  model.parallel_update = {};
  model.transfer = {0, 1e300, 1};
  model.adding.reset();
  const int size = *rc::gen::inRange(2, 10000);
  const int processors = *rc::gen::inRange(1, 1000);
  const double p = parallel_fraction(cholesky_kernels(model, size, processors));
  const CholeskySpeedUp speed_up = cholesky_speed_up(model, size, processors);
  RC_ASSERT(std::abs(speed_up.update - processors) <= 1e-9 * processors);
  const double amdahl = 1 / (1 - p + p / processors);
  RC_ASSERT(std::abs(speed_up.whole - amdahl) <= 1e-9 * amdahl);
}

RC_GTEST_PROP(ColumnCholesky, FasterClocksScaleAllTimes, ()) {
  // Rates a thousandfold and start-ups a thousandth: every time a thousandth, whatever the size.
  const ColumnCholesky model = any_model();
  ColumnCholesky fast = model;
  for (OneProcessor* kernel : {&fast.update, &fast.scaling, &fast.transfer}) {
    kernel->start_up_s /= 1000;
    kernel->peak_per_s *= 1000;
  }
  if (fast.adding) {
    fast.adding->start_up_s /= 1000;
    fast.adding->peak_per_s *= 1000;
  }
  fast.parallel_update.start_up_s /= 1000;
  const int size = *rc::gen::inRange(2, 10000);
  const int processors = *rc::gen::inRange(1, 1000);
  const auto scaled = [](double slow, double quick) {
    return std::abs(slow - 1000 * quick) <= 1e-9 * slow;
  };
  RC_ASSERT(scaled(update_time(model, size, processors).total(),
                   update_time(fast, size, processors).total()));
  RC_ASSERT(scaled(scaling_time(model, size).total(), scaling_time(fast, size).total()));
  RC_ASSERT(
      scaled(summation_time(model, size, processors), summation_time(fast, size, processors)));
}

}  // namespace
}  // namespace bellwether
