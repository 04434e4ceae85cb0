// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_workload.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// One iteration of the slowest of the workloads by the published equations (Mudalige et al., Eq.
/// 1-7): on a CPU one cost per element and loop at any size; on a GPU the cost at the set's size,
/// and the copies of the halo over the host link, one per data array and direction. All messages
/// cross the network, L_onchip is the latency of the shared_memory link (0 without one), the
/// reduction a binary tree of ceil(log2 R) messages of 8 bytes. `costs` is of the same machine and
/// precision. Throws BadInput naming the machine and its link if there is none to exchange over.
Prediction predict_airfoil_paper(const Machine& machine, const AirfoilLoopCosts& costs,
                                 const std::vector<AirfoilWorkload>& workloads,
                                 const AirfoilConditions& conditions);

}  // namespace bellwether
