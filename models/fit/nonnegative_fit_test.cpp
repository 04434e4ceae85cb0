// SPDX-License-Identifier: MIT
#include "models/fit/nonnegative_fit.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "models/errors.hpp"
#include "models/fit/fit.hpp"

namespace bellwether {
namespace {

const std::vector<std::string> three{"a", "b", "c"};
const std::vector<std::string> two{"a", "b"};

TEST(NonnegativeFit, FindsWhatMadeTheTimes) {
  std::vector<FitRow> rows;
  for (const double x : {1.0, 2.0, 3.0, 5.0, 8.0})
    rows.push_back({{1, x, x * x}, 2 + 0.5 * x + 0.25 * x * x});
  const NonnegativeFit fit = fit_nonnegative(rows, three, "test");
  EXPECT_NEAR(fit.coefficients[0].value, 2, 1e-9);
  EXPECT_NEAR(fit.coefficients[1].value, 0.5, 1e-9);
  EXPECT_NEAR(fit.coefficients[2].value, 0.25, 1e-9);
  EXPECT_LT(fit.largest_residual, 1e-9);
  EXPECT_NEAR(fit.seconds({{1, 4, 16}, 0}), 8, 1e-9);
}

TEST(NonnegativeFit, HoldsAtZeroWhatWouldBeNegative) {
  // t = x - 0.5: the best line through the origin in relative error has the slope that makes
  // sum (c x/t - 1) x/t zero.
  std::vector<FitRow> rows;
  double above = 0, below = 0;
  for (const double x : {1.0, 2.0, 3.0, 4.0}) {
    const double ratio = x / (x - 0.5);
    rows.push_back({{1, x, 0}, x - 0.5});
    above += ratio;
    below += ratio * ratio;
  }
  const NonnegativeFit fit = fit_nonnegative(rows, two, "test");
  EXPECT_EQ(fit.coefficients[0].value, 0);
  EXPECT_EQ(fit.coefficients[0].low, 0);
  EXPECT_NEAR(fit.coefficients[1].value, above / below, 1e-12);
}

TEST(NonnegativeFit, ResidualIsPerDegreeOfFreedom) {
  // Times 1 +- 0.1 for one constant: relative errors c/0.9 - 1 and c/1.1 - 1, twice each.
  const std::vector<FitRow> rows = {
      {{1, 0, 0}, 0.9}, {{1, 0, 0}, 1.1}, {{1, 0, 0}, 0.9}, {{1, 0, 0}, 1.1}};
  const double p = 1 / 0.9, q = 1 / 1.1;
  const double c = (p + q) / (p * p + q * q);
  const NonnegativeFit fit = fit_nonnegative(rows, {"c"}, "test");
  EXPECT_NEAR(fit.coefficients[0].value, c, 1e-12);
  const double squares = 2 * (c * p - 1) * (c * p - 1) + 2 * (c * q - 1) * (c * q - 1);
  EXPECT_NEAR(fit.rms_residual, std::sqrt(squares / 3), 1e-12);
  EXPECT_NEAR(fit.largest_residual, 1 - c * q, 1e-12);
  // Student's 97.5 % quantile of three degrees of freedom is 3.18245.
  const double half = 3.18245 * std::sqrt(squares / 3 / (2 * p * p + 2 * q * q));
  EXPECT_NEAR(fit.coefficients[0].high - c, half, 2e-6 * half);
  EXPECT_NEAR(c - fit.coefficients[0].low, half, 2e-6 * half);
}

TEST(NonnegativeFit, LeftOutIsWhatFitsWithoutEachRowMiss) {
  const std::vector<double> seconds = {5.1, 5.9, 8.3, 11.6, 20.5, 35.8};
  std::vector<FitRow> rows;
  for (std::size_t k = 0; k < seconds.size(); ++k)
    rows.push_back({{1, std::pow(2., k), 0}, seconds[k]});
  double squares = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::vector<FitRow> others = rows;
    others.erase(others.begin() + static_cast<long>(k));
    const double miss = fit_nonnegative(others, two, "test").seconds(rows[k]) / seconds[k] - 1;
    squares += miss * miss;
  }
  EXPECT_NEAR(fit_nonnegative(rows, two, "test").left_out_residual, std::sqrt(squares / 6), 1e-9);
  // The last alone has the second constant.
  for (std::size_t k = 0; k + 1 < rows.size(); ++k) rows[k].factors[1] = 0;
  EXPECT_TRUE(std::isinf(fit_nonnegative(rows, two, "test").left_out_residual));
}

TEST(NonnegativeFit, RefusesWhatDeterminesNothing) {
  const FitRow row{{1, 2, 0}, 3};
  const auto refused = [](const std::vector<FitRow>& rows, const std::vector<std::string>& names) {
    EXPECT_THROW(fit_nonnegative(rows, names, "test"), BadInput);
  };
  refused({}, two);
  refused({row, {{1, 3, 0}, 4}}, two);
  refused({row, row, row, row}, two);
  refused({row, {{2, 4, 0}, 6}, {{3, 6, 0}, 9}}, two);
  refused({{{0, 1, 0}, 1}, {{0, 2, 0}, 2}, {{0, 3, 0}, 3}}, two);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double seconds : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    refused({row, {{1, 3, 0}, 4}, {{1, 5, 0}, seconds}}, two);
  for (const double factor : {-1.0, nan}) refused({row, {{1, 3, 0}, 4}, {{1, factor, 0}, 5}}, two);
}

TEST(NonnegativeFit, IntervalsHoldTheTruthAsOftenAsTheySay) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 0.03);
  int inside = 0;
  constexpr int repeats = 1000;
  for (int repeat = 0; repeat < repeats; ++repeat) {
    std::vector<FitRow> rows;
    for (const double x : {1.0, 2.0, 4.0, 8.0, 16.0, 32.0})
      rows.push_back({{1, x, 0}, (4 + x) * (1 + noise(random))});
    const Quantity slope = fit_nonnegative(rows, two, "test").coefficients[1];
    if (slope.low <= 1 && 1 <= slope.high) ++inside;
  }
  EXPECT_GT(inside, 0.92 * repeats);
  EXPECT_LT(inside, 0.98 * repeats);
}

RC_GTEST_PROP(NonnegativeFit, IsTheLinkFitForALine, ()) {
  std::vector<LinkSample> samples;
  std::vector<FitRow> rows;
  for (int k = 0; k < 6; ++k) {
    const double bytes = 1000.0 * (k + 1) * (k + 1);
    const double seconds = *rc::gen::inRange(1, 1000) * 1e-6;
    samples.push_back({bytes, seconds});
    rows.push_back({{1, bytes, 0}, seconds});
  }
  const FittedLine line = fit_line(samples);
  const NonnegativeFit fit = fit_nonnegative(rows, two, "test");
  RC_ASSERT(std::abs(fit.coefficients[0].value - line.latency_s()) <= 1e-6 * 1e-3);
  RC_ASSERT(std::abs(fit.coefficients[1].value - line.seconds_per_byte) <= 1e-6 * 1e-6);
}

}  // namespace
}  // namespace bellwether
