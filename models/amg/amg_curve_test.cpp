// SPDX-License-Identifier: MIT
#include "models/amg/amg_curve.hpp"
#include "models/amg/amg_parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/amg/test_amg.hpp"
#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"

namespace bellwether {
namespace {

AmgFamily family() { return AmgFamily({small_hierarchy()}); }

PredictionRequest request(std::vector<int> ranks) {
  PredictionRequest all;
  all.ranks = std::move(ranks);
  all.ranks_per_node = 4;
  return all;
}

TEST(AmgScaling, MixesOfANode) {
  std::vector<std::pair<int, int>> found;
  for (const AmgMix& mix : amg_mixes(small_machine(), 4))
    found.emplace_back(mix.ranks_per_node, mix.threads_per_rank);
  const std::vector<std::pair<int, int>> expected = {{1, 1}, {1, 2}, {1, 4},
                                                     {2, 1}, {2, 2}, {4, 1}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(amg_mixes(small_machine(), 1).size(), 1U);
  Machine machine = small_machine();
  machine.sections.erase("amg");
  ASSERT_EQ(amg_mixes(machine, 4).size(), 1U);
  EXPECT_EQ(amg_mixes(machine, 4)[0].ranks_per_node, 4);
}

TEST(AmgScaling, TheMixesOfTableIAreAmongThoseOfGrotius) {
  const auto mixes = amg_mixes(find_machine("grotius"), 64);
  for (const int ranks : {1, 2, 4, 8, 16, 32, 64})
    for (const int smt : {1, 2, 3, 4}) {
      if (16 * smt % ranks != 0) continue;
      EXPECT_TRUE(std::any_of(mixes.begin(), mixes.end(),
                              [&](const AmgMix& mix) {
                                return mix.ranks_per_node == ranks &&
                                       mix.threads_per_rank == 16 * smt / ranks;
                              }))
          << ranks << " MPI, " << smt << " SMT";
    }
  for (const AmgMix& mix : mixes) {
    const int threads = mix.ranks_per_node * mix.threads_per_rank;
    EXPECT_TRUE(threads <= 16 || threads % 16 == 0) << threads;
  }
}

TEST(AmgScaling, Places) {
  const AmgPlacement given = place_amg({2, 2}, 16, 0);
  EXPECT_EQ(given.processes, 8);
  EXPECT_EQ(given.nodes, 4);
  const AmgPlacement idle = place_amg({2, 1}, 16, 4);
  EXPECT_EQ(idle.processes, 8) << "half of the hardware threads idle";
  const AmgPlacement last_node_half_full = place_amg({4, 1}, 14, 4);
  EXPECT_EQ(last_node_half_full.processes, 14);
  EXPECT_EQ(place_amg({4, 1}, 2, 0).ranks_per_node, 2);
  EXPECT_THROW(place_amg({1, 4}, 3, 0), BadInput);
}

TEST(AmgScaling, FindsTheFastestMix) {
  const Machine machine = small_machine();
  PredictionRequest asked = request({4, 16, 64});
  const auto points = amg_curve(machine, family(), {.unknowns = 1e6}, asked);
  ASSERT_EQ(points.size(), 12U);
  for (const ScalingPoint& point : points) {
    if (point.form != "refined") continue;
    for (const AmgMix& mix : amg_mixes(machine, 4)) {
      const AmgPlacement placement = place_amg(mix, point.ranks, point.ranks / 4);
      const AmgHierarchy hierarchy = family().at(1e6, placement.processes);
      const Prediction other =
          predict_amg_run(machine, hierarchy, placement, {}, "refined", point.overlap);
      EXPECT_LE(point.prediction.total_s, other.total_s * (1 + 1e-12))
          << mix.ranks_per_node << "x" << mix.threads_per_rank;
    }
    EXPECT_EQ(point.choice.at("nodes"), point.ranks / 4);
  }
}

TEST(AmgScaling, FormsOfAPointShareTheMix) {
  const auto points = amg_curve(small_machine(), family(), {.unknowns = 1e5}, request({16}));
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[0].form, "paper");
  EXPECT_EQ(points[0].layout, points[1].layout);
  EXPECT_EQ(points[2].choice, points[3].choice);
}

TEST(AmgScaling, AGivenMixIsKept) {
  const auto points =
      amg_curve(small_machine(), family(), {.unknowns = 1e5, .mix = AmgMix{1, 4}}, request({16}));
  EXPECT_EQ(points[0].layout, "1 rank x 4 threads");
  EXPECT_EQ(points[0].choice.at("mpi_ranks"), 4);
  EXPECT_EQ(points[0].choice.at("threads_per_rank"), 4);
}

TEST(AmgScaling, SaysWhereTheHierarchyIsExtrapolated) {
  const auto notes = [](double unknowns) {
    return amg_curve(small_machine(), family(), {.unknowns = unknowns, .mix = AmgMix{2, 2}},
                     request({16}))[0]
        .prediction.outside_range;
  };
  EXPECT_TRUE(notes(1000).empty());
  ASSERT_EQ(notes(1e6).size(), 1U);
  EXPECT_TRUE(notes(1e6)[0].starts_with("hierarchy extrapolated"));
}

}  // namespace
}  // namespace bellwether
