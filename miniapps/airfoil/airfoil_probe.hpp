// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/airfoil/airfoil_increments.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/driver/probe.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// What an Airfoil run does, as far as its probe does the same.
struct AirfoilProbed {
  std::string precision;
  bool fused = true;
  Increments increments = Increments::plain;
  double cells = 0;  ///< own ones of the rank that has most
  /// Brings the run's data to the caches again, where they fit.
  std::function<void()> back_to_caches;
};

/// Collective. The calibration's iterations on a mesh of each rank's own, generated, as large as
/// the run's largest part: cells per second through an iteration, against what the calibrated loops
/// say of that size. `machine` may be null. Throws BadEnvironment where memory does not suffice.
std::unique_ptr<Probe> make_airfoil_probe(const Session& session, Device& device, AirfoilProbed run,
                                          const Machine* machine);

}  // namespace bellwether
