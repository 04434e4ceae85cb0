// SPDX-License-Identifier: MIT
#include "models/noise/noise_wait.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace bellwether {
namespace {

/// Exponential detours of 1 ms, seen often.
Machine machine_with(double per_s, double shared = 0) {
  Machine machine;
  NoiseParameters noise;
  noise.detours = 1000;
  noise.detours_per_s = {per_s, per_s / 2, per_s * 2, {}};
  noise.lengths = {{0, 1e-9}};
  noise.tail = DetourTail{Quantity::exact(1e-3), Quantity::exact(0)};
  noise.shared_fraction = Quantity::exact(shared);
  set_section(machine, noise);
  return machine;
}

Prediction step_of(double seconds) {
  Prediction prediction;
  prediction.form = "refined";
  prediction.terms = {{"compute.interior", seconds, seconds, seconds}};
  prediction.total_s = prediction.low_s = prediction.high_s = seconds;
  return prediction;
}

void add_wait(const Machine& machine, const StepWaits& waits, Prediction& step) {
  NoiseWait(machine).add_to(waits, step);
}

Term wait_of(const Machine& machine, const StepWaits& waits, Prediction step) {
  add_wait(machine, waits, step);
  return step.terms.back().name == "wait" ? step.terms.back() : Term{};
}

TEST(NoiseWait, OfRareDetoursIsTheirLengthForAllButTheRankThatHasThem) {
  // One in 10000 steps on each rank: nobody has two, and no two ranks one in the same step.
  const Machine machine = machine_with(0.1);
  for (const int ranks : {2, 5}) {
    const Term wait = wait_of(machine, {.ranks = ranks}, step_of(1e-3));
    EXPECT_NEAR(wait.seconds, (ranks - 1) * 1e-4 * 1e-3, 0.01 * wait.seconds);
    EXPECT_NEAR(wait.low, wait.seconds / 2, 0.01 * wait.seconds);
    EXPECT_NEAR(wait.high, wait.seconds * 2, 0.01 * wait.seconds);
  }
}

TEST(NoiseWait, AddsUpWithTheOtherTerms) {
  Prediction step = step_of(0.1);
  add_wait(machine_with(10), {.ranks = 64}, step);
  ASSERT_EQ(step.terms.size(), 2u);
  const Term& wait = step.terms.back();
  EXPECT_DOUBLE_EQ(step.total_s, 0.1 + wait.seconds);
  EXPECT_DOUBLE_EQ(step.low_s, 0.1 + wait.low);
  EXPECT_DOUBLE_EQ(step.high_s, 0.1 + wait.high);
  EXPECT_LT(wait.low, wait.seconds);
  EXPECT_GT(wait.high, wait.seconds);
  EXPECT_TRUE(step.outside_range.empty());
}

TEST(NoiseWait, IsNoneOfARankAloneOrWithoutNoise) {
  Prediction step = step_of(0.1);
  add_wait(machine_with(10), {.ranks = 1}, step);
  EXPECT_EQ(wait_of(Machine{}, {.ranks = 64}, step).seconds, 0);
  EXPECT_EQ(wait_of(machine_with(0), {.ranks = 64}, step).seconds, 0);
  EXPECT_EQ(step.terms.size(), 1u);
  EXPECT_EQ(step.total_s, 0.1);
}

TEST(NoiseWait, BetweenLengthsOfWorkThatAreKeptIsWhatItIsThere) {
  const Machine machine = machine_with(100);
  const NoiseWait wait(machine);
  for (const double work_s : {1.1e-3, 7.3e-3, 0.11}) {
    const NoiseDelay delay(*section<NoiseParameters>(machine), work_s, Bound::value);
    const double expected = delay.expected_maximum(1000) - delay.mean();
    EXPECT_NEAR(wait.seconds(work_s, {.ranks = 1000}, 0, Bound::value), expected, 0.005 * expected);
  }
}

TEST(NoiseWait, WaitingTwiceForHalfAStepTakesLonger) {
  const Machine machine = machine_with(20);
  const Term once = wait_of(machine, {.ranks = 16}, step_of(0.1));
  const Term twice = wait_of(machine, {.ranks = 16, .times = 2}, step_of(0.1));
  EXPECT_GT(twice.seconds, once.seconds);
  EXPECT_LT(twice.seconds, 2 * once.seconds);
}

/// Seconds that a step takes longer than its work and a rank's own detours, on a torus of n^3 ranks
/// that wait for six neighbours each, by doing the steps.
double simulated_wait(int n, double per_step, double mean_s, int steps) {
  std::mt19937_64 random(5);
  std::poisson_distribution<int> number(per_step);
  std::exponential_distribution<double> length(1 / mean_s);
  const auto at = [n](int x, int y, int z) {
    return static_cast<std::size_t>(((x + n) % n * n + (y + n) % n) * n + (z + n) % n);
  };
  std::vector<double> now(static_cast<std::size_t>(n) * n * n), next(now.size());
  for (int step = 0; step < steps; ++step) {
    for (int x = 0; x < n; ++x)
      for (int y = 0; y < n; ++y)
        for (int z = 0; z < n; ++z) {
          double begin = now[at(x, y, z)];
          for (const int way : {-1, 1})
            begin = std::max(
                {begin, now[at(x + way, y, z)], now[at(x, y + way, z)], now[at(x, y, z + way)]});
          for (int left = number(random); left > 0; --left) begin += length(random);
          next[at(x, y, z)] = begin;
        }
    now.swap(next);
  }
  return std::accumulate(now.begin(), now.end(), 0.) / static_cast<double>(now.size()) / steps -
         per_step * mean_s;
}

TEST(NoiseWait, ForNeighboursIsWhatSimulatedStepsAllow) {
  for (const double per_step : {0.2, 0.02, 0.002}) {
    const Machine machine = machine_with(per_step / 1e-3);
    const NoiseWait wait(machine);
    const StepWaits near{.ranks = 512, .neighbours = 6};
    const double least = wait.seconds(1e-3, near, 0, Bound::value);
    const double most = wait.seconds(1e-3, {.ranks = 512}, 0, Bound::value);
    const double simulated = simulated_wait(8, per_step, 1e-3, per_step < 0.01 ? 3000 : 600);
    EXPECT_LT(least, simulated) << per_step;
    EXPECT_GT(least, 0.45 * simulated) << per_step;
    EXPECT_GT(most, simulated) << per_step;
  }
}

TEST(NoiseWait, ForNeighboursLiesBetweenTheirsAndAllRanks) {
  const Machine machine = machine_with(20);
  const Term all = wait_of(machine, {.ranks = 4096}, step_of(0.01));
  double before = wait_of(machine, {.ranks = 7}, step_of(0.01)).seconds;
  for (const int dimensions : {1, 2, 3}) {
    const StepWaits near{.ranks = 4096, .neighbours = 6, .dimensions = dimensions};
    const Term wait = wait_of(machine, near, step_of(0.01));
    EXPECT_GE(wait.seconds, before * (1 - 1e-9));
    EXPECT_LT(wait.seconds, all.seconds);
    EXPECT_LT(wait.low, wait.seconds);
    EXPECT_DOUBLE_EQ(wait.high, all.high);
    before = wait.seconds;
  }
  EXPECT_DOUBLE_EQ(wait_of(machine, {.ranks = 7, .neighbours = 6}, step_of(0.01)).seconds,
                   wait_of(machine, {.ranks = 7}, step_of(0.01)).seconds);
}

TEST(NoiseWait, GrowsWithRanks) {
  const Machine machine = machine_with(20);
  for (const int neighbours : {0, 2, 6}) {
    double before = 0;
    for (int ranks = 2; ranks <= 65536; ranks *= 4) {
      const Term wait = wait_of(machine, {.ranks = ranks, .neighbours = neighbours}, step_of(1e-3));
      EXPECT_GE(wait.seconds, before * (1 - 1e-9)) << ranks;
      before = wait.seconds;
    }
    EXPECT_GT(before, 0);
  }
}

TEST(NoiseWait, OfDetoursThatMeetAWholeNodeIsThatOfTheNodes) {
  const Term nodes = wait_of(machine_with(20), {.ranks = 16}, step_of(0.01));
  const Term ranks =
      wait_of(machine_with(20, 1), {.ranks = 64, .ranks_per_node = 4}, step_of(0.01));
  EXPECT_DOUBLE_EQ(ranks.seconds, nodes.seconds);
  EXPECT_FALSE(
      wait_of(machine_with(20, 1), {.ranks = 4, .ranks_per_node = 4}, step_of(0.01)).seconds > 0);
}

TEST(NoiseWait, IsHiddenWhileThereIsSomethingToCompute) {
  const Machine machine = machine_with(20);
  Prediction step = step_of(0.01);
  step.hiding_s = 0.009;
  step.communication_s = 0.004;
  step.hidden_fraction = 1;
  const Term off = wait_of(machine, {.ranks = 16}, step);
  const Term on = wait_of(machine, {.ranks = 16, .overlap = true}, step);
  EXPECT_LT(on.seconds, 0.1 * off.seconds) << "5 of its own mean lengths are hidden";
  EXPECT_GT(on.seconds, 0);
  step.hiding_s = step.communication_s;
  EXPECT_DOUBLE_EQ(wait_of(machine, {.ranks = 16, .overlap = true}, step).seconds, off.seconds);
}

TEST(NoiseWait, SaysWhereItRestsOnTheTail) {
  Prediction step = step_of(0.1);
  add_wait(machine_with(10), {.ranks = 65536}, step);
  ASSERT_EQ(step.outside_range.size(), 1u);
  EXPECT_NE(step.outside_range[0].find("1000 were seen"), std::string::npos);
}

}  // namespace
}  // namespace bellwether
