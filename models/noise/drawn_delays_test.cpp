// SPDX-License-Identifier: MIT
#include "models/noise/drawn_delays.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/noise/noise_delay.hpp"

namespace bellwether {
namespace {

/// Exponential detours of 1 ms.
NoiseParameters exponential_noise(double per_s, double shared = 0) {
  NoiseParameters noise;
  noise.detours_per_s = {per_s, per_s / 2, per_s * 2, {}};
  noise.lengths = {{0, 1e-9}};
  noise.tail = DetourTail{Quantity::exact(1e-3), Quantity::exact(0)};
  noise.shared_fraction = Quantity::exact(shared);
  return noise;
}

/// Quantiles, and beyond them a tail that is not exponential.
NoiseParameters uneven(double per_s) {
  NoiseParameters noise = exponential_noise(per_s);
  noise.lengths = {{0, 1e-4}, {0.5, 2e-4}, {0.9, 1e-3}};
  noise.tail = DetourTail{Quantity::exact(1e-3), Quantity::exact(0.25)};
  return noise;
}

Machine with(const NoiseParameters& noise) {
  Machine machine;
  set_section(machine, noise);
  return machine;
}

struct Means {
  double latest_s = 0, mean_s = 0, deviation_s = 0;
};
Means means(const NoiseParameters& noise, int ranks, double work_s, int pieces = 40000) {
  DrawnDelays delays(noise, 1, 0);
  Means sum;
  double squares = 0;
  for (int piece = 0; piece < pieces; ++piece) {
    const Delay one = delays.next({ranks, ranks, 0}, static_cast<std::uint64_t>(piece), work_s);
    sum.latest_s += one.latest_s / pieces;
    sum.mean_s += one.mean_s / pieces;
    squares += one.mean_s * one.mean_s / pieces;
  }
  sum.deviation_s = std::sqrt(squares - sum.mean_s * sum.mean_s);
  return sum;
}

TEST(DrawnDelays, AreDistributedAsTheLawSays) {
  for (const NoiseParameters& noise : {exponential_noise(100), uneven(200)})
    for (const int ranks : {1, 4}) {
      const NoiseDelay law(noise, 5e-3, Bound::value);
      const Means drawn = means(noise, ranks, 5e-3);
      EXPECT_NEAR(drawn.mean_s, law.mean(), 0.03 * law.mean());
      const double latest = law.expected_maximum(ranks);
      EXPECT_NEAR(drawn.latest_s, latest, 0.03 * latest) << ranks;
    }
}

TEST(DrawnDelays, OfVeryManyDetoursHaveTheirMeanAndVariance) {
  // 1000 a piece: mean 1 s, variance 1000 x 2 x (1 ms)^2.
  const Means drawn = means(exponential_noise(1000), 1, 1., 4000);
  EXPECT_NEAR(drawn.mean_s, 1, 0.003);
  EXPECT_NEAR(drawn.deviation_s, std::sqrt(2e-3), 0.05 * std::sqrt(2e-3));
}

TEST(DrawnDelays, SharedDetoursMeetAllOfANode) {
  DrawnDelays delays(exponential_noise(1000, 1), 2, 0);
  bool differ = false;
  for (std::uint64_t piece = 0; piece < 100; ++piece) {
    const Delay one = delays.next({.node = 0}, piece, 1e-3);
    EXPECT_EQ(delays.next({.node = 0}, piece, 1e-3).latest_s, one.latest_s);
    differ = differ || delays.next({.node = 1}, piece, 1e-3).latest_s != one.latest_s;
  }
  EXPECT_TRUE(differ);
  // A rank alone on its node shares with nobody.
  DrawnDelays alone(exponential_noise(1000, 1), 1, 0);
  differ = false;
  for (std::uint64_t piece = 0; piece < 100; ++piece)
    differ = differ || alone.next({.node = 0}, piece, 1e-3).latest_s !=
                           alone.next({.node = 0}, piece, 1e-3).latest_s;
  EXPECT_TRUE(differ);
}

TEST(DrawnDelays, AreTheSameForTheSameDraw) {
  const NoiseParameters noise = exponential_noise(1000);
  DrawnDelays one(noise, 1, 3), same(noise, 1, 3), other(noise, 1, 4);
  bool differ = false;
  for (std::uint64_t piece = 0; piece < 50; ++piece) {
    const double seconds = one.next({}, piece, 1e-3).latest_s;
    EXPECT_EQ(same.next({}, piece, 1e-3).latest_s, seconds);
    differ = differ || other.next({}, piece, 1e-3).latest_s != seconds;
  }
  EXPECT_TRUE(differ);
}

Prediction a_step(double seconds) {
  Prediction prediction;
  prediction.terms = {{"compute", seconds, seconds, seconds}};
  prediction.total_s = prediction.low_s = prediction.high_s = seconds;
  return prediction;
}

/// So many pieces of 1 ms on two ranks that wait for each other after each.
DelayedRun in_step(DrawnDelays& delays, int pieces) {
  DelayedRun run;
  for (int piece = 0; piece < pieces; ++piece) {
    const Delay one = delays.next({2, 2, 0}, static_cast<std::uint64_t>(piece), 1e-3);
    run.total_s += 1e-3 + one.latest_s;
    run.own_s += one.mean_s;
  }
  return run;
}

TEST(DrawnWait, IsWhatTheOthersDetoursCost) {
  const NoiseParameters noise = exponential_noise(100);
  const NoiseDelay law(noise, 1e-3, Bound::value);
  for (const int pieces : {50, 5000}) {
    const double expected = pieces * (law.expected_maximum(2) - law.mean());
    Prediction step = a_step(1e-3 * pieces);
    add_drawn_wait(
        with(noise), 2, 1, [&](DrawnDelays& delays) { return in_step(delays, pieces); }, step);
    ASSERT_EQ(step.terms.size(), 2u);
    const Term& wait = step.terms.back();
    EXPECT_EQ(wait.name, "wait");
    EXPECT_NEAR(wait.seconds, expected, 0.2 * expected);
    EXPECT_LT(wait.low, wait.seconds / 1.9);
    EXPECT_GT(wait.high, wait.seconds * 1.9);
    EXPECT_DOUBLE_EQ(step.total_s, 1e-3 * pieces + wait.seconds);
    EXPECT_DOUBLE_EQ(step.low_s, 1e-3 * pieces + wait.low);
    EXPECT_DOUBLE_EQ(step.high_s, 1e-3 * pieces + wait.high);
    ASSERT_EQ(step.outside_range.size(), 1u);  // the law was never seen
    EXPECT_NE(step.outside_range[0].find("0 were seen"), std::string::npos);
  }
}

TEST(DrawnWait, IsAddedToTheWaitingThatIsThere) {
  Prediction step = a_step(0.05);
  step.terms.push_back({"wait", 1, 1, 1});
  step.total_s = step.low_s = step.high_s = 1.05;
  const auto run = [](DrawnDelays& delays) {
    DelayedRun one = in_step(delays, 50);
    one.total_s += 1;
    return one;
  };
  add_drawn_wait(with(exponential_noise(100)), 2, 1, run, step);
  ASSERT_EQ(step.terms.size(), 2u);
  EXPECT_GT(step.terms[1].seconds, 1);
  EXPECT_DOUBLE_EQ(step.total_s, 0.05 + step.terms[1].seconds);
}

TEST(DrawnWait, IsNoneOfARankAloneOrWithoutNoise) {
  const auto never = [](DrawnDelays&) -> DelayedRun { throw std::logic_error("was followed"); };
  Prediction step = a_step(1);
  add_drawn_wait(with(exponential_noise(100)), 1, 1, never, step);
  add_drawn_wait(with(exponential_noise(0)), 2, 1, never, step);
  add_drawn_wait(Machine{}, 2, 1, never, step);
  EXPECT_EQ(step.terms.size(), 1u);
  EXPECT_EQ(step.total_s, 1);
}

}  // namespace
}  // namespace bellwether
