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

namespace bellwether {

/// Seconds of one exchange of q and adt in the refined form, for one call of res_calc: one message
/// to each neighbour, with both arrays' values of a cell side by side.
struct AirfoilExchange {
  double pack = 0;            ///< gathers the exported cells, taken to be as many as are imported
  AirfoilCommunication halo;  ///< what may go on while core edges are computed
  double wait = 0;            ///< since MPI is no longer in the caches when it announces messages
  double cold = 0;            ///< the same for announcements and messages together
  double hideable = 0;        ///< of that, what leaves the rank free to compute
  double staging = 0;         ///< each of a CPU's two copies, between its own buffers
  double unpack = 0;          ///< scatters the imported cells
};

/// All 0 without neighbours. Throws BadInput naming the machine and the link if it has none.
AirfoilExchange airfoil_exchange(const Machine& machine, const Paths& paths,
                                 const AirfoilLoopCosts& costs, const AirfoilWorkload& work,
                                 const AirfoilConditions& conditions, Bound bound,
                                 std::vector<std::string>& notes);

/// One rank's iteration, with notes. Throws as airfoil_exchange.
RankStep airfoil_refined_step(const Machine& machine, const AirfoilLoopCosts& costs,
                              const AirfoilWorkload& work, const AirfoilConditions& conditions,
                              Bound bound);

/// predict_airfoil_paper with what a careful user adds: the loops' cost at their set's size
/// everywhere, other ranks' edges that are computed too apart, both arrays in one message,
/// neighbours on a node over shared memory, cards shared by measured or shared bandwidth instead of
/// C L_onchip, links in segments, only what can be hidden hidden, packing, unpacking, the colours'
/// launches, a measured reduction and what noise has ranks wait as terms of their own.
Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions, const NoiseWait& noise);

}  // namespace bellwether
