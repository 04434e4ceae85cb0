// SPDX-License-Identifier: MIT
#include "models/scaling/scaling_curve.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

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
