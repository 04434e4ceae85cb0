// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "microbench/bench.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {

/// The mini-app's iterations on a mesh that each rank has alone, so that nothing is exchanged.
class AirfoilIterations {
 public:
  virtual ~AirfoilIterations() = default;
  /// Collective. Runs iterations and returns the seconds of all loops. Ranks meet where a run's
  /// would, before each res_calc, off the clock.
  virtual double iterate(int iterations) = 0;
  /// Of a loop in the last call of iterate().
  [[nodiscard]] virtual double seconds(AirfoilLoop loop) const = 0;
};

/// Collective. The flow is the free stream. `fused`: the mini-app's own loops, else OP2's five.
/// Throws BadEnvironment where memory does not suffice.
std::shared_ptr<AirfoilIterations> make_airfoil_iterations(Bench& bench, const AirfoilMesh& mesh,
                                                           const std::string& precision,
                                                           bool fused);

}  // namespace bellwether
