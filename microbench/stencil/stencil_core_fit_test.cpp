// SPDX-License-Identifier: MIT
#include "microbench/stencil/stencil_core_fit.hpp"

#include <gtest/gtest.h>

#include "models/stencil/stencil_core.hpp"

namespace bellwether {
namespace {

/// Cubes of 19 to 48 cells whose updates take a core so long; broken are rows of no multiple of 8.
struct Cubes {
  CoreCases cases;
  SampleStore store;
  Machine machine;

  Cubes(double cell_s, double row_s, double broken_row_s, double row_kernel_cell_s) {
    machine.layout.ranks_per_node = 2;
    MemoryCurve curve{2, 4, "cached", "f64", {}};
    for (const double bytes : {1e3, 1e7})
      curve.points.push_back({bytes, Quantity::exact(16 / row_kernel_cell_s)});
    machine.device.kind = "cpu";
    machine.device.memory = {curve};
    int index = 0;
    for (const int edge : {19, 24, 29, 32, 37, 48}) {
      const double rows = edge * edge, broken = edge % 8 == 0 ? 0 : rows;
      cases.push_back({{"diffusion", "f64", edge}, {++index, 0}});
      store.add(cases.back().key, cases.back().spec.name(),
                rows * edge * (cell_s + row_kernel_cell_s) + rows * row_s + broken * broken_row_s);
    }
  }
};

TEST(StencilCoreFit, FindsCellsRowsAndTheirEnds) {
  Cubes cubes(1e-10, 3e-9, 5e-9, 0);
  cubes.machine.device.memory.clear();
  core_from_samples(cubes.cases, 64, false, cubes.store, cubes.machine);
  const StencilCore* core = section<StencilCores>(cubes.machine)->of("diffusion", "f64");
  ASSERT_NE(core, nullptr);
  EXPECT_NEAR(core->cell_s.value, 1e-10, 1e-15);
  EXPECT_NEAR(core->row_s.value, 3e-9, 1e-14);
  EXPECT_NEAR(core->broken_row_s.value, 5e-9, 1e-14);
  EXPECT_EQ(section<StencilCores>(cubes.machine)->of("diffusion", "f32"), nullptr);
}

TEST(StencilCoreFit, LeavesOutWhatTheRowKernelDoes) {
  Cubes cubes(1e-10, 3e-9, 5e-9, 2e-10);
  core_from_samples(cubes.cases, 64, true, cubes.store, cubes.machine);
  const StencilCore* core = section<StencilCores>(cubes.machine)->of("diffusion", "f64");
  ASSERT_NE(core, nullptr);
  EXPECT_NEAR(core->cell_s.value, 1e-10, 1e-15);
  EXPECT_NEAR(core->broken_row_s.value, 5e-9, 1e-14);
}

}  // namespace
}  // namespace bellwether
