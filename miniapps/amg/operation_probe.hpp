// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "miniapps/amg/matrices/operation_matrix.hpp"
#include "miniapps/comm/session/session.hpp"
#include "miniapps/driver/case.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// What a cycle does on its finest level, as far as its probe does the same.
struct ProbedOperations {
  AmgShape shape;               ///< of the rank that has most
  std::string relax;            ///< as the option says
  double others_bytes = 0;      ///< that the cycle goes through between the finest level's sweeps
  std::function<void()> cycle;  ///< runs one beside the run's: brings its data to the caches again
};

/// Collective. Rows a second through the finest level's sweeps and residual, cold and again, mixed
/// as the model mixes them, on a matrix of its own. `machine` may be null; the device outlives it.
std::unique_ptr<Probe> make_operation_probe(const Session& session, ProbedOperations run,
                                            const Machine* machine, Device& device);

}  // namespace bellwether
