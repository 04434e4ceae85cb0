// SPDX-License-Identifier: MIT
#include "models/power/power_parameters.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

Machine node_of_four(const PowerParameters& power) {
  Machine machine;
  machine.layout = {8, 4, 4};
  set_section(machine, power);
  return machine;
}

TEST(StepJoules, AreWattsOfTheLimitByNodesBySeconds) {
  const Machine machine = node_of_four({"packages", Quantity::exact(200), Quantity::exact(500)});
  EXPECT_DOUBLE_EQ(*step_joules(machine, WorkLimit::memory_bandwidth, 4, 4, 0.25), 50);
  EXPECT_DOUBLE_EQ(*step_joules(machine, WorkLimit::update_in_place, 12, 4, 0.25), 150);
  EXPECT_DOUBLE_EQ(*step_joules(machine, WorkLimit::matrix_product, 8, 4, 2), 2000);
}

TEST(StepJoules, AreAbsentWhereTheWattsAreNotKnown) {
  const Machine machine = node_of_four({"packages", Quantity::exact(200), {}});
  EXPECT_FALSE(step_joules(machine, WorkLimit::matrix_product, 4, 4, 1));
  EXPECT_FALSE(step_joules(machine, WorkLimit::none, 4, 4, 1));
  EXPECT_FALSE(step_joules({}, WorkLimit::memory_bandwidth, 1, 1, 1)) << "no section";
  EXPECT_FALSE(step_joules(machine, WorkLimit::memory_bandwidth, 3, 4, 1)) << "no whole node";
  EXPECT_FALSE(step_joules(machine, WorkLimit::memory_bandwidth, 6, 4, 1)) << "a node and a half";
  EXPECT_FALSE(step_joules(machine, WorkLimit::memory_bandwidth, 4, 2, 1)) << "half full nodes";
}

TEST(PerJoule, TakesTheSecondsPlace) { EXPECT_EQ(per_joule("cells/s"), "cells/J"); }

}  // namespace
}  // namespace bellwether
