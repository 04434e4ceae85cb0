// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_checks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bellwether {
namespace {

constexpr double unit = 6e-8;

GlobalLbmSums sums(double cells, double excess_mass, double momentum) {
  GlobalLbmSums all;
  all.cells = cells;
  all.excess_mass = excess_mass;
  all.momentum[0] = momentum;
  all.largest_speed = 0.05;
  return all;
}

TEST(LbmChecks, ValuesThatAreNotFiniteAreNamed) {
  GlobalLbmSums now = sums(100, 0, 0);
  EXPECT_TRUE(finite_values(now, 7).passed);
  now.rank = 2;
  now.cell = {3, 4, 5};
  now.not_finite = 9;
  const Verification found = finite_values(now, 7);
  EXPECT_FALSE(found.passed);
  EXPECT_EQ(found.what, "values not finite: step 7, rank 2, cell (3, 4, 5), the first of 9");
}

/// A population lost at one cell in a hundred, each step, is much more than rounding.
TEST(LbmChecks, ALeakIsNoRounding) {
  const double cells = 1e6, lost = 0.05 / 36;
  const double bound = rounding_bound(0.05, 0, 100, unit);
  EXPECT_TRUE(mass_balance(sums(cells, 1, 0), sums(cells, 1.0001, 0), bound).passed);
  EXPECT_FALSE(
      mass_balance(sums(cells, 1, 0), sums(cells, 1 - 100 * lost * cells / 100, 0), bound).passed);
  EXPECT_FALSE(mass_balance(sums(cells, 1, 0), sums(cells, NAN, 0), bound).passed);
}

TEST(LbmChecks, AForceThatIsNotFeltIsNoRounding) {
  const double cells = 1e6, force = 1e-6;
  const double bound = rounding_bound(0.05, 0, 100, unit);
  const std::array<double, 3> gained{force * cells * 100, 0, 0};
  const auto passed = [&](double change) {
    return momentum_balance(sums(cells, 0, 3), sums(cells, 0, 3 + change), gained, bound).passed;
  };
  EXPECT_TRUE(passed(gained[0]));
  EXPECT_FALSE(passed(0));
  EXPECT_FALSE(passed(2 * gained[0]));
  EXPECT_FALSE(passed(NAN));
}

TEST(LbmChecks, TheWorstIsTheOneThatFailsOrComesNearest) {
  const Verification good{true, "good", 1, 10}, near{true, "near", 0.2, 0.3},
      bad{false, "bad", 2, 1};
  EXPECT_EQ(worst_of({good, near}).what, "near");
  EXPECT_EQ(worst_of({near, good}).what, "near");
  EXPECT_EQ(worst_of({good, bad, near}).what, "bad");
}

}  // namespace
}  // namespace bellwether
