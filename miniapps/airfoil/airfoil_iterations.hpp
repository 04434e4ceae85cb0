// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/airfoil/airfoil_increments.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/session.hpp"
#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {

/// The mini-app's iterations on a mesh that each rank has alone, so that nothing is exchanged: what
/// calibrates its loops.
class AirfoilIterations {
 public:
  virtual ~AirfoilIterations() = default;
  /// Collective. Runs iterations and returns the seconds of all loops. Ranks meet where a run's
  /// would, before each res_calc or stage, off the clock.
  virtual double iterate(int iterations) = 0;
  /// Of a loop in the last call of iterate().
  [[nodiscard]] virtual double seconds(AirfoilLoop loop) const = 0;
};

/// A generated mesh that this rank has alone, numbered as the mini-app's are, with surroundings.
AirfoilLocal airfoil_mesh_alone(const AirfoilMesh& mesh);

/// Collective. The flow is the free stream. `fused`: the mini-app's own loops, else OP2's five,
/// unless cells gather. Throws BadEnvironment where memory does not suffice. All references outlive
/// the object.
std::unique_ptr<AirfoilIterations> make_airfoil_iterations(const Session& session, Device& device,
                                                           const AirfoilLocal& local,
                                                           const std::string& precision, bool fused,
                                                           Increments increments);

}  // namespace bellwether
