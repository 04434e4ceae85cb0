// SPDX-License-Identifier: MIT
#include "results/acceptance/judge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "results/acceptance/judge.hpp"

namespace bellwether {
namespace {

TEST(Deviation, FalseAlarmsComeAtMostAtTheStatedRateWhereQuantitiesSpreadUnlike) {
  constexpr int pools = 1000, quantities = 10, baselines = 3;
  constexpr double alpha = 0.05;
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  for (const bool alike : {true, false}) {
    int alarms = 0;
    for (int pool = 0; pool < pools; ++pool) {
      std::vector<Deviation> own;
      std::vector<double> gaps;
      for (int i = 0; i < quantities; ++i) {
        // 4 / chi-squared of 4: variances that differ by tens.
        double squares = 0;
        for (int k = 0; k < 4; ++k) squares += std::pow(normal(engine), 2);
        const double scale = alike ? 0.02 : 0.02 * std::sqrt(4 / squares);
        std::vector<double> values;
        double mean = 0, deviation = 0;
        for (int k = 0; k < baselines; ++k) values.push_back(scale * normal(engine));
        for (const double value : values) mean += value / baselines;
        for (const double value : values) deviation += (value - mean) * (value - mean);
        own.push_back({std::sqrt(deviation / (baselines - 1)), baselines - 1});
        gaps.push_back((scale * normal(engine) - mean) / std::sqrt(1 + 1.0 / baselines));
      }
      const std::vector<Deviation> all = moderated(own);
      double largest = 0;  // all have the same degrees of freedom
      for (int i = 0; i < quantities; ++i) largest = std::max(largest, gaps[i] / all[i].deviation);
      alarms += student_tail(largest, all[0].freedom) <= alpha / quantities ? 1 : 0;
    }
    // Three standard deviations of a binomial number.
    EXPECT_LE(alarms, alpha * pools + 3 * std::sqrt(alpha * (1 - alpha) * pools)) << alike;
    EXPECT_GE(alarms, 1) << alike;
  }
}

TEST(Deviation, FewOrEqualOnesArePooled) {
  const auto all = moderated({{0.1, 2}, {0.2, 2}});
  EXPECT_NEAR(all[0].deviation, std::sqrt(0.025), 1e-12);
  EXPECT_EQ(all[0].freedom, 4);
  EXPECT_EQ(moderated({{0, 2}, {0, 2}, {0, 2}, {0, 2}, {0, 2}}).front().deviation, 0);
  EXPECT_EQ(moderated({{0, 0}}).front().freedom, 0);
}

}  // namespace
}  // namespace bellwether
