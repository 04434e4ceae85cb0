// SPDX-License-Identifier: MIT
#include "microbench/stencil/stencil_core_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/stencil/stencil_core.hpp"
#include "models/stencil/stencil_refined.hpp"

namespace bellwether {
namespace {

/// Boxes whose updates take a core so long; broken are rows of no multiple of 8.
struct CoreBoxes {
  CoreCases cases;
  SampleStore store;
  Machine machine;

  CoreBoxes(double cell_s, double row_s, double broken_row_s) {
    cube_s = 2 * 256 * (16 * cell_s + row_s);
    int index = 0;
    double slower = 0.7;  // the core's speed differs from box to box
    for (const auto& [row, across] :
         {std::pair(19, 19), {24, 24}, {29, 29}, {32, 32}, {37, 37}, {160, 12}}) {
      const double rows = across * across, broken = row % 8 == 0 ? 0 : rows;
      const CoreSpec spec{"diffusion", "core", "f64", row, across};
      cases.push_back({spec, {++index, 0}});
      slower = 1.4 - slower;
      store.add({index, 0}, spec.name(),
                slower * (rows * row * cell_s + rows * row_s + broken * broken_row_s));
      store.add(SampleKey{index, 0}.of_part(0), spec.name() + "/core", slower * cube_s);
    }
    cases.push_back({{"diffusion", "probed", "f64", 16, 16}, {++index, 0}});  // fits no fit
    store.add(cases.back().key, cases.back().spec.name(), cube_s);
  }

  /// One sample of a box beside its memory and core, of which the latter is so much slower.
  void add(const char* what, int edge, double update_s, double memory_s, double slower = 1) {
    const CoreSpec spec{"diffusion", what, "f64", edge, edge};
    const auto known = std::find_if(cases.begin(), cases.end(), [&spec](const auto& one) {
      return one.spec.name() == spec.name();
    });
    const SampleKey key =
        known != cases.end() ? known->key : SampleKey{100 + static_cast<int>(cases.size()), 0};
    if (known == cases.end()) cases.push_back({spec, key});
    store.add(key, spec.name(), update_s);
    store.add(key.of_part(0), spec.name() + "/core", slower * cube_s);
    store.add(key.of_part(1), spec.name() + "/memory", memory_s);
  }
  const StencilCore& fitted() {
    core_from_samples(cases, 2, 64, store, machine);
    return *section<StencilCores>(machine)->of("diffusion", "f64");
  }

  double cube_s = 0;  ///< of the probed one
};

TEST(StencilCoreFit, FindsCellsRowsAndTheirEnds) {
  CoreBoxes boxes(1e-10, 3e-9, 5e-9);
  core_from_samples(boxes.cases, 2, 64, boxes.store, boxes.machine);
  const StencilCore* core = section<StencilCores>(boxes.machine)->of("diffusion", "f64");
  ASSERT_NE(core, nullptr);
  EXPECT_NEAR(core->cell_s.value, 1e-10, 1e-15);
  EXPECT_NEAR(core->row_s.value, 3e-9, 1e-14);
  EXPECT_NEAR(core->broken_row_s.value, 5e-9, 1e-14);
  ASSERT_TRUE(core->probed_cells_per_s);
  EXPECT_NEAR(core->probed_cells_per_s->value, 1 / (1e-10 + 3e-9 / 16) / 2, 1);
  EXPECT_EQ(section<StencilCores>(boxes.machine)->of("diffusion", "f32"), nullptr);
}

TEST(StencilCoreFit, FindsWhatNeitherCoreNorMemoryHidesOfTheOther) {
  constexpr double cell_s = 3e-10;
  constexpr int edges[] = {160, 224};
  constexpr double memory_cell_s[] = {2.5e-10, 4e-10}, shares[] = {0.1, 0.3};
  CoreBoxes boxes(cell_s, 0, 5e-9);
  for (const int size : {0, 1}) {
    const double cells = std::pow(edges[size], 3);
    const double core_s = cells * cell_s, memory_s = cells * memory_cell_s[size];
    boxes.add("update", edges[size], overlapped_s(core_s, memory_s, shares[size]), memory_s);
  }
  const StencilCore& core = boxes.fitted();
  ASSERT_EQ(core.exposed.size(), 2u);
  for (std::size_t index = 0; index < 2; ++index) {
    const ExposedShare& found = core.exposed[index];
    EXPECT_EQ(found.working_set_bytes, 16 * std::pow(edges[index], 3));
    EXPECT_NEAR(found.share.value, shares[index], 1e-6);
    EXPECT_NEAR(found.share.high - found.share.low, 0, 1e-6);
  }
}

TEST(StencilCoreFit, WhatMomentsScatterByIsKnownOfThreeOrMore) {
  constexpr double cell_s = 3e-10, share = 0.3, by = 1.1;
  const double core_s = cell_s * std::pow(160., 3);
  const auto add_moment = [&](CoreBoxes& boxes, double ratio, double interrupted) {
    for (const double more : {1., interrupted, 1.})
      boxes.add("update", 160, ratio * more * overlapped_s(core_s, core_s, share), core_s);
  };
  CoreBoxes few(cell_s, 0, 5e-9), more(cell_s, 0, 5e-9);
  for (CoreBoxes* boxes : {&few, &more}) {
    add_moment(*boxes, 1, 1);
    add_moment(*boxes, by, 2);
  }
  EXPECT_EQ(few.fitted().exposed.at(0).scatter, 0);
  add_moment(more, 1 / by, 0.5);
  add_moment(more, by, 2);
  add_moment(more, 1 / by, 0.5);
  const StencilCore& core = more.fitted();
  EXPECT_NEAR(core.exposed.at(0).share.value, share, 1e-6);
  EXPECT_NEAR(core.exposed.at(0).scatter, 1.4826 * std::log(by), 1e-6)
      << "of moments' medians, not of samples";
  ComputeTime time{.memory_s = core_s, .core_s = core_s};
  core.set_exposed(time, 16 * std::pow(160., 3), Bound::value);
  EXPECT_EQ(time.scatter, core.exposed.at(0).scatter);
}

TEST(StencilCoreFit, OneDisturbedMomentOfThreeIsNoScatter) {
  constexpr double cell_s = 3e-10, share = 0.3, by = 1.02;
  const double core_s = cell_s * std::pow(160., 3);
  for (const double disturbed : {0.5, 1.5, 4.}) {
    CoreBoxes boxes(cell_s, 0, 5e-9);
    for (const double ratio : {by, disturbed, 1 / by})
      for (int sample = 0; sample < 3; ++sample)
        boxes.add("update", 160, ratio * overlapped_s(core_s, core_s, share), core_s);
    EXPECT_LT(boxes.fitted().exposed.at(0).scatter, 0.1) << disturbed;
  }
}

TEST(StencilCoreFit, OfLargeBoxesRowsMayEndAnywhereToo) {
  constexpr double cell_s = 3e-10, row_s = 3e-9, broken_row_s = 5e-9;
  CoreBoxes boxes(cell_s, row_s, broken_row_s);
  const double rows = 161. * 161, core_s = rows * (161 * cell_s + row_s);
  boxes.add("update", 161, overlapped_s(core_s, 0.5 * core_s, 0.4) + rows * broken_row_s,
            0.5 * core_s);
  EXPECT_NEAR(boxes.fitted().exposed.at(0).share.value, 0.4, 1e-6);
}

TEST(StencilCoreFit, BoxesAreAsLargeAsTheCoresOwnCacheHolds) {
  constexpr std::size_t cache_bytes = 1 << 20;
  const auto boxes = boxes_in_cache({20, 160, 100000}, 16, cache_bytes);
  ASSERT_EQ(boxes.size(), 2u) << "one row alone would fill it";
  for (const auto& [row, across] : boxes) {
    EXPECT_LE(16. * row * across * across, 0.6 * cache_bytes);
    EXPECT_GT(16. * row * (across + 1) * (across + 1), 0.6 * cache_bytes);
  }
  EXPECT_EQ(boxes_in_cache({20}, 16, 100 * cache_bytes), (std::vector<BoxShape>{{20, 80}}));
}

TEST(StencilCoreFit, AnUpdateIsHeldAgainstTheCoreOfItsOwnMoment) {
  constexpr double cell_s = 3e-10, share = 0.3;
  CoreBoxes boxes(cell_s, 0, 5e-9);
  for (const double slower : {1.6, 0.7, 1.1}) {
    const double core_s = slower * cell_s * 160 * 160 * 160;
    boxes.add("update", 160, overlapped_s(core_s, 0.7 * core_s, share), 0.7 * core_s, slower);
  }
  const StencilCore& core = boxes.fitted();
  EXPECT_NEAR(core.exposed.at(0).share.value, share, 1e-6);
  EXPECT_NEAR(core.exposed.at(0).share.high, share, 1e-6);
  EXPECT_NEAR(core.cell_s.value, cell_s, 1e-15) << "the calibration's";
}

TEST(StencilCoreFit, OfManySamplesTheMiddleOneCounts) {
  // In one of three something else has the caches: the update alone takes twice as long.
  constexpr double cell_s = 3e-10, share = 0.3;
  CoreBoxes boxes(cell_s, 0, 5e-9);
  const double core_s = cell_s * 160 * 160 * 160;
  for (int sample = 0; sample < 9; ++sample) {
    const bool disturbed = sample % 3 == 1;
    boxes.add("update", 160, (disturbed ? 2 : 1) * overlapped_s(core_s, 0.7 * core_s, share),
              (disturbed ? 1.1 : 1) * 0.7 * core_s);
  }
  EXPECT_NEAR(boxes.fitted().exposed.at(0).share.value, share, 1e-6);
}

TEST(StencilCoreFit, WithoutLargeBoxesNothingIsKnownOfThat) {
  CoreBoxes boxes(1e-10, 3e-9, 5e-9);
  core_from_samples(boxes.cases, 2, 64, boxes.store, boxes.machine);
  EXPECT_TRUE(section<StencilCores>(boxes.machine)->of("diffusion", "f64")->exposed.empty());
}

TEST(StencilUpdateFit, TakesCubesWithinTheLimits) {
  CalibrationLimits limits;
  EXPECT_EQ(device_edges(limits), (std::vector{288, 400}));
  limits.largest_edge = 399;
  EXPECT_EQ(device_edges(limits), (std::vector{288}));
  limits.largest_edge = 16;
  EXPECT_TRUE(device_edges(limits).empty());
}

TEST(StencilUpdateFit, IsTheMiddleOfWhatUpdatesTakeByTheirMemoryCurves) {
  StencilKernel kernel;
  kernel.name = "diffusion";
  kernel.read_values = kernel.written_values = 1;
  Machine machine;
  machine.device.kind = "gpu";
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e12);
  machine.device.memory = {
      {1, 0, "cached", "f32", {{1e6, Quantity::exact(1e12)}, {1e9, Quantity::exact(1e12)}}}};
  machine.device.launch_latency_s = Quantity::exact(3e-6);
  const StencilVariant variant{.precision = "f32", .stores = "cached"};
  CoreCases cases;
  SampleStore store;
  int index = 0;
  for (const auto& [edge, times] : {std::pair(64, 1.1), std::pair(96, 1.2), std::pair(128, 1.6)}) {
    const double alone_s =
        refined_stencil_model(machine, kernel, variant, 1)->seconds({{edge, edge, edge}, {}}) -
        3e-6;
    cases.push_back({{"diffusion", "update", "f32", edge, edge}, {++index, 0}});
    store.add(cases.back().key, cases.back().spec.name(), times * alone_s + 3e-6);
  }
  machine.device.between_kernels_s = Quantity::exact(1e-5);  // of a run's steps, not of these
  update_from_samples(cases, kernel, store, machine);
  const StencilUpdate* update = section<StencilCores>(machine)->update_of("diffusion", "f32");
  ASSERT_NE(update, nullptr);
  EXPECT_NEAR(update->times.value, 1.2, 1e-9);
  EXPECT_EQ(section<StencilCores>(machine)->update_of("diffusion", "f64"), nullptr);
  EXPECT_NEAR(refined_stencil_model(machine, kernel, variant, 1)->seconds({{96, 96, 96}, {}}),
              store.at(cases[1].key).front() + 1e-5, 1e-12);
}

}  // namespace
}  // namespace bellwether
