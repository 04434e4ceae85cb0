// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_curve.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Divides among even rank counts; its time tells what it was asked.
class EvenModel final : public CurveModel {
 public:
  void divide(int ranks, bool overlap, const std::string& /*form*/) override {
    ranks_ = ranks;
    overlap_ = overlap;
    if (ranks % 2 != 0) throw BadInput(std::to_string(ranks) + " is odd");
  }
  [[nodiscard]] std::string layout() const override { return std::to_string(ranks_ / 2) + "x2"; }
  [[nodiscard]] nlohmann::json choice() const override { return {{"half", ranks_ / 2}}; }
  [[nodiscard]] double bytes_per_rank() const override { return 8e9 / ranks_; }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    Prediction prediction;
    prediction.total_s = ranks_ + (overlap_ ? 0.5 : 0) + (form == "refined" ? 0.25 : 0);
    return prediction;
  }

 private:
  int ranks_ = 0;
  bool overlap_ = false;
};

std::vector<ScalingPoint> curve(const PredictionRequest& request) {
  Machine machine;
  machine.layout.ranks = 1000;
  machine.device.memory_bytes = 1e9;
  return scaling_curve(machine, request, [] { return std::make_unique<EvenModel>(); });
}

TEST(ScalingCurve, NestsRanksOverlapAndForms) {
  PredictionRequest request;
  request.ranks.resize(600);  // several chunks
  for (int index = 0; index < 600; ++index) request.ranks[index] = 2 * index + 2;
  const std::vector<ScalingPoint> points = curve(request);
  ASSERT_EQ(points.size(), 600u * 4);
  for (std::size_t index = 0; index < points.size(); ++index) {
    const ScalingPoint& point = points[index];
    EXPECT_EQ(point.ranks, request.ranks[index / 4]);
    EXPECT_EQ(point.overlap, index % 4 >= 2);
    EXPECT_EQ(point.form, index % 2 == 0 ? "paper" : "refined");
    EXPECT_EQ(point.prediction.total_s, point.ranks + 0.25 * static_cast<double>(index % 4));
    EXPECT_EQ(point.layout, std::to_string(point.ranks / 2) + "x2");
    EXPECT_EQ(point.choice.at("half"), point.ranks / 2);
    // Of 8 GB in all a rank has 1; there are 1000 ranks.
    EXPECT_EQ(point.prediction.outside_machine.empty(), point.ranks >= 8 && point.ranks <= 1000);
  }
}

TEST(ScalingCurve, RefusesWhatDoesNotDivide) {
  EXPECT_THROW(curve({.ranks = {2, 3, 4}}), BadInput);
}

TEST(ScalingCurve, ChecksTheRequest) {
  EXPECT_THROW(curve({.ranks = {2}, .forms = {"exact"}}), BadInput);
  EXPECT_THROW(curve({.ranks = {2}, .ranks_per_node = 0}), BadInput);
}

using Lines = std::vector<std::string>;

Machine machine_of(int ranks, double memory_bytes, const char* backend) {
  Machine machine;
  machine.layout.ranks = ranks;
  machine.device.memory_bytes = memory_bytes;
  machine.device.backend = backend;
  return machine;
}

TEST(OutsideMachine, APublishedMachineHasSoManyDevices) {
  const Machine published = machine_of(40, 6e9, "");
  EXPECT_EQ(outside_machine(published, 40, 6e9), Lines{});
  EXPECT_EQ(outside_machine(published, 41, 0), Lines{"41 ranks asked, the machine has 40"});
  EXPECT_EQ(outside_machine(published, 65536, 2.75e11),
            (Lines{"65536 ranks asked, the machine has 40",
                   "memory: 275 GB of each rank asked, which has 6 GB"}));
}

TEST(OutsideMachine, ACalibratedMachineGrowsByNodesWhoseRanksHaveTheirMemory) {
  const Machine calibrated = machine_of(2, 8e9, "kokkos/Serial");
  EXPECT_EQ(outside_machine(calibrated, 65536, 8e9), Lines{});
  EXPECT_EQ(outside_machine(calibrated, 1, 9e9),
            Lines{"memory: 9 GB of each rank asked, which has 8 GB"});
}

TEST(OutsideMachine, WhatIsNotKnownIsNotSaid) {
  EXPECT_EQ(outside_machine(machine_of(40, 0, ""), 40, 1e15), Lines{});
}

}  // namespace
}  // namespace bellwether
