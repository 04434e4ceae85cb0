// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

/// A CPU whose res_calc costs 2 ns over 1000 edges and 10 ns over a million; 4 and 20 at worst.
Machine two_points() {
  Machine machine = full_machine();
  for (auto& points : section<AirfoilParameters>(machine)->loops["f64"])
    points = {{1e3, {2e-9, 2e-9, 4e-9, {}}}, {1e6, {1e-8, 1e-8, 2e-8, {}}}};
  return machine;
}

TEST(AirfoilLoops, BytesOfAnElementInBothPrecisions) {
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::save_soln, "f64"), 64);
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::adt_calc, "f64"), 72);
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::res_calc, "f64"), 76);
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::bres_calc, "f64"), 136);
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::update, "f64"), 136);
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::save_soln, "f32"), 32);
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::adt_calc, "f32"), 44);  // the indices stay 4 bytes
  EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::res_calc, "f32"), 46);
  EXPECT_THROW((void)airfoil_loop_bytes(AirfoilLoop::update, "f16"), BadInput);
}

TEST(AirfoilLoops, OwnLoopsReadSidesInPlaceOfNodes) {
  const auto own = [](AirfoilLoop loop, const char* precision) {
    return airfoil_loop_bytes(loop, precision, AirfoilTraffic::own);
  };
  EXPECT_EQ(own(AirfoilLoop::res_calc, "f64"), 76);
  EXPECT_EQ(own(AirfoilLoop::res_calc, "f32"), 42);
  EXPECT_EQ(own(AirfoilLoop::bres_calc, "f64"), 128);
  EXPECT_EQ(own(AirfoilLoop::update_adt, "f64"), 184);
  EXPECT_EQ(own(AirfoilLoop::update_adt, "f32"), 100);
  // A stage in place of one cell's update_adt and its share of the edges, two.
  EXPECT_EQ(own(AirfoilLoop::stage, "f64"), 152);
  EXPECT_EQ(own(AirfoilLoop::stage, "f32"), 92);
  EXPECT_EQ(own(AirfoilLoop::tiled_stage, "f64"), 248);
  EXPECT_EQ(own(AirfoilLoop::tiled_stage, "f32"), 140);
  for (const char* precision : {"f32", "f64"}) {
    for (const AirfoilLoop loop :
         {AirfoilLoop::save_soln, AirfoilLoop::adt_calc, AirfoilLoop::update})
      EXPECT_EQ(own(loop, precision), airfoil_loop_bytes(loop, precision));
    // One pass over the cells moves less than two.
    EXPECT_LT(own(AirfoilLoop::update_adt, precision),
              airfoil_loop_bytes(AirfoilLoop::update_adt, precision));
    EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::update_adt, precision),
              own(AirfoilLoop::update, precision) + own(AirfoilLoop::adt_calc, precision));
  }
}

TEST(AirfoilLoops, CallsAreLinearBetweenPointsAndGoOnAtTheEndsCost) {
  const AirfoilLoopCosts costs(two_points(), "f64");
  const auto at = [&costs](double elements, Bound bound = Bound::value) {
    return costs.seconds(AirfoilLoop::res_calc, elements, bound);
  };
  EXPECT_DOUBLE_EQ(at(500), 500 * 2e-9);
  EXPECT_DOUBLE_EQ(at(1e3), 2e-6);
  EXPECT_DOUBLE_EQ(at((1e3 + 1e6) / 2), (2e-6 + 1e-2) / 2);
  EXPECT_DOUBLE_EQ(at(1e6), 1e-2);
  EXPECT_DOUBLE_EQ(at(3e6), 3e-2);
  EXPECT_DOUBLE_EQ(at(1e6, Bound::slowest), 2e-2);
  EXPECT_EQ(at(0), 0);
  EXPECT_DOUBLE_EQ(costs.paper_seconds(AirfoilLoop::res_calc, 500, Bound::value), 500 * 1e-8);
  EXPECT_TRUE(costs.notes().empty());
  EXPECT_TRUE(costs.outside(AirfoilLoop::res_calc, 900));
  EXPECT_FALSE(costs.outside(AirfoilLoop::res_calc, 950));
  EXPECT_FALSE(costs.outside(AirfoilLoop::res_calc, 1.05e6));
  EXPECT_TRUE(costs.outside(AirfoilLoop::res_calc, 1.2e6));
  EXPECT_FALSE(costs.outside(AirfoilLoop::bres_calc, 0));
}

TEST(AirfoilLoops, UpdateAndAdtCalcStandForUpdateAdt) {
  Machine machine = two_points();
  auto& curves = section<AirfoilParameters>(machine)->loops["f64"];
  EXPECT_TRUE(AirfoilLoopCosts(machine, "f64").has_update_adt());
  curves[static_cast<std::size_t>(AirfoilLoop::update_adt)].clear();
  curves[static_cast<std::size_t>(AirfoilLoop::update)] = {{1e5, Quantity::exact(3e-9)}};
  const AirfoilLoopCosts costs(machine, "f64");
  EXPECT_FALSE(costs.has_update_adt());
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::update_adt, 1e6, Bound::value), 1e6 * (3e-9 + 1e-8));
  EXPECT_TRUE(costs.outside(AirfoilLoop::update_adt, 1e4));  // as for update
  EXPECT_FALSE(costs.outside(AirfoilLoop::update_adt, 1e5));
  section<AirfoilParameters>(machine)->loops.erase("f32");
  EXPECT_FALSE(AirfoilLoopCosts(machine, "f32").has_update_adt());
}

/// A CPU's file has stage at one size for those who ask; a GPU's is of what it does.
TEST(AirfoilLoops, AMachineGathersIfThatIsWhatWasCalibrated) {
  Machine machine = two_points();
  auto& stage = section<AirfoilParameters>(machine)
                    ->loops["f64"][static_cast<std::size_t>(AirfoilLoop::stage)];
  const auto gathers = [&](const char* kind, std::vector<AirfoilLoopPoint> points) {
    machine.device.kind = kind;
    stage = std::move(points);
    return AirfoilLoopCosts(machine, "f64").gathers();
  };
  const AirfoilLoopPoint small{1e3, Quantity::exact(3e-9)}, large{1e6, Quantity::exact(4e-9)};
  EXPECT_TRUE(gathers("cpu", {small, large}));
  EXPECT_FALSE(gathers("cpu", {small}));
  EXPECT_FALSE(gathers("cpu", {}));
  EXPECT_TRUE(gathers("gpu", {small}));
  EXPECT_FALSE(gathers("gpu", {}));
}

/// Two edges and one cell, where the machine was calibrated before there were tiles.
TEST(AirfoilLoops, ResCalcAndUpdateAdtStandForTiles) {
  Machine machine = two_points();
  auto& curves = section<AirfoilParameters>(machine)->loops["f64"];
  EXPECT_TRUE(AirfoilLoopCosts(machine, "f64").has_tiled_stage());
  curves[static_cast<std::size_t>(AirfoilLoop::tiled_stage)].clear();
  curves[static_cast<std::size_t>(AirfoilLoop::update_adt)] = {{1e5, Quantity::exact(3e-9)}};
  const AirfoilLoopCosts costs(machine, "f64");
  EXPECT_FALSE(costs.has_tiled_stage());
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::tiled_stage, 1e6, Bound::value),
                   1e6 * (2 * 1e-8 + 3e-9));
  EXPECT_TRUE(costs.outside(AirfoilLoop::tiled_stage, 1e4));  // as for update_adt
  EXPECT_FALSE(costs.outside(AirfoilLoop::tiled_stage, 1e5));
  EXPECT_TRUE(costs.outside(AirfoilLoop::tiled_stage, 450));  // as for res_calc
}

TEST(AirfoilLoops, TheOtherPrecisionsCostsAreScaledByBytesAndSaid) {
  Machine machine = two_points();
  section<AirfoilParameters>(machine)->loops.erase("f32");
  const AirfoilLoopCosts costs(machine, "f32");
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::save_soln, 1e6, Bound::value), 1e-2 / 2);
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::adt_calc, 1e6, Bound::value), 1e-2 * 44 / 72);
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::res_calc, 1e6, Bound::value), 1e-2 * 42 / 76);
  EXPECT_DOUBLE_EQ(costs.paper_seconds(AirfoilLoop::res_calc, 1e6, Bound::value), 1e-2 * 46 / 76);
  ASSERT_EQ(costs.notes().size(), 1u);
  EXPECT_NE(costs.notes()[0].find("not calibrated in f32"), std::string::npos);
}

TEST(AirfoilLoops, WithoutCostsMemoryBandwidthGivesThem) {
  Machine machine = full_machine();
  machine.sections.erase("airfoil");
  machine.device.memory_bandwidth_bytes_per_s = {4e10, 3.2e10, 8e10, {}};
  machine.device.memory_efficiency = Quantity::exact(0.25);
  const AirfoilLoopCosts costs(machine, "f64");
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::update, 100, Bound::value), 100 * 136 / 1e10);
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::update, 100, Bound::fastest), 100 * 136 / 2e10);
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::update, 100, Bound::slowest), 100 * 136 / 8e9);
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::bres_calc, 100, Bound::value), 100 * 128 / 1e10);
  EXPECT_DOUBLE_EQ(costs.paper_seconds(AirfoilLoop::bres_calc, 100, Bound::value),
                   100 * 136 / 1e10);
  EXPECT_DOUBLE_EQ(costs.seconds(AirfoilLoop::update_adt, 100, Bound::value), 100 * 184 / 1e10);
  EXPECT_TRUE(costs.has_update_adt());
  EXPECT_FALSE(costs.outside(AirfoilLoop::update, 100));
  ASSERT_EQ(costs.notes().size(), 1u);
  EXPECT_NE(costs.notes()[0].find("derived from memory bandwidth"), std::string::npos);
}

TEST(AirfoilLoops, OnlyAGpuLaunches) {
  Machine machine = full_machine();
  EXPECT_EQ(AirfoilLoopCosts(machine, "f64").launch(Bound::value), 0);
  EXPECT_EQ(AirfoilLoopCosts(machine, "f64").launches(AirfoilLoop::res_calc, Bound::value), 1);
  machine.device.kind = "gpu";
  machine.device.launch_latency_s = Quantity{7e-6, 4e-6, 1e-5, {}};
  const AirfoilLoopCosts costs(machine, "f64");
  EXPECT_EQ(costs.launch(Bound::slowest), 1e-5);
  EXPECT_EQ(costs.launches(AirfoilLoop::res_calc, Bound::value), 6);
  EXPECT_EQ(costs.launches(AirfoilLoop::res_calc, Bound::slowest), 10);
  EXPECT_EQ(costs.launches(AirfoilLoop::bres_calc, Bound::value), 2);
  EXPECT_EQ(costs.launches(AirfoilLoop::update, Bound::value), 1);
}

TEST(AirfoilLoops, OfAnIterationAndTheirElements) {
  const AirfoilMesh mesh{2, 3};
  EXPECT_EQ(airfoil_loops(AirfoilSequence::gather), std::vector{AirfoilLoop::stage});
  EXPECT_EQ(airfoil_loops(AirfoilSequence::tiled), std::vector{AirfoilLoop::tiled_stage});
  EXPECT_EQ(airfoil_loops(AirfoilSequence::fused).size(), 3u);
  EXPECT_EQ(airfoil_loops(AirfoilSequence::five).size(), 5u);
  EXPECT_EQ(airfoil_calls(AirfoilLoop::save_soln), 1);
  EXPECT_EQ(airfoil_calls(AirfoilLoop::update_adt), 2);
  EXPECT_EQ(airfoil_elements(mesh, AirfoilLoop::update), 18);
  EXPECT_EQ(airfoil_elements(mesh, AirfoilLoop::res_calc), 5 * 3 + 6 * 2 + 2);
  EXPECT_EQ(airfoil_elements(mesh, AirfoilLoop::bres_calc), 2 + 6 + 2 * 3);
}

}  // namespace
}  // namespace bellwether
