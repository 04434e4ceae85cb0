// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_core.hpp"

#include <gtest/gtest.h>

#include "models/machine/full_machine.hpp"
#include "models/stencil/stencil_refined.hpp"
#include "models/stencil/test_stencils.hpp"

namespace bellwether {
namespace {

/// A copy and a row kernel that differ by 1e-10 s a byte in the cache, and by a quarter of it
/// beyond.
Machine with_measured_core(const char* app) {
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
  set_section(machine, StencilCores{{{app, "f32", Quantity::exact(2e-10), Quantity::exact(3e-9),
                                      Quantity::exact(5e-9)}}});
  return machine;
}

double one_rank(const Machine& machine, const StencilKernel& kernel, int edge) {
  return predict_stencil_refined(machine, kernel, {{edge, edge, edge}, {1, 1, 1}, true}, {}, {1})
      .total_s;
}

TEST(StencilCore, WhatACoreDoesBeyondTheRowKernelIsHiddenByMemoryAsItsRereadsAre) {
  const Machine machine = with_measured_core("diffusion");
  const auto expected = [](int edge, double byte_s, double shown, double broken) {
    const double rows = double(edge) * edge, cells = rows * edge;
    return 4 * (2 * cells + 6 * rows) * byte_s +
           shown * (cells * 2e-10 + rows * 3e-9 + broken * rows * 5e-9);
  };
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 64), expected(64, 2e-10, 1, 0), 1e-12);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 63), expected(63, 2e-10, 1, 1), 1e-12);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 256), expected(256, 5.25e-10, 0.25, 0), 1e-9);
  EXPECT_NEAR(one_rank(machine, diffusion_stencil(), 250), expected(250, 5.25e-10, 0.25, 1), 1e-9);
}

TEST(StencilCore, AKernelThatFetchesAheadTakesTheLongerOfMemoryAndItsMeasuredCore) {
  const Machine machine = with_measured_core("lbm");
  const StencilKernel kernel = lattice_boltzmann_stencil();
  const auto cells = [](int edge) { return double(edge) * edge * edge; };
  const double memory_s = 2 * 19 * 4 * 1e-10;  // of a cell, in the cache: far more than its core
  EXPECT_NEAR(one_rank(machine, kernel, 20), cells(20) * memory_s, 1e-12);
  Machine slow = machine;
  section<StencilCores>(slow)->kernels[0].cell_s = Quantity::exact(1e-7);
  EXPECT_NEAR(one_rank(slow, kernel, 24), cells(24) * 1e-7 + 24 * 24 * 3e-9, 1e-12);
  EXPECT_NEAR(one_rank(slow, kernel, 25), cells(25) * 1e-7 + 25 * 25 * 8e-9, 1e-12);
  EXPECT_EQ(one_rank(with_measured_core("diffusion"), kernel, 24),
            one_rank(with_measured_core("unknown"), kernel, 24));
}

}  // namespace
}  // namespace bellwether
