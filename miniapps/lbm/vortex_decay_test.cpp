// SPDX-License-Identifier: MIT
#include "miniapps/lbm/vortex_decay.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bellwether {
namespace {

constexpr double unit = 6e-8;

TEST(VortexDecay, TheViscosityIsHeldToTheSquareOfTheMachNumber) {
  const double nu = 0.1, square = 0.02, mach = 0.09;
  const auto check = [&](double actual, long steps) {
    const double taken = square * static_cast<double>(steps);
    const MeasuredViscosity viscosity =
        viscosity_of(std::exp(-actual * taken), std::exp(-nu * taken), square, steps);
    EXPECT_NEAR(viscosity.measured, actual, 1e-12);
    return viscosity_check(viscosity, nu, mach, square, steps, unit).passed;
  };
  EXPECT_TRUE(check(nu * 1.005, 200));
  EXPECT_FALSE(check(nu * 1.02, 200));
  EXPECT_FALSE(check(nu * 0.98, 200));
  EXPECT_FALSE(check(nu * 1.2, 2));
  // An amplitude of the wrong sign has no logarithm.
  EXPECT_FALSE(
      viscosity_check(viscosity_of(-0.5, 0.9, square, 10), nu, mach, square, 10, unit).passed);
}

LbmProblem vortices() {
  LbmProblem problem;
  problem.cells = {4, 32, 32};
  return problem;
}

TEST(VortexDecay, IsLookedAtWhileItShows) {
  VortexDecay decay(vortices(), unit);
  EXPECT_FALSE(decay.shows_after(0));
  EXPECT_TRUE(decay.shows_after(1));
  EXPECT_TRUE(decay.shows_after(static_cast<long>(decay.longest())));
  EXPECT_FALSE(decay.shows_after(static_cast<long>(decay.longest()) + 1));
  // A tenth of the amplitude is left, or less time than rounding takes to grow.
  const double square = 2 * std::pow(2 * M_PI / 32, 2);
  EXPECT_LE(std::exp(-0.1 * square * decay.longest()), 1);
  EXPECT_GE(std::exp(-0.1 * square * decay.longest()), 0.0999);
  EXPECT_NEAR(VortexDecay(vortices(), 1e-16).longest(), std::log(10) / (0.1 * square), 1e-9);
}

TEST(VortexDecay, IsNotAskedForWhereSomethingElseActs) {
  LbmProblem driven = vortices(), dampened = vortices(), flow = vortices(), tiny = vortices();
  driven.force = {1e-6, 0, 0};
  dampened.les = 0.16;
  flow.initial = "flow";
  tiny.cells = {3, 3, 3};
  for (const LbmProblem& problem : {driven, dampened, flow, tiny})
    EXPECT_FALSE(VortexDecay(problem, unit).shows_after(1));
  EXPECT_TRUE(std::isinf(VortexDecay(flow, unit).longest()));
}

}  // namespace
}  // namespace bellwether
