// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_curve.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_refined.hpp"
#include "models/hpl/hpl_test_costs.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

HplStudy study(long size, std::vector<int> ranks) {
  HplStudy study;
  study.size = size;
  study.blocks = usual_blocks();
  study.request.ranks = std::move(ranks);
  study.request.ranks_per_node = 4;
  return study;
}

TEST(HplSearch, TriesWhatPanelsWereCalibratedForUnlessToldOtherwise) {
  // Calibrated from 64 to 256; a small matrix would be fastest with less.
  const Machine machine = full_machine();
  HplStudy asked = study(200, {1});
  EXPECT_GE(fastest_refined(machine, asked, 1, false).block, 64);
  asked.blocks = {32};
  EXPECT_EQ(fastest_refined(machine, asked, 1, false).block, 32);
  asked = study(48, {1});  // none of them fits
  EXPECT_EQ(fastest_refined(machine, asked, 1, false).block, 32);
}

TEST(HplSearch, IsWithinAPercentOfTheFastestOfAll) {
  const Machine machine = full_machine();
  HplStudy asked = study(3000, {24});
  std::erase_if(asked.blocks, [](int block) { return block < 64 || block > 256; });
  const std::vector<int> blocks = asked.blocks;
  asked.bcasts = {"ring", "tree", "two-rings"};
  asked.how.swap = "binary-exchange";
  for (const bool overlap : {false, true}) {
    const HplProblem best = fastest_refined(machine, asked, 24, overlap);
    const double least = predict_hpl_refined(machine, best, 4, overlap).total_s;
    for (const int rows : {1, 2, 3, 4, 6, 8, 12, 24})
      for (const int block : blocks)
        for (const std::string& bcast : asked.bcasts) {
          const HplProblem other{3000, block, {rows, 24 / rows}, bcast, asked.how.swap};
          EXPECT_LE(least, 1.01 * predict_hpl_refined(machine, other, 4, overlap).total_s)
              << other.grid.name() << " " << block << " " << bcast;
        }
  }
}

TEST(HplSearch, SaysWhichBroadcastOnlyWhereItHadTheChoice) {
  const Machine machine = full_machine();
  HplStudy asked = study(3000, {24});
  asked.request.forms = {"refined"};
  EXPECT_FALSE(hpl_curve(machine, asked).front().choice.contains("bcast"));
  asked.bcasts = {"ring", "tree"};
  const ScalingPoint point = hpl_curve(machine, asked).front();
  const std::string chosen = point.choice.at("bcast");
  EXPECT_TRUE(chosen == "ring" || chosen == "tree");
  EXPECT_NE(point.layout.find(", " + chosen), std::string::npos);
}

TEST(HplSearch, PaperFormSearchesNb) {
  const Machine machine = find_machine("mi50-cluster");
  const HplProblem best = fastest_paper(machine, study(100000, {8}), 8);
  const double least = predict_hpl_paper(machine, best, 4).total_s;
  for (const int block : usual_blocks())
    EXPECT_LE(least, predict_hpl_paper(machine, {100000, block, {2, 4}}, 4).total_s);
  EXPECT_EQ(best.grid.name(), "2x4");
}

TEST(HplSearch, WithoutASizeItIsWhatTheRanksMemoryHolds) {
  Machine machine = find_machine("mi50-cluster");
  ASSERT_GT(machine.device.memory_bytes, 0);
  const HplStudy asked = study(0, {1, 6});
  for (const ScalingPoint& point : hpl_curve(machine, asked)) {
    const long size = point.choice.at("size"), block = point.choice.at("block");
    const double most = 0.8 * machine.device.memory_bytes * point.ranks;
    EXPECT_EQ(size % block, 0);
    EXPECT_LE(8. * static_cast<double>(size * size), most);
    EXPECT_GT(8. * static_cast<double>((size + block) * (size + block)), most);
    EXPECT_EQ(point.units, hpl_flops(static_cast<double>(size)));
    EXPECT_EQ(point.layout.find("N " + std::to_string(size) + ", "), 0u) << point.layout;
  }
  machine.device.memory_bytes = 0;
  EXPECT_THROW((void)hpl_curve(machine, asked), BadInput);
  EXPECT_EQ(hpl_curve(machine, study(1000, {1})).front().units, 0);
}

TEST(HplSearch, CurveNestsAndNamesItsChoices) {
  HplStudy asked = study(4000, {1, 4});
  asked.blocks = {128};
  asked.grid = std::nullopt;
  const std::vector<ScalingPoint> points = hpl_curve(full_machine(), asked);
  ASSERT_EQ(points.size(), 8u);
  EXPECT_EQ(points[0].form, "paper");
  EXPECT_EQ(points[1].form, "refined");
  EXPECT_FALSE(points[1].overlap);
  EXPECT_TRUE(points[2].overlap);
  EXPECT_EQ(points[4].ranks, 4);
  EXPECT_EQ(points[0].layout, "1x1, NB 128");
  EXPECT_EQ(points[0].choice, nlohmann::json({{"grid", {1, 1}}, {"block", 128}}));
  EXPECT_EQ(points[0].prediction.total_s, points[2].prediction.total_s);  // knows no look-ahead
}

TEST(HplSearch, RefusesWhatCannotBe) {
  HplStudy asked = study(4000, {8});
  asked.grid = ProcessGrid{2, 2};
  EXPECT_THROW(hpl_curve(full_machine(), asked), BadInput);
  asked = study(4000, {4});
  asked.how.panel = "device";
  EXPECT_THROW(hpl_curve(full_machine(), asked), BadInput);  // of CPUs
  const Machine gpu = hpl_test_gpu(1e12, 1e-6, 1e10, 5e-6, 2e11);
  EXPECT_NO_THROW(hpl_curve(gpu, asked));
  asked.grid = ProcessGrid{2, 2};
  EXPECT_THROW(hpl_curve(gpu, asked), BadInput);
}

TEST(HplSearch, PanelsOnADeviceAreTakenWhereTheyAreFasterAndSaid) {
  // Columns that cost nothing, and too much.
  for (const double column_s : {0., 1.}) {
    // Pivots that several rows agree on take longer than a device's own panels, or not.
    const double latency_s = column_s == 0 ? 1e-5 : 1e-6;
    const Machine machine = hpl_test_gpu(1e12, latency_s, 1e10, column_s, 2e11);
    HplStudy asked = study(4000, {4});
    asked.request.forms = {"refined"};
    const ScalingPoint chosen = hpl_curve(machine, asked).back();
    if (column_s == 0) {
      EXPECT_EQ(chosen.choice.at("panel"), "device");
      EXPECT_TRUE(chosen.layout.starts_with("1x4, NB ")) << chosen.layout;
      EXPECT_TRUE(chosen.layout.ends_with(", panel device")) << chosen.layout;
    } else {
      EXPECT_FALSE(chosen.choice.contains("panel")) << "on another grid";
      EXPECT_NE(chosen.choice.at("grid").at(0), 1);
    }
    asked.how.panel = "device";
    const ScalingPoint device = hpl_curve(machine, asked).back();
    EXPECT_EQ(device.choice.at("grid"), nlohmann::json({1, 4}));
    EXPECT_GE(device.prediction.total_s, chosen.prediction.total_s * (1 - 1e-12));
    asked.how.panel = "host";
    asked.grid = ProcessGrid{1, 4};
    const ScalingPoint host = hpl_curve(machine, asked).back();
    EXPECT_EQ(host.choice.at("panel"), "host");
    EXPECT_EQ(column_s == 0, device.prediction.total_s < host.prediction.total_s);
    HplProblem problem = fastest_refined(machine, asked, 4, true);
    EXPECT_EQ(problem.panel, "host");
    EXPECT_DOUBLE_EQ(predict_hpl_refined(machine, problem, 4, true).total_s,
                     host.prediction.total_s);
  }
}

TEST(HplSearch, RanksWithoutWorkAreNoted) {
  const std::vector<ScalingPoint> points = hpl_curve(full_machine(), study(100, {13}));
  bool noted = false;
  for (const std::string& note : points.back().prediction.outside_range)
    noted |= note.starts_with("ranks without work: 2 blocks");
  EXPECT_TRUE(noted);
}

TEST(HplSearch, EveryShippedMachineCanBeAsked) {
  for (const Machine& machine : shipped_machines())
    for (const int ranks : {1, 4, 16}) {
      if (ranks > 4 && !machine.links.contains("network")) continue;
      for (const ScalingPoint& point : hpl_curve(machine, study(5000, {ranks})))
        EXPECT_GT(point.prediction.total_s, 0) << machine.name << " " << point.form;
    }
}

TEST(HplCurve, SaysWhereTheMatrixOrTheRanksAreOutsideTheMachine) {
  const auto outside = [](long size, int ranks) {
    HplStudy asked = study(size, {ranks});
    asked.blocks = {256};
    asked.request.ranks_per_node = 4;
    return hpl_curve(find_machine("mi50-cluster"), asked).front().prediction.outside_machine;
  };
  EXPECT_TRUE(outside(127000, 4).empty());
  EXPECT_EQ(outside(140000, 4),
            std::vector<std::string>{"memory: 39.2 GB of each rank asked, which has 34.4 GB"});
  EXPECT_EQ(outside(127000, 16), std::vector<std::string>{"16 ranks asked, the machine has 8"});
}

}  // namespace
}  // namespace bellwether
