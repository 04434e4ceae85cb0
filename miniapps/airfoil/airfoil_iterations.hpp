// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/airfoil/airfoil_increments.hpp"
#include "miniapps/airfoil/mesh/airfoil_local.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/case.hpp"
#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/machine/machine.hpp"

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

/// Collective. The flow is the free stream; `fused`: the mini-app's loops, else OP2's five, unless
/// cells gather. All outlive the object. Throws BadEnvironment where memory is short.
std::unique_ptr<AirfoilIterations> make_airfoil_iterations(const Session& session, Device& device,
                                                           const AirfoilLocal& local,
                                                           const std::string& precision, bool fused,
                                                           Increments increments);

/// What an Airfoil run does, as far as its probe does the same.
struct AirfoilProbed {
  std::string precision;
  bool fused = true;
  Increments increments = Increments::plain;
  double cells = 0;  ///< own ones of the rank that has most
  /// Brings the run's data to the caches again, where they fit.
  std::function<void()> back_to_caches;
};

/// Collective. Cells per second through the calibration's iterations on a mesh of each rank's own,
/// against what its loops say of that size. `machine` may be null. Throws BadEnvironment.
std::unique_ptr<Probe> make_airfoil_probe(const Session& session, Device& device, AirfoilProbed run,
                                          const Machine* machine);

}  // namespace bellwether
