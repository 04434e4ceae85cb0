// SPDX-License-Identifier: MIT
#include "results/acceptance/outliers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace bellwether {
namespace {

/// Members of an undisturbed machine: each a little slower or faster for good, everything a little
/// from occasion to occasion, now and then much.
Occasions undisturbed(std::mt19937_64& engine, std::size_t members, std::size_t count) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> own;
  for (std::size_t i = 0; i < members; ++i) own.push_back(members < 5 ? 0 : 0.02 * normal(engine));
  Occasions all(count);
  for (auto& occasion : all) {
    const double machine = 0.1 * normal(engine);
    for (const double one : own)
      occasion.push_back(machine + one + 0.01 * normal(engine) +
                         (uniform(engine) < 0.05 ? 0.3 : 0));
  }
  return all;
}

TEST(Outliers, FalseAlarmsComeAtTheStatedRate) {
  constexpr double alpha = 0.05;
  constexpr int machines = 1000;
  std::mt19937_64 engine(7);
  for (const std::size_t members : {2, 3, 4, 5, 8, 30}) {
    int alarms = 0;
    for (int machine = 0; machine < machines; ++machine)
      for (const Standing& one : standings(undisturbed(engine, members, 14)))
        if (one.p <= alpha) {
          ++alarms;
          break;
        }
    // Three standard deviations of a binomial number about the rate; exact from five members on,
    // below it counts whole occasions and is less often wrong.
    const double expected = alpha * machines, spread = 3 * std::sqrt(expected * (1 - alpha));
    EXPECT_LE(alarms, expected + spread) << members;
    if (members >= 5) {
      EXPECT_GE(alarms, expected - spread) << members;
    }
  }
}

TEST(Outliers, FindTheSlowMember) {
  std::mt19937_64 engine(8);
  for (const std::size_t members : {3, 4, 5, 30}) {
    Occasions all = undisturbed(engine, members, 14);
    for (auto& occasion : all) occasion[1] += std::log(2.0);
    const std::vector<Standing> found = standings(all);
    EXPECT_EQ(found.front().member, 1U) << members;
    EXPECT_NEAR(found.front().log_ratio, std::log(2.0), 0.1);
    // Five members have a p of some thousandths at best: two spacings decide their spread.
    EXPECT_LT(found.front().p, members == 5 ? 0.05 : 0.001) << members;
    EXPECT_GT(found.at(1).p, 0.05);
  }
}

TEST(Outliers, CountWhatChanceCanDo) {
  EXPECT_NEAR(often_slowest_p(2, 3, 3), 0.25, 1e-12);
  EXPECT_NEAR(often_slowest_p(4, 2, 2), 0.25, 1e-12);
  EXPECT_EQ(often_slowest_p(2, 5, 2), 1);
  EXPECT_EQ(occasions_needed(2, 0.26), 3U);
  EXPECT_EQ(occasions_needed(5, 1e-4), 1U);
  EXPECT_TRUE(standings({{1.0}}).empty());
  EXPECT_GT(largest_deviation_p(10, 1), 0.9);
  EXPECT_LT(largest_deviation_p(10, 30), 1e-3);
  // Beyond 200 members a formula goes on where the simulation ends.
  for (const double score : {4.0, 5.0, 5.5})
    EXPECT_NEAR(largest_deviation_p(201, score) / largest_deviation_p(200, score), 1, 0.15)
        << score;
  EXPECT_LT(largest_deviation_p(1000, 9), 1e-5);
}

}  // namespace
}  // namespace bellwether
