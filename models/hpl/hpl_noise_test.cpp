// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "models/hpl/hpl_program.hpp"
#include "models/hpl/hpl_test_costs.hpp"

namespace bellwether {
namespace {

constexpr double at_once = 1e15;

/// Constant detours; messages and copies take no time.
Machine noisy(double per_s, double seconds, double shared = 0) {
  Machine machine = hpl_test_machine(1e9, 0, at_once, "cpu");
  NoiseParameters noise;
  noise.detours_per_s = Quantity::exact(per_s);
  noise.lengths = {{0, 0.999 * seconds}, {1, 1.001 * seconds}};
  noise.shared_fraction = Quantity::exact(shared);
  set_section(machine, noise);
  return machine;
}

Machine quiet() {
  Machine machine = noisy(0, 1e-6);
  return machine;
}

double wait_of(const Machine& machine, const HplProblem& problem, bool look_ahead,
               int ranks_per_node = 1) {
  return hpl_term(predict_hpl_refined(machine, problem, ranks_per_node, look_ahead), "wait");
}

TEST(HplWait, ProcessesOfAColumnWaitForEachOfTheirDetours) {
  // Rare ones: of three in step each costs its own time to the two others.
  const HplProblem problem{1200, 40, {3, 1}};
  const Prediction still = predict_hpl_refined(quiet(), problem, 1, false);
  const double work_s = hpl_term(still, "compute.panel") + hpl_term(still, "compute.trsm") +
                        hpl_term(still, "compute.gemm") + hpl_term(still, "swap");
  const double expected = 2 * 5 * 1e-5 * work_s;
  EXPECT_NEAR(wait_of(noisy(5, 1e-5), problem, false), expected, 0.2 * expected);
}

TEST(HplWait, DetoursThatMeetAWholeNodeAreNotWaitedFor) {
  const HplProblem problem{1200, 40, {3, 1}};
  const double own = wait_of(noisy(1000, 1e-5), problem, false, 3);
  const double shared = wait_of(noisy(1000, 1e-5, 1), problem, false, 3);
  EXPECT_GT(own, 0);
  EXPECT_LT(shared, 0.01 * own);
}

TEST(HplWait, AllColumnsWaitForThePanelsOwner) {
  // Short against the panel's factorization, for which all wait: who is late with its update alone
  // is not waited for. Of the owner's detours there half are a mean process' own.
  const HplProblem problem{1024, 64, {1, 2}};
  const Prediction still = predict_hpl_refined(quiet(), problem, 1, false);
  const auto terms = hpl_term(still, "compute.panel");
  const double expected = 10000 * 1e-7 * terms;
  const double found = wait_of(noisy(10000, 1e-7), problem, false) - hpl_term(still, "wait");
  EXPECT_NEAR(found, expected, 0.35 * expected);
}

TEST(HplWait, GrowsWithTheRate) {
  for (const bool look_ahead : {false, true}) {
    const HplProblem problem{2000, 50, {2, 2}};
    double before = wait_of(quiet(), problem, look_ahead);
    for (const double per_s : {10., 100., 1000.}) {
      const double wait = wait_of(noisy(per_s, 1e-4), problem, look_ahead);
      EXPECT_GT(wait, before) << per_s;
      before = wait;
    }
  }
}

TEST(HplWait, OfALongFactorizationIsNearThatOfAFollowedOne) {
  for (const bool look_ahead : {false, true})
    for (const ProcessGrid grid : {ProcessGrid{4, 4}, ProcessGrid{8, 2}, ProcessGrid{1, 8}}) {
      const Machine machine = noisy(200, 1e-3);
      const HplProblem problem{6000, 64, grid};
      std::vector<std::string> notes;
      const HplProgram program({hpl_costs(machine, 1, Bound::value, notes),
                                hpl_paths(machine, grid, 1, Bound::value), problem},
                               look_ahead, 1);
      const auto wait_s = [&](double most_parts) {
        Prediction prediction;
        prediction.total_s = evaluate_hpl(program, nullptr, most_parts).total_s;
        const auto run = [&](DrawnDelays& delays) {
          const StepTimes times = evaluate_hpl(program, &delays, most_parts);
          return DelayedRun{times.total_s, times.delays_s};
        };
        add_drawn_wait(machine, problem.ranks(), 1, run, prediction);
        return prediction.terms.front().seconds;
      };
      const double parts = static_cast<double>(problem.panels() * grid.columns);
      const double followed_s = wait_s(most_hpl_parts), sampled_s = wait_s(parts / 2);
      ASSERT_GT(followed_s, 0);
      EXPECT_LT(sampled_s, 1.4 * followed_s) << grid.name() << look_ahead;
      // Of a single row little is certain.
      EXPECT_GT(sampled_s, (grid.rows > 1 ? 0.6 : -1) * followed_s) << grid.name() << look_ahead;
    }
}

}  // namespace
}  // namespace bellwether
