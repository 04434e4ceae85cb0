// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "models/airfoil/airfoil_curve.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Iterations; the request is of one rank count and overlap mode. Halos are counted, whatever the
/// study says: a fit has no messages. The machine must outlive it.
std::unique_ptr<Trace> airfoil_trace(const Machine& machine, const AirfoilStudy& study,
                                     const PredictionRequest& request);

}  // namespace bellwether
