// SPDX-License-Identifier: MIT
#include "results/spread.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bellwether {
namespace {

constexpr double coverage = 0.9;

TEST(Spread, OfNothingIsOne) {
  EXPECT_EQ(Spread().middle(coverage), (std::pair<double, double>{1, 1}));
  EXPECT_EQ(Spread::of({}).middle(coverage), (std::pair<double, double>{1, 1}));
  EXPECT_DOUBLE_EQ(Spread::of({1.5}).ratio(0.05), 1.5);
}

TEST(Spread, TakesTheIthOfNForItsQuantile) {
  std::vector<double> ratios;
  for (int n = 1; n <= 19; ++n) ratios.push_back(std::exp(0.01 * n));
  const Spread spread = Spread::of(ratios);
  EXPECT_NEAR(spread.ratio(0.5), std::exp(0.10), 1e-12);
  EXPECT_NEAR(spread.ratio(0.05), std::exp(0.01), 1e-12);
  EXPECT_NEAR(spread.ratio(0.95), std::exp(0.19), 1e-12);
}

TEST(Spread, OfAnIntervalIsHalfANormalOnEitherSide) {
  const Spread spread = Spread::of_interval(0.9, 1.3);
  EXPECT_NEAR(spread.ratio(0.5), 1, 2e-3);  // between two of its points
  EXPECT_NEAR(spread.ratio(0.05), std::pow(0.9, 1.6449 / 1.96), 2e-3);
  EXPECT_NEAR(spread.ratio(0.95), std::pow(1.3, 1.6449 / 1.96), 4e-3);
}

TEST(Spread, AProductOfNormalsHasTheRootOfTheirSquares) {
  const double a = 1.1, b = 1.2;
  const auto [low, high] =
      Spread::of_interval(1 / a, a).times(Spread::of_interval(1 / b, b)).middle(coverage);
  const double expected = std::hypot(std::log(a), std::log(b)) * 1.6449 / 1.96;
  EXPECT_NEAR(std::log(high), expected, 0.03 * expected);
  EXPECT_NEAR(std::log(low), -expected, 0.03 * expected);
}

TEST(Spread, GoesThroughWhatDependsOnIt) {
  const Spread half = Spread::of({1, 1.2, 1.44}).through([](double s) { return (1 + s) / 2; });
  EXPECT_NEAR(half.ratio(0.5), 1.1, 1e-3);
}

/// Of 2000 machines the share whose next run lies in the interval that 30 earlier ones, and a
/// calibration known to within its own interval, give.
template <class Law>
double covered(Law law, double calibration_deviation) {
  constexpr int machines = 2000, runs = 30;
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  int inside = 0;
  for (int machine = 0; machine < machines; ++machine) {
    std::vector<double> residuals, slowness;
    for (int run = 0; run < runs; ++run) {
      residuals.push_back(std::exp(0.05 * normal(random)));
      slowness.push_back(law(random));
    }
    const double known = std::exp(1.96 * calibration_deviation);
    const auto [low, high] = Spread::of(residuals)
                                 .times(Spread::of(slowness))
                                 .times(Spread::of_interval(1 / known, known))
                                 .middle(coverage);
    const double next = std::exp(0.05 * normal(random)) * law(random) *
                        std::exp(calibration_deviation * normal(random));
    inside += low <= next && next <= high ? 1 : 0;
  }
  return static_cast<double>(inside) / machines;
}

TEST(Spread, CoversTheNextRunOfAKnownLaw) {
  // Binomial: 2000 machines tell 0.9 to within 0.013, four deviations 0.027.
  const auto steady = [](std::mt19937_64&) { return 1.; };
  EXPECT_NEAR(covered(steady, 0), coverage, 0.03);
  EXPECT_NEAR(covered(steady, 0.03), coverage, 0.03);
  const auto wandering = [](std::mt19937_64& random) {
    return std::exp(std::normal_distribution<double>(0, 0.1)(random));
  };
  EXPECT_NEAR(covered(wandering, 0.02), coverage, 0.03);
  const auto of_two_states = [](std::mt19937_64& random) {
    return std::bernoulli_distribution(0.3)(random) ? 1.8 : 1.;
  };
  EXPECT_NEAR(covered(of_two_states, 0.02), coverage, 0.03);
  const auto heavy = [](std::mt19937_64& random) {
    return 1 + std::exponential_distribution<double>(4)(random);
  };
  EXPECT_NEAR(covered(heavy, 0.02), coverage, 0.03);
}

}  // namespace
}  // namespace bellwether
