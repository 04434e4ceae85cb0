// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "microbench/airfoil/airfoil_cases.hpp"
#include "microbench/compute/compute_cases.hpp"
#include "microbench/driver/bench.hpp"
#include "microbench/driver/campaign.hpp"
#include "microbench/links/collective_cases.hpp"
#include "microbench/links/copy_cases.hpp"
#include "microbench/links/hiding_cases.hpp"
#include "microbench/links/link_cases.hpp"
#include "microbench/links/ring_cases.hpp"
#include "microbench/memory/memory_cases.hpp"

namespace bellwether {

/// Everything that a calibration measures on a bench.
struct MeasurementPlan {
  explicit MeasurementPlan(const Bench& bench);

  std::vector<NeighboursSpec> neighbours;
  std::vector<StreamSpec> stream;
  std::vector<ComputeSpec> compute;
  std::vector<std::size_t> launches;  ///< work items of an empty kernel; 1 is the launch overhead
  std::vector<LinkSpec> links, hops;
  std::vector<RingSpec> rings;
  std::vector<HidingSpec> hiding;
  std::vector<CopySpec> copies;
  std::vector<CollectiveSpec> collectives;
  std::vector<AirfoilSpec> airfoil;
};

/// The plan's benchmarks in groups whose shares leave room for measuring the drift.
std::vector<Group> groups_of(Bench& bench, const MeasurementPlan& plan,
                             const CalibrationLimits& limits);
/// The benchmarks that are repeated at the end: a copy on all ranks, the smallest message and a
/// matrix product, as far as the plan has them.
Group drift_group(Bench& bench, const MeasurementPlan& plan);

}  // namespace bellwether
