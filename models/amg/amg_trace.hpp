// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "models/amg/amg_curve.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// Solve cycles, or with pcg its iterations; the request is of one count of hardware threads and
/// one overlap mode, and has as many ranks as the mix makes of them. A hierarchy says how many
/// messages a process sends and how much, not to whom: on each level the active processes are
/// spread evenly over all and own boxes of a periodic box, and each sends to the nearest. The
/// machine must outlive it.
std::unique_ptr<Trace> amg_trace(const Machine& machine, const AmgFamily& family,
                                 const AmgStudy& study, const PredictionRequest& request);

}  // namespace bellwether
