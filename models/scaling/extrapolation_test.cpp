// SPDX-License-Identifier: MIT
#include "models/scaling/extrapolation.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/machine/device_classes.hpp"
#include "models/machine/machine_file.hpp"

namespace bellwether {
namespace {

Prediction step_of(double seconds, std::vector<Term> terms) {
  Prediction step;
  step.terms = std::move(terms);
  step.total_s = step.low_s = step.high_s = seconds;
  return step;
}
Prediction half_network() {
  return step_of(2, {{"compute.interior", 1, 1, 1}, {"network", 1, 1, 1}});
}

TEST(Extrapolation, NetworksAreKnownAsFarAsTheyWereMeasured) {
  EXPECT_EQ(known_nodes(find_machine("tsubame2.0")), 2) << "a paper's link";
  EXPECT_EQ(known_nodes(find_machine("crossroads")), 512) << "a data sheet's";
  Machine calibrated = find_machine("tsubame2.0");
  calibrated.links["network"].one_way.largest_bytes = 1 << 26;
  calibrated.layout = {.ranks = 24, .ranks_per_node = 3, .cores_per_node = 12};
  EXPECT_EQ(known_nodes(calibrated), 8);
}

TEST(Extrapolation, WhatPassesBetweenRanksIsLessSureWithEachDoubling) {
  const Machine machine = find_machine("tsubame2.0");
  Prediction known = half_network(), beyond = half_network();
  widen_beyond_known_nodes(machine, 2, known);
  EXPECT_EQ(known.low_s, 2);
  EXPECT_EQ(known.high_s, 2);
  widen_beyond_known_nodes(machine, 32, beyond);  // four doublings: twice the half-width of one
  const double width = 2 * device_classes().widening_per_doubling.value;
  EXPECT_DOUBLE_EQ(beyond.total_s, 2);
  EXPECT_NEAR(beyond.high_s, 1 + std::exp(width), 1e-12);
  EXPECT_NEAR(beyond.low_s, 1 + std::exp(-width), 1e-12);
  EXPECT_EQ(beyond.terms[0].high, 1);
  EXPECT_NEAR(beyond.terms[1].low, std::exp(-width), 1e-12);
}

/// As sure as twice as slow before: sqrt(log^2 2 + width^2).
TEST(Extrapolation, AddsToTheMachinesOwnInterval) {
  Prediction step = step_of(2, {{"network", 2, 1, 4}});
  step.low_s = 1;
  step.high_s = 4;
  widen_beyond_known_nodes(find_machine("tsubame2.0"), 4, step);
  const double width = device_classes().widening_per_doubling.value;
  EXPECT_NEAR(step.high_s, 2 * std::exp(std::hypot(std::log(2), width)), 1e-12);
  EXPECT_NEAR(step.low_s, 2 * std::exp(-std::hypot(std::log(2), width)), 1e-12);
}

/// One second hidden behind 1.1: more than a tenth longer comes forth.
TEST(Extrapolation, WhatComputationHidesMayComeForth) {
  Prediction step = step_of(1.1, {{"compute.interior", 1.1, 1.1, 1.1}});
  step.hiding_s = 1.1;
  step.communication_s = step.hidden_fraction = 1;
  Prediction little = step;
  widen_beyond_known_nodes(find_machine("tsubame2.0"), 32, step);
  EXPECT_NEAR(step.high_s, std::exp(2 * device_classes().widening_per_doubling.value), 1e-12);
  EXPECT_EQ(step.low_s, 1.1);
  little.hiding_s = 2;
  widen_beyond_known_nodes(find_machine("tsubame2.0"), 32, little);
  EXPECT_EQ(little.high_s, 1.1);
}

}  // namespace
}  // namespace bellwether
