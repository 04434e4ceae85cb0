// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "microbench/driver/bench.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {

/// Iterations of Airfoil over a mesh of each rank's own, all ranks at once, its loops timed apart:
/// each finds in the caches what the loops before it left there.
struct AirfoilSpec {
  AirfoilMesh mesh;
  std::string precision;
  bool fused;  ///< the mini-app's three loops; else OP2's five

  [[nodiscard]] std::string name() const;
  /// Of a loop's samples: seconds of all its calls in an iteration.
  [[nodiscard]] std::string name(AirfoilLoop loop) const;
};

/// Ascending meshes.
std::vector<AirfoilSpec> airfoil_specs(const Bench& bench);
Benchmark make_case(Bench& bench, const AirfoilSpec& spec);

}  // namespace bellwether
