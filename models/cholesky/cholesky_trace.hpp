// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "models/cholesky/start_up_parameters.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Factorizations of a run whose ranks and overlap are those of the point, the prediction of the
/// same; each column, or block of them, goes down the mini-app's tree. The machine must outlive it.
std::unique_ptr<Trace> cholesky_trace(const Machine& machine, const CholeskyRun& run,
                                      ScalingPoint point);

}  // namespace bellwether
