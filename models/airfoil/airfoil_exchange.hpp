// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_step.hpp"
#include "models/airfoil/airfoil_workload.hpp"
#include "models/network/paths.hpp"

namespace bellwether {

/// Seconds of one exchange of q and adt in the refined form, for one call of res_calc: one message
/// to each neighbour, with both arrays' values of a cell side by side.
struct AirfoilExchange {
  double pack = 0;            ///< gathers the exported cells, taken to be as many as are imported
  AirfoilCommunication halo;  ///< what may go on while core edges are computed
  double hideable = 0;        ///< of that, what leaves the rank free to compute
  double staging = 0;         ///< each of a CPU's two copies, between its own buffers
  double unpack = 0;          ///< scatters the imported cells
};

/// All 0 without neighbours. Throws BadInput naming the machine and the link if it has none.
AirfoilExchange airfoil_exchange(const Machine& machine, const Paths& paths,
                                 const AirfoilLoopCosts& costs, const AirfoilWorkload& work,
                                 const AirfoilConditions& conditions, Bound bound,
                                 std::vector<std::string>& notes);

}  // namespace bellwether
