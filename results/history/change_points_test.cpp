// SPDX-License-Identifier: MIT
#include "results/history/change_points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

namespace bellwether {
namespace {

using Draw = std::function<double(std::mt19937_64&)>;

/// Runs of a case: times within so many percent (standard deviation) of one level, of which the
/// last `after` are `step` longer.
std::vector<double> drawn(int before, int after, double step, const Draw& draw,
                          std::mt19937_64& random) {
  std::vector<double> times;
  for (int i = 0; i < before + after; ++i)
    times.push_back(draw(random) * (i < before ? 1 : 1 + step));
  return times;
}

Draw normal(double deviation) {
  return [=](std::mt19937_64& random) {
    return std::exp(std::normal_distribution<double>(0, deviation)(random));
  };
}

/// Every tenth run is disturbed and takes up to half as long again, as on a shared machine.
double disturbed(std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(0, 1);
  return normal(0.02)(random) * (uniform(random) < 0.1 ? 1 + uniform(random) / 2 : 1);
}

/// A clock of steps as large as the scatter: many times are equal.
double rounded(std::mt19937_64& random) { return std::round(100 * normal(0.01)(random)) / 100; }

double share(int of, const std::function<bool(std::mt19937_64&)>& holds) {
  std::mt19937_64 random(7);
  int count = 0;
  for (int i = 0; i < of; ++i) count += holds(random);
  return static_cast<double>(count) / of;
}

TEST(ChangePoints, NileFellIn1899) {
  // Annual flow at Aswan, 1871 to 1970, in 1e8 m^3 (Cobb 1978): its one change is that of 1899.
  const std::vector<double> nile{
      1120, 1160, 963, 1210, 1160, 1160, 813,  1230, 1370, 1140, 995,  935,  1110, 994,  1020,
      960,  1180, 799, 958,  1140, 1100, 1210, 1150, 1250, 1260, 1220, 1030, 1100, 774,  840,
      874,  694,  940, 833,  701,  916,  692,  1020, 1050, 969,  831,  726,  456,  824,  702,
      1120, 1100, 832, 764,  821,  768,  845,  864,  862,  698,  845,  744,  796,  1040, 759,
      781,  865,  845, 944,  984,  897,  822,  1010, 771,  676,  649,  846,  812,  742,  801,
      1040, 860,  874, 848,  890,  744,  749,  838,  1050, 918,  986,  797,  923,  975,  815,
      1020, 906,  901, 1170, 912,  746,  919,  718,  714,  740};
  ASSERT_EQ(nile.size(), 100u);
  const std::vector<ChangePoint> found = change_points(nile);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(1871 + found[0].first, 1899u);
  EXPECT_LT(found[0].chance, 0.001);
}

TEST(ChangePoints, ChanceIsThatOfPermutations) {
  // Of 6 lower and 6 higher values, in any order within: 2 of 924 choices are as far apart. 1999
  // permutations have 4.3 of these, and 11 with a probability of 1/400.
  const std::vector<double> halves{3, 1, 2, 6, 5, 4, 12, 9, 10, 11, 7, 8};
  const std::vector<ChangePoint> found = change_points(halves);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].first, 6u);
  EXPECT_NEAR(found[0].chance, 2. / 924 + 1. / 2000, 6. / 2000);
  // Of 11 values the widest split has 4 / 462 - 2 / 2772: no change is rare enough.
  EXPECT_TRUE(change_points({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}).empty());
}

TEST(ChangePoints, SeriesWithoutAChangeHaveNone) {
  EXPECT_TRUE(change_points({}).empty());
  EXPECT_TRUE(change_points(std::vector<double>(100, 2.5)).empty());
  const std::pair<const char*, Draw> noises[] = {
      {"normal", normal(0.02)}, {"disturbed", disturbed}, {"rounded", rounded}};
  for (const auto& [name, noise] : noises)
    for (const int length : {12, 40, 150}) {
      const Draw& draw = noise;
      const double alarms = share(2000, [&, size = length](std::mt19937_64& random) {
        return !change_points(drawn(size, 0, 0, draw, random)).empty();
      });
      EXPECT_LE(alarms, 0.01) << name << ", " << length << " runs: " << alarms;
      RecordProperty(fmt::format("false_alarms_{}_{}", name, length), fmt::format("{}", alarms));
    }
}

TEST(ChangePoints, StepsOfFivePercentAreFound) {
  // The table of acceptance.md: of 40 occasions the last 10, 20 are 5 % slower.
  struct Row {
    const char* name;
    Draw noise;
    int after;
    double found;  ///< share of 1000 series
  };
  const Row rows[] = {{"1 %", normal(0.01), 10, 0.99},    {"2 %", normal(0.02), 10, 0.98},
                      {"3 %", normal(0.03), 10, 0.67},    {"5 %", normal(0.05), 10, 0.14},
                      {"disturbed", disturbed, 10, 0.67}, {"1 %", normal(0.01), 20, 0.99},
                      {"2 %", normal(0.02), 20, 0.98},    {"3 %", normal(0.03), 20, 0.84},
                      {"5 %", normal(0.05), 20, 0.27},    {"disturbed", disturbed, 20, 0.86}};
  for (const Row& row : rows) {
    const double found = share(1000, [&](std::mt19937_64& random) {
      const auto changes = change_points(drawn(40 - row.after, row.after, 0.05, row.noise, random));
      return changes.size() == 1 &&
             std::abs(static_cast<int>(changes[0].first) - 40 + row.after) <= 4;
    });
    EXPECT_NEAR(found, row.found, 0.05) << row.name << ", " << row.after << " after";
    RecordProperty(fmt::format("found_{}_{}", row.name, row.after), fmt::format("{}", found));
  }
}

TEST(ChangePoints, LevelsThatReturnAreTwoChanges) {
  std::mt19937_64 random(3);
  std::vector<double> times = drawn(20, 20, 0.1, normal(0.01), random);
  const std::vector<double> back = drawn(20, 0, 0, normal(0.01), random);
  times.insert(times.end(), back.begin(), back.end());
  const std::vector<ChangePoint> found = change_points(times);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].first, 20u);
  EXPECT_EQ(found[1].first, 40u);
}

}  // namespace
}  // namespace bellwether
