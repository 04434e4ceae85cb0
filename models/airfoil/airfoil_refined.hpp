// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_workload.hpp"
#include "models/machine/machine.hpp"
#include "models/network/paths.hpp"
#include "models/noise/noise_wait.hpp"
#include "models/prediction.hpp"
#include "models/step/rank_program.hpp"

namespace bellwether {

/// One rank's iteration; adds notes. Throws BadInput naming the machine and the link that messages
/// lack.
RankProgram airfoil_program(const Machine& machine, const AirfoilLoopCosts& costs,
                            const AirfoilWorkload& work, const AirfoilConditions& conditions,
                            Bound bound, std::vector<std::string>& notes);

/// predict_airfoil_paper with what a careful user adds: the loops' cost at their set's size
/// everywhere, other ranks' edges that are computed too apart, both arrays in one message,
/// neighbours on a node over shared memory, cards shared by measured or shared bandwidth instead of
/// C L_onchip, links in segments, only what can be hidden hidden, packing, unpacking, the colours'
/// launches, a measured reduction and what noise has ranks wait as terms of their own.
Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions, const NoiseWait& noise);

}  // namespace bellwether
