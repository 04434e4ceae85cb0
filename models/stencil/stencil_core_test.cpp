// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_core.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "models/machine/test_full_machine.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/stencil/test_stencils.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {
namespace {

/// A copy takes 1e-10 s a byte in the cache and 5e-10 beyond it, the row kernel more.
Machine with_measured_core(const char* app, double cell_s = 2e-10) {
  Machine machine = full_machine();
  machine.device.launch_latency_s = Quantity::exact(0);
  machine.device.memory.clear();
  for (const int rereads : {0, 4}) {
    const double added = rereads > 0 ? 1e-10 : 0;
    machine.device.memory.push_back({1,
                                     rereads,
                                     "cached",
                                     "f32",
                                     {{1e6, Quantity::exact(1 / (1e-10 + added))},
                                      {3e6, Quantity::exact(1 / (1e-10 + added))},
                                      {1e8, Quantity::exact(1 / (5e-10 + added / 4))},
                                      {1e9, Quantity::exact(1 / (5e-10 + added / 4))}}});
  }
  set_section(machine, StencilCores{{{app, "f32", Quantity::exact(cell_s), Quantity::exact(3e-9),
                                      Quantity::exact(5e-9)}}});
  return machine;
}

double one_rank(const Machine& machine, const StencilKernel& kernel, int edge) {
  return predict_stencil_refined(machine, kernel, {{edge, edge, edge}, {1, 1, 1}, true}, {}, {1})
      .total_s;
}

TEST(StencilCore, AnUpdateTakesTheLongerOfACopyAndItsCoreAShareOfTheShorterAndItsRowsEnds) {
  constexpr double cell_s = 1.5e-9;  // of the core, between a copy in the cache and beyond
  Machine machine = with_measured_core("diffusion", cell_s);
  const auto expected = [](int edge, double copy_byte_s, double broken, double share) {
    const double rows = double(edge) * edge, cells = rows * edge;
    const double bytes = 4 * (2 * cells + 6 * rows);
    const double core_s = cells * cell_s + rows * 3e-9;
    return overlapped_s(bytes * copy_byte_s, core_s, share) + broken * rows * 5e-9;
  };
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 64), expected(64, 1e-10, 0, 0), 1e-12);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 63), expected(63, 1e-10, 1, 0), 1e-12);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 256), expected(256, 5e-10, 0, 0), 1e-9);
  // Twice as much of it with sixteen times the working set, linear in its logarithm.
  const double set = 8. * 63 * 63 * 63;
  section<StencilCores>(machine)->kernels[0].exposed = {{set, {0.25, 0.1, 0.5, {}}},
                                                        {16 * set, {0.5, 0.4, 0.6, {}}}};
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 50), expected(50, 1e-10, 1, 0.25), 1e-12);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 63), expected(63, 1e-10, 1, 0.25), 1e-12);
  const double way = 3 * std::log(68 / 63.) / std::log(16.);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 68), expected(68, 1e-10, 1, 0.25 * (1 + way)),
              1e-12);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 250), expected(250, 5e-10, 1, 0.5), 1e-9);
}

TEST(StencilCore, CachedStoresHideWhatStreamingOnesExpose) {
  // They copy faster up to 3 MB, streaming ones beyond; the core is as busy with either.
  Machine machine = with_measured_core("diffusion", 1.5e-9);
  machine.device.memory.push_back(
      {1,
       0,
       "streaming",
       "f32",
       {{1e6, Quantity::exact(1 / 4e-10)}, {1e9, Quantity::exact(1 / 4e-10)}}});
  StencilCore& core = section<StencilCores>(machine)->kernels[0];
  core.exposed = {{1, Quantity::exact(0.25)}};
  const auto core_s = [](double edge) { return edge * edge * (edge * 1.5e-9 + 3e-9); };
  const auto bytes = [](double edge) { return 4 * edge * edge * (2 * edge + 6); };
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 64), core_s(64), 1e-12);
  const double streamed_s = bytes(256) * 4e-10;
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 256),
              overlapped_s(streamed_s, core_s(256), 0.25), 1e-9);
}

TEST(StencilCore, MemoryAndCoreFollowTheirOwnSpeeds) {
  Machine machine = with_measured_core("diffusion", 1.5e-9);
  section<StencilCores>(machine)->kernels[0].exposed = {{1, Quantity::exact(0.25)}};
  const ComputeTime time = *predict_stencil_refined(machine, diffusion_stencil(),
                                                    {{64, 64, 64}, {1, 1, 1}, true}, {}, {1})
                                .compute;
  const double bytes = 4 * (2 * 64. * 64 * 64 + 6 * 64 * 64);
  const double core_s = 64. * 64 * (64 * 1.5e-9 + 3e-9), memory_s = bytes * 1e-10;
  EXPECT_NEAR(time.seconds(), overlapped_s(core_s, memory_s, 0.25), 1e-12);
  EXPECT_NEAR(time.seconds(0.01), overlapped_s(core_s, 100 * memory_s, 0.25), 1e-9);
  EXPECT_NEAR(time.seconds(1, 0.5), overlapped_s(2 * core_s, memory_s, 0.25), 1e-12);
}

TEST(StencilCore, MemoryAndCoreOverlapSmoothlyBetweenTheLongerAndTheirSum) {
  EXPECT_EQ(overlapped_s(2, 3, 0), 3);
  EXPECT_EQ(overlapped_s(2, 3, 1), 5);
  EXPECT_EQ(overlapped_s(0, 3, 0.5), 3);
  EXPECT_EQ(overlapped_s(3, 0, 1), 3);
  EXPECT_NEAR(overlapped_s(3, 4, std::sqrt(2) - 1), 5, 1e-12) << "p = 2";
  EXPECT_NEAR(overlapped_s(2, 2, 0.3), 2 * 1.3, 1e-12);
  EXPECT_EQ(overlapped_s(2, 3, 0.3), overlapped_s(3, 2, 0.3));
  EXPECT_NEAR(overlapped_s(2e-9, 3e-9, 1e-3), 3e-9, 1e-20) << "no power is too large";
  for (const double share : {0.02, 0.1, 0.45, 0.9, 0.99})
    for (const double memory_s : {0.4, 1., 1.5})
      EXPECT_NEAR(overlapped_s(memory_s, 1,
                               exposed_share_of(memory_s, 1, overlapped_s(memory_s, 1, share))),
                  overlapped_s(memory_s, 1, share), 1e-9);
  EXPECT_NEAR(exposed_share_of(2, 2, 2.9), 0.45, 1e-9);
  EXPECT_NEAR(exposed_share_of(2, 3, 2.5), 0, 1e-9);
  EXPECT_NEAR(exposed_share_of(2, 3, 6), 1, 1e-9);
}

TEST(StencilCore, TheProbedCubesRateIsOfAsManyRanksAsWereCalibrated) {
  Machine lbm = with_measured_core("lbm");
  EXPECT_EQ(core_cells_per_s(lbm, "lbm", "f32", lbm.layout.ranks_per_node), 0);
  section<StencilCores>(lbm)->kernels[0].probed_cells_per_s = Quantity::exact(3e8);
  EXPECT_EQ(core_cells_per_s(lbm, "lbm", "f32", lbm.layout.ranks_per_node), 3e8);
  EXPECT_EQ(core_cells_per_s(lbm, "lbm", "f32", lbm.layout.ranks_per_node + 1), 0);
  EXPECT_EQ(core_cells_per_s(lbm, "lbm", "f64", lbm.layout.ranks_per_node), 0);
  EXPECT_EQ(core_cells_per_s(full_machine(), "unknown", "f32", 1), 0);
}

TEST(StencilCore, AKernelThatFetchesAheadTakesTheLongerOfMemoryAndItsMeasuredCoreAndItsRowsEnds) {
  const Machine machine = with_measured_core("lbm");
  const StencilKernel kernel = lattice_boltzmann_stencil();
  const auto cells = [](int edge) { return double(edge) * edge * edge; };
  const double memory_s = 2 * 19 * 4 * 1e-10;  // of a cell, in the cache: far more than its core
  EXPECT_NEAR(one_rank(machine, kernel, 20), cells(20) * memory_s + 20 * 20 * 5e-9, 1e-12);
  Machine slow = machine;
  section<StencilCores>(slow)->kernels[0].cell_s = Quantity::exact(1e-7);
  EXPECT_NEAR(one_rank(slow, kernel, 24), cells(24) * 1e-7 + 24 * 24 * 3e-9, 1e-12);
  EXPECT_NEAR(one_rank(slow, kernel, 25), cells(25) * 1e-7 + 25 * 25 * 8e-9, 1e-12);
  EXPECT_EQ(one_rank(with_measured_core("diffusion"), kernel, 24),
            one_rank(with_measured_core("unknown"), kernel, 24));
}

TEST(StencilUpdate, OfALoneGpuLeavesAGapBeforeTheNext) {
  Machine machine = with_measured_core("diffusion");
  machine.device.between_kernels_s.reset();
  const auto predict = [&](std::array<int, 3> ranks) {
    return predict_stencil_refined(machine, diffusion_stencil(), {{64, 64, 64}, ranks, true}, {},
                                   {1});
  };
  machine.device.kind = "gpu";
  const double alone_s = predict({1, 1, 1}).total_s, two_s = predict({2, 1, 1}).total_s;
  machine.device.between_kernels_s = Quantity::exact(2e-6);
  const Prediction alone = predict({1, 1, 1});
  EXPECT_NEAR(alone.total_s, alone_s + 2e-6, 1e-15);
  EXPECT_EQ(alone.terms.back().name, "other");
  EXPECT_EQ(alone.terms.back().seconds, 2e-6);
  EXPECT_EQ(predict({2, 1, 1}).total_s, two_s);  // what it waits for then is in its other terms
  machine.device.kind = "cpu";
  EXPECT_NE(predict({1, 1, 1}).terms.back().name, "other");
}

TEST(StencilUpdate, OfAGpuTakesSoManyTimesWhatItsMemoryCurveHas) {
  Machine machine = with_measured_core("diffusion");
  machine.device.kind = "gpu";
  machine.device.between_kernels_s.reset();
  const double alone_s = one_rank(machine, diffusion_stencil(), 128);
  section<StencilCores>(machine)->updates = {{"diffusion", "f32", {1.25, 1.2, 1.5, {}}},
                                             {"lbm", "f32", Quantity::exact(3)},
                                             {"diffusion", "f64", Quantity::exact(4)}};
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 128), 1.25 * alone_s, 1e-12);
  const Prediction made = predict_stencil_refined(machine, diffusion_stencil(),
                                                  {{128, 128, 128}, {1, 1, 1}, true}, {}, {1});
  EXPECT_NEAR(made.low_s, 1.2 * alone_s, 1e-12);
  EXPECT_NEAR(made.high_s, 1.5 * alone_s, 1e-12);
  machine.device.kind = "cpu";
  EXPECT_EQ(one_rank(machine, diffusion_stencil(), 128),
            one_rank(with_measured_core("diffusion"), diffusion_stencil(), 128));
}

TEST(StencilCore, SolidCellsAreNotUpdatedTheirMaskIsReadAndLinksTakeTheirLines) {
  constexpr int edge = 128;  // from memory
  constexpr double cells = 128. * 128 * 128, byte_s = 5e-10;
  Machine machine = with_measured_core("lbm", 1e-12);
  StencilCore& core = section<StencilCores>(machine)->kernels[0];
  core.row_s = core.broken_row_s = Quantity::exact(0);
  const SolidWork solid{.fluid_cells = cells / 2, .walls_x = 1000, .link_lines = 5e4};
  const auto prediction = [&](const std::vector<SolidWork>& solids) {
    return predict_stencil_refined(machine, lattice_boltzmann(),
                                   {{edge, edge, edge}, {1, 1, 1}, true}, {}, {1}, {}, solids);
  };
  const double fluid_alone = prediction({}).total_s;
  // A wall leaves half a line of 16 values, less the wall's own cell, updated for nothing.
  const double updated = cells / 2 + 1000 * 7.5;
  const double moved_s = (updated / cells) * fluid_alone + cells * byte_s;
  const auto bytes_s = [](double bytes) { return bytes * byte_s; };
  EXPECT_NEAR(prediction({solid}).total_s, moved_s + bytes_s(3 * 64 * 5e4), 0.02 * moved_s);
  const SolidWork walls{.fluid_cells = cells, .walls_x = 1000, .link_lines = 5e4};
  EXPECT_NEAR(prediction({walls}).total_s, fluid_alone + bytes_s(3 * 64 * 5e4), 1e-3 * fluid_alone)
      << "without solid cells no mask is read";
}

TEST(StencilCore, OfRanksWithUnlikeSolidCellsTheSlowestCounts) {
  Machine machine = with_measured_core("lbm");
  const Decomposition halves({64, 64, 64}, {1, 1, 2}, true);
  const double cells = 64. * 64 * 32;
  const SolidWork none{.fluid_cells = cells}, half{.fluid_cells = cells / 2};
  SolidWork linked = half;
  linked.link_lines = 1e6;
  for (const bool overlap : {false, true}) {
    const auto of = [&](const SolidWork& first, const SolidWork& second) {
      return predict_stencil_refined(machine, lattice_boltzmann(), halves, {.overlap = overlap},
                                     {2}, {}, {first, second});
    };
    const auto computed = [](const Prediction& p) {
      return term(p, "compute.interior") + term(p, "compute.boundary");
    };
    const Prediction uneven = of(half, none), even = of(none, none), empty = of(half, half);
    EXPECT_EQ(uneven.total_s, even.total_s);
    EXPECT_EQ(even.imbalance_s, 0);
    EXPECT_NEAR(uneven.imbalance_s, (computed(even) - computed(empty)) / 2, 1e-12 * computed(even));
    EXPECT_GT(of(linked, none).total_s, even.total_s) << "links take longer than their cells would";
  }
}

}  // namespace
}  // namespace bellwether
