// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_summary.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

ScalingPoint point(int ranks, bool overlap, double total_s, double communication_s = 1,
                   double hiding_s = 2, std::vector<std::string> notes = {}) {
  ScalingPoint made{ranks, overlap, "refined", {}, "layout", {}};
  made.prediction.total_s = total_s;
  made.prediction.communication_s = communication_s;
  made.prediction.hiding_s = hiding_s;
  made.prediction.outside_range = std::move(notes);
  made.prediction.terms = {{"compute", total_s, total_s, total_s}};
  return made;
}

/// Both modes of a count.
std::vector<ScalingPoint> both(int ranks, double off_s, double on_s) {
  return {point(ranks, false, off_s), point(ranks, true, on_s)};
}

TEST(ScalingSummary, JoinsBatchesAsIfTheyWereOne) {
  ScalingSummary summary;
  summary.add(both(1, 9, 9));
  summary.add(both(2, 5, 4));
  summary.add(both(4, 3, 2));
  summary.add(both(8, 1.5, 1.6));
  summary.add(both(16, 1, 1.1));
  const FormSummary& form = summary.forms().at("refined");
  ASSERT_EQ(form.best_overlap.size(), 2u);
  EXPECT_EQ(form.best_overlap[0].from_ranks, 2);
  EXPECT_TRUE(form.best_overlap[0].overlap);
  EXPECT_EQ(best_overlap_text(summary, form), "either at 1, on from 2 to 4, off from 8 on");
  EXPECT_EQ(best_overlap_text(summary, form, 1),
            "either at 1, on from 2 to 4, and 1 further changes");
  EXPECT_EQ(summary.forms().count("paper"), 0u);
  EXPECT_EQ(summary.points(), 10);
  EXPECT_EQ(summary.first(), 1);
  EXPECT_EQ(summary.last(), 16);
}

TEST(ScalingSummary, ModesThatDifferByLessThanAHundredthAreEitherOfThem) {
  ScalingSummary summary;
  for (const int ranks : {1, 2, 4}) summary.add(both(ranks, 1, 1 + 0.002 * (ranks % 3)));
  EXPECT_EQ(best_overlap_text(summary, summary.forms().at("refined")), "neither by more than 1 %");
  summary.add(both(8, 1.1, 1));
  summary.add(both(16, 1, 1.004));
  EXPECT_EQ(best_overlap_text(summary, summary.forms().at("refined")),
            "either up to 4, on from 8 on");
}

TEST(ScalingSummary, OneStretchAndTheLastCount) {
  ScalingSummary summary;
  summary.add(both(2, 5, 4));
  EXPECT_EQ(best_overlap_text(summary, summary.forms().at("refined")), "on at 2");
  summary.add(both(4, 3, 2));
  EXPECT_EQ(best_overlap_text(summary, summary.forms().at("refined")), "on from 2 on");
  summary.add(both(8, 1, 2));
  EXPECT_EQ(best_overlap_text(summary, summary.forms().at("refined")), "on from 2 to 4, off at 8");
}

TEST(ScalingSummary, FastestPointAndWhereCommunicationIsNoLongerHidden) {
  ScalingSummary summary;
  summary.add({point(4, true, 3, 1, 2)});
  EXPECT_FALSE(summary.forms().at("refined").communication_bound_from.has_value());
  summary.add({point(8, true, 2, 3, 2)});
  summary.add({point(16, true, 2.5, 1, 2), point(32, true, 4, 9, 1)});
  const FormSummary& form = summary.forms().at("refined");
  EXPECT_EQ(form.communication_bound_from, 8);
  EXPECT_EQ(form.ranks, 8);
  EXPECT_EQ(form.total_s, 2);
}

TEST(ScalingSummary, WaysOutOfTheRangeThatDifferInNumbersAreOne) {
  ScalingSummary summary;
  summary.add({point(1, true, 1, 0, 1, {"network: message of 12 bytes, calibrated up to 8"})});
  summary.add({point(2, true, 1, 0, 1,
                     {"network: message of 1.5e+07 bytes, calibrated up to 8", "other"})});
  ASSERT_EQ(summary.outside_range().size(), 2u);
  EXPECT_EQ(summary.outside_range()[0].text, "network: message of 12 bytes, calibrated up to 8");
  EXPECT_EQ(summary.outside_range()[0].from_ranks, 1);
  EXPECT_EQ(summary.outside_range()[0].points, 2);
  EXPECT_EQ(summary.outside_range()[1].from_ranks, 2);
  EXPECT_EQ(summary.outside_range()[1].points, 1);
  EXPECT_TRUE(summary.outside_machine().empty());
}

TEST(ScalingSummary, WaysOutOfTheMachineAreApart) {
  ScalingSummary summary;
  for (const int ranks : {64, 128}) {
    ScalingPoint beyond = point(ranks, true, 1, 0, 1);
    beyond.prediction.outside_machine = {std::to_string(ranks) +
                                         " ranks asked, the machine has 40"};
    summary.add({beyond});
  }
  ASSERT_EQ(summary.outside_machine().size(), 1u);
  EXPECT_EQ(summary.outside_machine()[0].text, "64 ranks asked, the machine has 40");
  EXPECT_EQ(summary.outside_machine()[0].points, 2);
  EXPECT_TRUE(summary.outside_range().empty());
}

TEST(ScalingSummary, SaysWhereAWayOutBeginsAndEnds) {
  ScalingSummary summary;
  for (const int ranks : {1, 2, 4, 8, 16}) {
    ScalingPoint one = point(ranks, true, 1, 0, 1, {"no curves"});
    if (ranks <= 2)
      one.prediction.outside_machine = {std::to_string(128 / ranks) + " GB of each rank asked"};
    if (ranks >= 8) one.prediction.outside_range.emplace_back("pairs");
    if (ranks == 2 || ranks == 4) one.prediction.outside_range.emplace_back("message");
    if (ranks == 1 || ranks == 16) one.prediction.outside_range.emplace_back("surface");
    if (ranks == 4) one.prediction.outside_range.emplace_back("grid");
    summary.add({one});
  }
  std::vector<std::string> said;
  for (const Outside& way : summary.outside_range())
    said.push_back(way.text + " " + summary.stretch_of(way));
  EXPECT_EQ(said,
            (std::vector<std::string>{
                "no curves at every rank count", "surface at 2 of the rank counts from 1 to 16",
                "message from 2 to 4 ranks", "grid at 4 ranks", "pairs from 8 ranks on"}));
  EXPECT_EQ(summary.stretch_of(summary.outside_machine().at(0)), "up to 2 ranks");
  EXPECT_EQ(summary.fits_from(), 4);
  EXPECT_TRUE(summary.is_common("no curves"));
  EXPECT_FALSE(summary.is_common("64 GB of each rank asked"));
  EXPECT_FALSE(summary.is_common("anything else"));
  ScalingPoint large = point(32, true, 1, 0, 1);
  large.prediction.outside_machine = {"32 ranks asked, the machine has 20"};
  summary.add({large});
  EXPECT_EQ(summary.fits_from(), std::nullopt);
}

TEST(ScalingSummary, KeepsTheLargestImbalance) {
  ScalingSummary summary;
  for (const auto& [ranks, imbalance_s] : {std::pair{2, 0.1}, {4, 0.4}, {8, 0.4}}) {
    ScalingPoint one = point(ranks, false, 4);
    one.prediction.imbalance_s = imbalance_s;
    summary.add({one});
  }
  EXPECT_DOUBLE_EQ(summary.forms().at("refined").imbalance, 0.1);
  EXPECT_EQ(summary.forms().at("refined").imbalance_ranks, 4);
}

}  // namespace
}  // namespace bellwether
