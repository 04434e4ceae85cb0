// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "models/amg/amg_curve.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Solve cycles, or with pcg its iterations; the request is of one count of hardware threads and
/// one overlap mode, and has as many ranks as the mix makes of them. Who sends to whom:
/// AmgNeighbours. The machine must outlive it.
std::unique_ptr<Trace> amg_trace(const Machine& machine, const AmgFamily& family,
                                 const AmgStudy& study, const PredictionRequest& request);

}  // namespace bellwether
