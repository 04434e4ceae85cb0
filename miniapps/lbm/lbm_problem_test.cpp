// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_problem.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"

namespace bellwether {
namespace {

LbmProblem box(std::array<long long, 3> cells) {
  LbmProblem problem;
  problem.cells = cells;
  return problem;
}

std::string refusal(const LbmProblem& problem) {
  try {
    validate(problem);
  } catch (const BadInput& error) {
    return error.what();
  }
  return "accepted";
}

TEST(LbmProblem, RefusalsNameTheOptionAndWhatWasFound) {
  LbmProblem problem = box({8, 8, 8});
  EXPECT_EQ(refusal(problem), "accepted");
  problem.tau = 0.5;
  EXPECT_EQ(
      refusal(problem),
      "--tau: found 0.5, expected more than 0.5 (the viscosity is (tau - 1/2) / 3) and at most "
      "1000");
  problem.tau = 0.5000000001;
  EXPECT_EQ(refusal(problem).substr(0, 40), "--tau: found 0.5000000001, in f32 0.5, e");
  problem.precision = "f64";
  EXPECT_EQ(refusal(problem), "accepted");
  problem.precision = "f32";
  problem.tau = 1e30;
  EXPECT_EQ(refusal(problem).substr(0, 25), "--tau: found 1e+30, expec");
  problem.tau = 0.8;
  problem.speed = 1e-300;
  EXPECT_EQ(refusal(problem),
            "--speed: found 1e-300, expected at least 1e-12, or rounding is all that moves");
  problem.speed = 0.05;
  problem.tau = 0.50001;
  EXPECT_EQ(refusal(problem), "accepted");
  problem.speed = 0.2;
  EXPECT_EQ(refusal(problem),
            "--speed: found 0.2 and a drift of 0, a Mach number of 0.346, expected at most 0.3");
  problem.speed = 0.05;
  problem.drift = {0, 0.09, 0.12};
  EXPECT_EQ(
      refusal(problem),
      "--speed: found 0.05 and a drift of 0.15, a Mach number of 0.346, expected at most 0.3");
  problem.drift = {};
  problem.initial = "taylor-green";
  problem.geometry = "sphere";
  EXPECT_EQ(refusal(problem),
            "--initial taylor-green: found --boundary periodic and --geometry sphere, expected "
            "periodic and none");
  problem.initial = "flow";
  problem.geometry = "channel";
  problem.boundary = "walls";
  EXPECT_EQ(refusal(problem), "--geometry channel: found --boundary walls, expected periodic");
}

TEST(LbmProblem, StartsAsVorticesWhereAllIsPeriodicAndFluid) {
  LbmProblem problem = box({8, 8, 8});
  EXPECT_TRUE(problem.starts_as_taylor_green());
  problem.geometry = "sphere";
  EXPECT_FALSE(problem.starts_as_taylor_green());
  problem.geometry = "none";
  problem.boundary = "walls";
  EXPECT_FALSE(problem.starts_as_taylor_green());
}

/// 8 nu U / H^2 holds a parabola of peak U against the plates' friction.
TEST(LbmProblem, IsDrivenBetweenPlatesUnlessAForceIsGiven) {
  LbmProblem problem = box({8, 8, 22});
  EXPECT_FALSE(problem.is_driven());
  problem.geometry = "channel";
  problem.tau = 1.1;
  problem.speed = 0.01;
  EXPECT_NEAR(problem.driving_force()[0], 8 * 0.2 * 0.01 / 400, 1e-18);
  EXPECT_NEAR(problem.reynolds(), 0.01 * 20 / 0.2, 1e-12);
  problem.force = {0, 0, 1e-6};
  EXPECT_EQ(problem.driving_force(), (std::array<double, 3>{0, 0, 1e-6}));
}

/// The paper's counts in the paper's form, the kernel's own in the other.
TEST(LbmProblem, WorkIsCountedForTheFluid) {
  const StepWork work = lbm_work(box({8, 8, 8}), 500);
  EXPECT_EQ(work.units, 500);
  EXPECT_EQ(work.bytes, 500 * 152);
  const StencilKernel kernel = lbm_stencil(box({8, 8, 8}));
  EXPECT_EQ(work.flops, 500 * kernel.flops);
  EXPECT_EQ(kernel.paper_flops, 476);
  EXPECT_LT(kernel.flops, kernel.paper_flops);
  LbmProblem driven = box({8, 8, 8});
  driven.les = 0.16;
  EXPECT_GT(lbm_stencil(driven).flops, kernel.flops);
}

}  // namespace
}  // namespace bellwether
