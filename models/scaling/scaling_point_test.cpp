// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_point.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

ScalingPoint point(int ranks, bool overlap, double total_s, double communication_s = 0,
                   double hiding_s = 1) {
  Prediction prediction;
  prediction.form = "refined";
  prediction.total_s = total_s;
  prediction.communication_s = communication_s;
  prediction.hiding_s = hiding_s;
  return {ranks, overlap, "refined", prediction, {}, {}};
}

TEST(CommunicationBound, IsTheLeastCountThatCannotHide) {
  const std::vector<ScalingPoint> points = {point(16, true, 4, 4, 3), point(8, true, 4, 4, 3),
                                            point(4, true, 4, 2.5, 3), point(2, false, 4, 4, 3)};
  EXPECT_EQ(communication_bound_from(points, "refined"), 8);
  EXPECT_EQ(communication_bound_from(points, "paper"), std::nullopt);
  EXPECT_EQ(communication_bound_from({}, "refined"), std::nullopt);
}

TEST(CommunicationBound, IsNotDecidedByRounding) {
  EXPECT_EQ(communication_bound_from({point(8, true, 4, 3 * (1 + 1e-9), 3)}, "refined"),
            std::nullopt);
}

TEST(BestOverlap, SaysWhereTheModesCross) {
  const std::vector<ScalingPoint> points = {
      point(1, false, 8), point(1, true, 8),   point(2, false, 5), point(2, true, 4),
      point(4, false, 3), point(4, true, 2.5), point(8, false, 2), point(8, true, 2.2)};
  const auto best = best_overlap(points, "refined");
  ASSERT_EQ(best.size(), 2u) << "on one rank neither is better";
  EXPECT_EQ(best[0].from_ranks, 2);
  EXPECT_TRUE(best[0].overlap);
  EXPECT_EQ(best[1].from_ranks, 8);
  EXPECT_FALSE(best[1].overlap);
}

TEST(BestOverlap, IsBetterOnlyBeyondAHundredth) {
  std::vector<ScalingPoint> points;
  for (int ranks = 1; ranks <= 64; ++ranks) {
    points.push_back(point(ranks, false, 1 + 0.002 * (ranks % 2)));
    points.push_back(point(ranks, true, 1 + 0.008 * (ranks % 3 == 0)));
  }
  EXPECT_TRUE(best_overlap(points, "refined").empty());
  // Once one is better, it stays so until the other is.
  for (const auto& [off_s, on_s] : {std::pair(1.02, 1.), {1., 1.008}, {1., 1.02}}) {
    const int ranks = points.back().ranks + 1;
    points.push_back(point(ranks, false, off_s));
    points.push_back(point(ranks, true, on_s));
  }
  const auto best = best_overlap(points, "refined");
  ASSERT_EQ(best.size(), 2u);
  EXPECT_EQ(best[0].from_ranks, 65);
  EXPECT_TRUE(best[0].overlap);
  EXPECT_EQ(best[1].from_ranks, 67);
}

TEST(BestOverlap, IsNotAskedOfAFormThatKnowsNone) {
  std::vector<ScalingPoint> points = {point(2, false, 5, 4, 1), point(2, true, 4, 4, 1)};
  for (ScalingPoint& one : points) one.prediction.overlaps = false;
  EXPECT_TRUE(best_overlap(points, "refined").empty());
  EXPECT_EQ(communication_bound_from(points, "refined"), std::nullopt);
}

TEST(BestOverlap, NeedsBothModes) {
  EXPECT_TRUE(best_overlap({point(1, true, 8), point(2, true, 4)}, "refined").empty());
}

}  // namespace
}  // namespace bellwether
