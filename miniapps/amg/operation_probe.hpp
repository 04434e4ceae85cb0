// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "miniapps/amg/matrices/operation_matrix.hpp"
#include "miniapps/comm/session.hpp"
#include "miniapps/driver/probe.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// What a cycle does on its finest level, as far as its probe does the same.
struct ProbedOperations {
  AmgShape shape;     ///< of the rank that has most
  std::string relax;  ///< as the option says
  /// Brings the run's data to the caches again, where they fit.
  std::function<void()> back_to_caches;
};

/// Collective. Rows a second through a residual and a sweep of relaxation on a matrix of each
/// rank's own, as the calibration measures them: nothing in the caches, all ranks at once. Held
/// against what amg.kernels says of that size. `machine` may be null.
std::unique_ptr<Probe> make_operation_probe(const Session& session, ProbedOperations run,
                                            const Machine* machine);

}  // namespace bellwether
