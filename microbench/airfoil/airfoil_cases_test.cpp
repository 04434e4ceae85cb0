// SPDX-License-Identifier: MIT
#include "microbench/airfoil/airfoil.hpp"

#include <gtest/gtest.h>

#include "kernels/airfoil/airfoil_work.hpp"
#include "models/airfoil/airfoil_loops.hpp"

namespace bellwether {
namespace {

/// The models know no kernels; what they say of their bytes has to be what the kernels say.
TEST(AirfoilCases, ModelAndKernelsCountTheSameBytes) {
  constexpr AirfoilCounts counts{.nodes = 1, .cells = 1, .edges = 2, .boundary_edges = 1};
  const auto elements = [&](AirfoilLoop loop) {
    return loop == AirfoilLoop::res_calc ? counts.edges : counts.cells;
  };
  for (const auto& [loop, kernel] : {std::pair{AirfoilLoop::save_soln, AirfoilKernel::save_soln},
                                     {AirfoilLoop::adt_calc, AirfoilKernel::adt_calc},
                                     {AirfoilLoop::res_calc, AirfoilKernel::res_calc},
                                     {AirfoilLoop::bres_calc, AirfoilKernel::bres_calc},
                                     {AirfoilLoop::update, AirfoilKernel::update},
                                     {AirfoilLoop::update_adt, AirfoilKernel::update_adt},
                                     {AirfoilLoop::stage, AirfoilKernel::stage}})
    for (const auto& [precision, bytes] : {std::pair{"f32", 4}, {"f64", 8}})
      EXPECT_EQ(airfoil_loop_bytes(loop, precision, AirfoilTraffic::own) *
                    static_cast<double>(elements(loop)),
                static_cast<double>(airfoil_bytes(kernel, counts, bytes)))
          << airfoil_loop_names[static_cast<std::size_t>(loop)] << ' ' << precision;
  // A stage's boundary edges are few.
  constexpr AirfoilCounts inside{.nodes = 1, .cells = 1, .edges = 2, .boundary_edges = 0};
  for (const auto& [precision, bytes] : {std::pair{"f32", 4}, {"f64", 8}})
    EXPECT_EQ(airfoil_loop_bytes(AirfoilLoop::tiled_stage, precision, AirfoilTraffic::own),
              static_cast<double>(airfoil_tiled_bytes(inside, bytes)));
}

TEST(AirfoilCases, AreNamedBySequencePrecisionAndSize) {
  const AirfoilSpec fused{{2, 3}, "f64", true, Increments::colours},
      tiled{{2, 3}, "f64", true, Increments::plain},
      five{{2, 3}, "f32", false, Increments::atomics},
      gather{{2, 3}, "f32", true, Increments::gather};
  EXPECT_EQ(fused.name(), "airfoil/fused/f64/cells:18");
  EXPECT_EQ(tiled.name(), "airfoil/tiled/f64/cells:18");
  EXPECT_EQ(five.name(), "airfoil/five/f32/cells:18");
  EXPECT_EQ(gather.name(), "airfoil/gather/f32/cells:18");
}

// README names 400 x 600 cells on two ranks and on one.
TEST(AirfoilCases, QuickMeshesReachWhatReadmeRuns) {
  const std::vector<AirfoilMesh> meshes = airfoil_meshes(quick_limits(), std::size_t{1} << 30);
  for (const AirfoilSequence sequence : {AirfoilSequence::gather, AirfoilSequence::tiled,
                                         AirfoilSequence::fused, AirfoilSequence::five})
    for (const AirfoilLoop loop : airfoil_loops(sequence)) {
      EXPECT_GE(airfoil_elements(meshes.back(), loop), airfoil_elements({400, 600}, loop));
      EXPECT_LE(airfoil_elements(meshes.front(), loop), airfoil_elements({400, 600}, loop) / 4);
    }
}

TEST(AirfoilCases, MeshesKeepWithinLimitsAndRoom) {
  constexpr std::size_t room = std::size_t{8} << 30;
  EXPECT_EQ(airfoil_meshes(full_limits(), room).size(), 7u);
  EXPECT_EQ(airfoil_meshes(full_limits(), 1'000'000'000).size(), 6u);
  CalibrationLimits limits = full_limits();
  limits.largest_edge = 16;
  EXPECT_TRUE(airfoil_meshes(limits, room).empty());
  limits.largest_edge = 0;
  limits.most_case_bytes = 1'000'000;
  EXPECT_EQ(airfoil_meshes(limits, room).size(), 2u);
}

}  // namespace
}  // namespace bellwether
