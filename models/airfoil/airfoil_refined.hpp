// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_workload.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// predict_airfoil_paper with what a careful user adds: the loops' cost at their set's size
/// everywhere, other ranks' edges that are computed too apart, both arrays in one message,
/// neighbours on a node over shared memory, cards shared by measured or shared bandwidth instead of
/// C L_onchip, links in segments, only what can be hidden hidden, packing, unpacking, the colours'
/// launches and a measured reduction as terms of their own.
Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions);

}  // namespace bellwether
