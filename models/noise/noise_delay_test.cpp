// SPDX-License-Identifier: MIT
#include "models/noise/noise_delay.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace bellwether {
namespace {

/// Detours of exponential lengths.
NoiseParameters exponential(double per_s, double mean_s) {
  NoiseParameters noise;
  noise.detours_per_s = Quantity::exact(per_s);
  noise.lengths = {{0, 1e-6 * mean_s}};
  noise.tail = DetourTail{Quantity::exact(mean_s), Quantity::exact(0)};
  return noise;
}

/// Of one length, as far as a table can say.
NoiseParameters constant(double per_s, double seconds) {
  NoiseParameters noise;
  noise.detours_per_s = Quantity::exact(per_s);
  noise.lengths = {{0, seconds * (1 - 1e-6)}, {1, seconds * (1 + 1e-6)}};
  return noise;
}

/// Ticks of a few microseconds, and now and then something that takes long.
NoiseParameters mixed() {
  NoiseParameters noise;
  noise.detours_per_s = Quantity::exact(300);
  noise.lengths = {{0, 2e-6}, {0.5, 4e-6}, {0.9, 1e-5}, {0.98, 4e-4}};
  noise.tail = DetourTail{Quantity::exact(1e-3), Quantity::exact(0.2)};
  return noise;
}

double harmonic(int count) {
  double sum = 0;
  for (int index = 1; index <= count; ++index) sum += 1. / index;
  return sum;
}

double mean_length(const NoiseParameters& noise) {
  double mean = 0;
  for (std::size_t index = 1; index < noise.lengths.size(); ++index)
    mean += (noise.lengths[index].fraction - noise.lengths[index - 1].fraction) *
            (noise.lengths[index].seconds + noise.lengths[index - 1].seconds) / 2;
  if (noise.tail)
    mean +=
        (1 - noise.lengths.back().fraction) *
        (noise.lengths.back().seconds + noise.tail->scale_s.value / (1 - noise.tail->shape.value));
  return mean;
}

/// Draws delays by the section's own words: no lattice, no classes.
class Drawn {
 public:
  explicit Drawn(const NoiseParameters& noise) : noise_(noise) {}

  double delay(double work_s) {
    std::poisson_distribution<int> number(noise_.detours_per_s.value * work_s);
    double sum = 0;
    for (int left = number(random_); left > 0; --left) sum += length();
    return sum;
  }
  struct Mean {
    double value, error;
  };
  Mean mean_of_largest(double work_s, int ranks, int draws) {
    double sum = 0, squares = 0;
    for (int draw = 0; draw < draws; ++draw) {
      double largest = 0;
      for (int rank = 0; rank < ranks; ++rank) largest = std::max(largest, delay(work_s));
      sum += largest;
      squares += largest * largest;
    }
    const double mean = sum / draws;
    return {mean, std::sqrt((squares / draws - mean * mean) / draws)};
  }

 private:
  double length() {
    const double share = std::uniform_real_distribution<double>()(random_);
    const DetourLength& last = noise_.lengths.back();
    if (share >= last.fraction) {
      const double left = (1 - share) / (1 - last.fraction), shape = noise_.tail->shape.value;
      return last.seconds +
             noise_.tail->scale_s.value *
                 (shape > 0 ? (std::pow(left, -shape) - 1) / shape : -std::log(left));
    }
    std::size_t index = 1;
    while (noise_.lengths[index].fraction < share) ++index;
    const auto& [below, shortest] = noise_.lengths[index - 1];
    const auto& [above, longest] = noise_.lengths[index];
    return shortest + (longest - shortest) * (share - below) / (above - below);
  }

  const NoiseParameters& noise_;
  std::mt19937_64 random_{11};
};

TEST(NoiseDelay, OfOneRankIsItsMean) {
  for (const NoiseParameters& noise : {exponential(50, 1e-3), constant(2000, 1e-5), mixed()}) {
    for (const double work_s : {1e-6, 1e-3, 0.1, 10.}) {
      const NoiseDelay delay(noise, work_s, Bound::value);
      const double mean = noise.detours_per_s.value * work_s * mean_length(noise);
      EXPECT_NEAR(delay.mean(), mean, 1e-3 * mean);
      EXPECT_NEAR(delay.expected_maximum(1), mean, 5e-3 * mean) << work_s;
    }
  }
}

TEST(NoiseDelay, WithoutDetoursThereIsNone) {
  NoiseParameters quiet;
  quiet.detours_per_s = {0, 0, 0.6, {}};
  const NoiseDelay delay(quiet, 1, Bound::slowest);
  EXPECT_EQ(delay.mean(), 0);
  EXPECT_EQ(delay.expected_maximum(65536), 0);
  EXPECT_EQ(delay.survival(0), 0);
  EXPECT_EQ(NoiseDelay(mixed(), 0, Bound::value).expected_maximum(1000), 0);
}

TEST(NoiseDelay, IsWhatDrawingGives) {
  for (const NoiseParameters& noise : {exponential(200, 5e-4), mixed(), constant(1000, 1e-4)}) {
    Drawn drawn(noise);
    for (const double work_s : {1e-3, 2e-2, 0.2}) {
      const NoiseDelay delay(noise, work_s, Bound::value);
      for (const int ranks : {2, 16, 128}) {
        const int draws = 400000 / ranks / (work_s > 0.1 ? 10 : 1);
        const Drawn::Mean expected = drawn.mean_of_largest(work_s, ranks, draws);
        EXPECT_NEAR(delay.expected_maximum(ranks), expected.value,
                    4 * expected.error + 0.01 * expected.value)
            << ranks << " ranks, " << work_s << " s";
      }
    }
  }
}

// Of K exponential ones, no two of one rank, the largest takes H_K means; K is Poisson.
TEST(NoiseDelay, OfRareExponentialDetoursGrowsAsTheHarmonicNumber) {
  constexpr double mean_s = 1e-3;
  const NoiseDelay delay(exponential(1, mean_s), 1e-4, Bound::value);
  for (const int ranks : {1000, 10000, 100000}) {
    const double events = 1e-4 * ranks;
    double expected = 0, probability = std::exp(-events);
    for (int count = 1; count < 100; ++count) {
      probability *= events / count;
      expected += probability * harmonic(count) * mean_s;
    }
    EXPECT_NEAR(delay.expected_maximum(ranks), expected, 0.01 * expected) << ranks;
  }
}

TEST(NoiseDelay, OfManyDetoursIsNormal) {
  constexpr double seconds = 1e-5;
  const double count = 20000;
  const NoiseDelay delay(constant(count, seconds), 1, Bound::value);
  const double deviation = seconds * std::sqrt(count);
  EXPECT_NEAR(delay.mean(), count * seconds, 1e-4 * count * seconds);
  const double of_two = delay.expected_maximum(2) - delay.expected_maximum(1);
  EXPECT_NEAR(of_two, deviation / std::sqrt(std::numbers::pi), 0.02 * of_two);
  // 4.39 deviations for 65536 normal ones (order statistics' integral).
  const double of_all = delay.expected_maximum(65536) - delay.expected_maximum(1);
  EXPECT_NEAR(of_all / deviation, 4.39, 0.4);
}

TEST(NoiseDelay, GrowsWithRanksAndWorkAndShrinksWithSlack) {
  for (const NoiseParameters& noise : {exponential(50, 1e-3), constant(2000, 1e-5), mixed()}) {
    const NoiseDelay delay(noise, 5e-3, Bound::value), longer(noise, 6e-3, Bound::value);
    double before = 0;
    for (double ranks = 1; ranks <= 65536; ranks *= 1.7) {
      const double largest = delay.expected_maximum(ranks);
      EXPECT_GT(largest, before);
      EXPECT_GT(longer.expected_maximum(ranks), largest);
      EXPECT_LT(delay.expected_maximum(ranks, 2e-6), largest);
      EXPECT_LE(largest, ranks * delay.mean() * 1.005);
      before = largest;
    }
    EXPECT_LT(delay.expected_maximum(65536, 100), 1e-3 * before);
  }
}

TEST(NoiseDelay, SurvivalFallsFromTheShareThatMeetsAny) {
  const NoiseDelay delay(mixed(), 5e-3, Bound::value);
  EXPECT_NEAR(delay.survival(0), 1 - std::exp(-1.5), 1e-9);
  double before = 1;
  for (double seconds = 1e-7; seconds < 1; seconds *= 1.1) {
    const double now = delay.survival(seconds);
    EXPECT_LE(now, before * (1 + 1e-9) + 1e-15);
    before = now;
  }
  EXPECT_LT(before, 1e-9);
}

TEST(NoiseDelay, TakesTheEndsOfItsIntervals) {
  NoiseParameters noise = mixed();
  noise.detours_per_s = {300, 200, 400, {}};
  noise.tail->scale_s = {1e-3, 0.8e-3, 1.5e-3, {}};
  const double least = NoiseDelay(noise, 1e-2, Bound::fastest).expected_maximum(64);
  const double middle = NoiseDelay(noise, 1e-2, Bound::value).expected_maximum(64);
  const double most = NoiseDelay(noise, 1e-2, Bound::slowest).expected_maximum(64);
  EXPECT_LT(least, middle);
  EXPECT_LT(middle, most);
}

TEST(IndependentRanks, AreAllOfThemOrOneOfEachNode) {
  EXPECT_EQ(independent_ranks(1, 4, 0.5), 1);
  EXPECT_EQ(independent_ranks(64, 4, 0), 64);
  EXPECT_EQ(independent_ranks(64, 4, 1), 16);
  EXPECT_EQ(independent_ranks(64, 4, 0.5), 40);
  EXPECT_EQ(independent_ranks(3, 4, 1), 1);
}

}  // namespace
}  // namespace bellwether
