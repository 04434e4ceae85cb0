// SPDX-License-Identifier: MIT
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/machine/test_full_machine.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// For property tests: a number between two positive ones, its logarithm evenly spread.
inline double random_between(double low, double high) {
  constexpr int steps = 1000;
  return low * std::pow(high / low, *rc::gen::inRange(0, steps + 1) / double{steps});
}

inline Quantity random_quantity(double low, double high) {
  const double value = random_between(low, high);
  return {value, 0.8 * value, 1.3 * value, {}};
}

inline LinkTiming random_timing() {
  LinkTiming timing;
  timing.latency_s = random_quantity(1e-7, 1e-4);
  timing.bandwidth_bytes_per_s = random_quantity(1e8, 1e11);
  double from = 8;
  for (int segment = *rc::gen::inRange(0, 4); segment > 0; --segment) {
    timing.segments.push_back({from, random_quantity(1e-7, 1e-4), random_quantity(1e8, 1e11)});
    if (*rc::gen::arbitrary<bool>())
      timing.segments.back().burst_bytes = random_quantity(0, from / 2);
    from *= random_between(4, 1000);
  }
  return timing;
}

/// Of an exchange by a step with overlap, at most.
inline constexpr double most_exposed = 1.2;

inline Link random_link() {
  Link link;
  link.source = "random";
  link.one_way = random_timing();
  if (*rc::gen::arbitrary<bool>()) link.unaligned = random_timing();
  if (*rc::gen::arbitrary<bool>()) link.exchange = random_timing();
  for (int pairs = 1; *rc::gen::arbitrary<bool>(); pairs *= 2)
    link.concurrent.push_back({pairs, random_timing()});
  if (*rc::gen::arbitrary<bool>())
    link.exposed_exchange = {{1, Quantity::exact(random_between(0.1, most_exposed))}};
  return link;
}

/// Of either kind, with or without measured memory curves and a shared-memory link; without noise.
inline Machine random_machine() {
  Machine machine = full_machine();
  machine.sections.erase("noise");  // its waiting has tests of its own
  DeviceParameters& device = machine.device;
  if (*rc::gen::arbitrary<bool>()) device.kind = "gpu";
  for (auto& [precision, peak] : device.peak_flops_per_s) peak = random_quantity(1e10, 1e13);
  device.memory_bandwidth_bytes_per_s = random_quantity(1e9, 1e12);
  if (*rc::gen::arbitrary<bool>()) device.memory.clear();
  for (MemoryCurve& curve : device.memory)
    for (BandwidthPoint& point : curve.points)
      point.bandwidth_bytes_per_s = random_quantity(1e9, 1e12);
  if (*rc::gen::arbitrary<bool>()) device.launch_latency_s.reset();
  for (auto& [name, link] : machine.links) link = random_link();
  if (*rc::gen::arbitrary<bool>()) machine.links.erase("shared_memory");
  if (*rc::gen::arbitrary<bool>()) machine.links.erase("staging");
  return machine;
}

inline Decomposition random_decomposition(int most_cells, int most_parts) {
  std::array<int, 3> cells{};
  std::array<int, 3> parts{};
  for (int direction = 0; direction < 3; ++direction) {
    cells[direction] = *rc::gen::inRange(1, most_cells + 1);
    parts[direction] = *rc::gen::inRange(1, std::min(cells[direction], most_parts) + 1);
  }
  return {cells, parts, *rc::gen::arbitrary<bool>()};
}

}  // namespace bellwether
