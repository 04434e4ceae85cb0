// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/airfoil/airfoil_loops.hpp"
#include "models/airfoil/airfoil_workload.hpp"
#include "models/machine/machine.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// How an iteration is asked to run.
struct AirfoilConditions {
  std::string precision;  ///< "f32" or "f64"
  bool overlap = false;
  int ranks = 1;
  int ranks_per_node = 1;
  /// Refined form only: this suite's own loops, which save nothing, reduce nothing, and update q
  /// and adt in one; else the paper's five.
  bool fused = false;
  /// Refined form only: halos pass through host buffers, which on a CPU are copies of its own.
  bool staged = true;
};

/// One iteration of the slowest of the workloads by the published equations (Mudalige et al., Eq.
/// 1-7): on a CPU one cost per element and loop at any size; on a GPU the cost at the set's size,
/// and the copies of the halo over the host link, one per data array and direction. All messages
/// cross the network, L_onchip is the latency of the shared_memory link (0 without one), the
/// reduction a binary tree of ceil(log2 R) messages of 8 bytes. `costs` is of the same machine and
/// precision. Throws BadInput naming the machine and its link if there is none to exchange over.
Prediction predict_airfoil_paper(const Machine& machine, const AirfoilLoopCosts& costs,
                                 const std::vector<AirfoilWorkload>& workloads,
                                 const AirfoilConditions& conditions);

/// The same with what a careful user adds: the loops' cost at their set's size everywhere, other
/// ranks' edges that are computed too apart, both arrays in one message, neighbours on a node over
/// shared memory, cards shared by measured or shared bandwidth instead of C L_onchip, links in
/// segments, only what can be hidden hidden, packing, unpacking, the colours' launches and a
/// measured reduction as terms of their own.
Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions);

/// Values of one imported cell: the 4 of q and the one of adt.
inline constexpr double airfoil_q_values = 4;
inline constexpr double airfoil_adt_values = 1;

}  // namespace bellwether
