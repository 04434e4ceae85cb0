// SPDX-License-Identifier: MIT
#include "models/noise/noise_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace bellwether {
namespace {

/// Lengths of a distribution by its inverse, at evenly spread probabilities in a shuffled order.
template <class Inverse>
std::vector<double> detours_of(int count, const Inverse& inverse) {
  std::vector<double> seconds;
  for (int index = 0; index < count; ++index) seconds.push_back(inverse((index + 0.5) / count));
  std::shuffle(seconds.begin(), seconds.end(), std::mt19937(3));
  return seconds;
}

TEST(DetourLengths, WithoutDetoursThereAreNone) {
  NoiseParameters noise;
  noise.tail = DetourTail{};
  set_detour_lengths({}, noise);
  EXPECT_EQ(noise.detours, 0);
  EXPECT_TRUE(noise.lengths.empty());
  EXPECT_FALSE(noise.tail);
}

TEST(DetourLengths, ExponentialOnesHaveAnExponentialTail) {
  constexpr double mean = 3e-4;
  NoiseParameters noise;
  set_detour_lengths(detours_of(20000, [](double p) { return -mean * std::log1p(-p); }), noise);
  ASSERT_EQ(noise.lengths.size(), static_cast<std::size_t>(most_detour_lengths));
  EXPECT_EQ(noise.detours, 20000);
  EXPECT_NEAR(noise.lengths.back().fraction, 0.95, 1e-9);
  for (const DetourLength& length : noise.lengths)
    EXPECT_NEAR(length.seconds, -mean * std::log1p(-length.fraction), 0.01 * mean);
  ASSERT_TRUE(noise.tail);
  EXPECT_NEAR(noise.tail->scale_s.value, mean, 0.05 * mean);
  EXPECT_LT(noise.tail->shape.value, 0.05);
  EXPECT_LE(noise.tail->scale_s.low, mean);
  EXPECT_GE(noise.tail->scale_s.high, mean);
}

TEST(DetourLengths, AHeavyTailsShapeIsFound) {
  constexpr double shape = 0.3, scale = 1e-4;
  NoiseParameters noise;
  set_detour_lengths(
      detours_of(40000, [](double p) { return scale / shape * (std::pow(1 - p, -shape) - 1); }),
      noise);
  ASSERT_TRUE(noise.tail);
  EXPECT_NEAR(noise.tail->shape.value, shape, 0.06);
  EXPECT_LE(noise.tail->shape.low, shape);
  EXPECT_GE(noise.tail->shape.high, shape);
  // What is left of a generalized Pareto distribution beyond u has the scale + shape u.
  const double expected = scale + shape * noise.lengths.back().seconds;
  EXPECT_NEAR(noise.tail->scale_s.value, expected, 0.1 * expected);
}

TEST(DetourLengths, OfAFewAllAreATail) {
  NoiseParameters noise;
  set_detour_lengths({3e-4, 1e-4, 2e-4}, noise);
  ASSERT_EQ(noise.lengths.size(), 1u);
  EXPECT_EQ(noise.lengths[0].fraction, 0);
  EXPECT_EQ(noise.lengths[0].seconds, 1e-4);
  EXPECT_NEAR(noise.tail->scale_s.value, 1e-4, 1e-9);
  EXPECT_EQ(noise.tail->shape.high, 0);
  EXPECT_LT(noise.tail->scale_s.low, 0.9e-4);
  EXPECT_GT(noise.tail->scale_s.high, 1.1e-4);
}

TEST(DetourLengths, EqualOnesAreHeldApart) {
  NoiseParameters noise;
  set_detour_lengths(std::vector<double>(500, 1e-3), noise);
  for (std::size_t index = 1; index < noise.lengths.size(); ++index)
    EXPECT_GT(noise.lengths[index].seconds, noise.lengths[index - 1].seconds);
  EXPECT_NEAR(noise.lengths.back().seconds, 1e-3, 1e-7);
  EXPECT_LT(noise.tail->scale_s.value, 1e-6);
}

}  // namespace
}  // namespace bellwether
