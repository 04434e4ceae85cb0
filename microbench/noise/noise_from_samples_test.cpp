// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>

#include "microbench/noise/noise.hpp"

namespace bellwether {
namespace {

constexpr double quantum_s = 2e-4;

/// Quanta of slightly different lengths; `late` of them take so much longer.
QuantumRun run_of(std::size_t quanta, const std::vector<std::pair<std::size_t, double>>& late,
                  double slower_after = 1) {
  QuantumRun run{5.};
  for (std::size_t index = 0; index < quanta; ++index) {
    double seconds = quantum_s + 1e-8 * static_cast<double>(index * 7 % 11);
    if (index >= quanta / 2) seconds *= slower_after;
    for (const auto& [at, more] : late)
      if (at == index) seconds += more;
    run.push_back(run.back() + seconds);
  }
  return run;
}

TEST(Detours, AreLateQuantaWithWhatTheyTakeLonger) {
  const QuantumRun run = run_of(500, {{3, 5e-6}, {77, 4e-3}, {499, 3e-5}});
  const std::vector<Detour> detours = find_detours(run);
  ASSERT_EQ(detours.size(), 3u);
  EXPECT_NEAR(detours[0].late_s, 5e-6, 2e-7);
  EXPECT_NEAR(detours[1].late_s, 4e-3, 2e-7);
  EXPECT_NEAR(detours[2].late_s, 3e-5, 2e-7);
  EXPECT_EQ(detours[1].begin_s, run[77]);
  EXPECT_EQ(detours[1].end_s, run[78]);
}

TEST(Detours, AQuietRunHasNone) {
  EXPECT_TRUE(find_detours(run_of(500, {})).empty());
  EXPECT_TRUE(find_detours(run_of(500, {{20, 5e-7}})).empty()) << "below a microsecond";
  EXPECT_TRUE(find_detours({1.}).empty());
}

TEST(Detours, AClockThatSlowsDownIsNone) {
  EXPECT_TRUE(find_detours(run_of(1000, {}, 1.2)).empty());
  EXPECT_EQ(find_detours(run_of(1000, {{900, 1e-4}}, 1.2)).size(), 1u);
}

TEST(Detours, WhatVariesByItselfIsHeldAgainstItsOwnDeviations) {
  QuantumRun run{0.};
  for (int index = 0; index < 1000; ++index)
    run.push_back(run.back() + quantum_s * (1 + 0.05 * std::sin(index * 1.7)));
  EXPECT_TRUE(find_detours(run).empty());
}

TEST(SharedDetours, AreThoseThatOverlapAnothersAndChanceIsCounted) {
  const std::vector<std::vector<Detour>> of_ranks = {
      {{1.0, 1.1, 0}, {2.0, 2.1, 0}, {3.0, 3.1, 0}, {4.0, 4.1, 0}},
      {{1.05, 1.15, 0}, {2.1, 2.2, 0}, {2.95, 3.01, 0}, {6.0, 6.1, 0}}};
  const SharedDetours counted = count_shared(of_ranks, 0, 100);
  EXPECT_EQ(counted.all, 4);
  EXPECT_EQ(counted.shared, 2) << "the first and the third; the second ends where another begins";
  // A detour of 0.1 s meets one of 0.1 s that begins within 0.2 s of 100, four times; one is 0.06.
  const double expected = 1 - std::exp(-(3 * 0.2 + 0.16) / 100);
  EXPECT_NEAR(counted.by_chance, 4 * expected, 1e-12);
}

TEST(SharedDetours, OfARankAloneThereAreNone) {
  const std::vector<std::vector<Detour>> of_ranks = {{{1.0, 1.1, 0}}};
  const SharedDetours counted = count_shared(of_ranks, 0, 10);
  EXPECT_EQ(counted.all, 1);
  EXPECT_EQ(counted.shared, 0);
  EXPECT_EQ(counted.by_chance, 0);
}

}  // namespace
}  // namespace bellwether
