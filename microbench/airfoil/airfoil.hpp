// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/registry.hpp"
#include "miniapps/airfoil/airfoil_increments.hpp"
#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Iterations of Airfoil over a mesh of each rank's own, all ranks at once, its loops timed apart:
/// each finds in the caches what the loops before it left there.
struct AirfoilSpec {
  AirfoilMesh mesh;
  std::string precision;
  bool fused;  ///< the mini-app's own loops; else OP2's five
  Increments increments;

  [[nodiscard]] AirfoilSequence sequence() const { return sequence_of(fused, increments); }

  [[nodiscard]] std::string name() const;
};
using AirfoilCases = std::vector<Planned<AirfoilSpec>>;

/// Ascending meshes, gathers on the first alone where they are not the default; part n of a case's
/// samples: seconds of all calls of the sequence's n-th loop in an iteration.
AirfoilCases plan_airfoil(Plan& plan);
BenchCase make_case(Bench& bench, const AirfoilSpec& spec);

/// Twice as long as high, of about 1500 cells and more; those for which `room` bytes are enough,
/// and on which the loops touch no more than a copy of the largest cube does.
std::vector<AirfoilMesh> airfoil_meshes(const CalibrationLimits& limits, std::size_t room);

/// What an element of each loop costs over the meshes that were measured, without a launch for each
/// call on a GPU; nothing where none was measured.
void airfoil_from_samples(const AirfoilCases& cases, const SampleStore& store, Machine& machine);

}  // namespace bellwether
