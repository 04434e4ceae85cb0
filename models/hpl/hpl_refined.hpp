// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_problem.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// Seconds of the operations on one panel, or on all.
struct HplPanelTimes {
  double panel = 0;    ///< factorization
  double pivot = 0;    ///< its messages along the process column
  double to_host = 0;  ///< the panel's copies, where the host factors it
  double to_device = 0;
  double broadcast = 0;  ///< along the process row

  double swap = 0;          ///< row swaps within the rank
  double swap_network = 0;  ///< and along the process column, U's broadcast included
  double trsm = 0;
  double gemm = 0;

  /// Panel and broadcast: what look-ahead does for the next panel during an update.
  [[nodiscard]] double ahead() const { return panel + pivot + to_host + to_device + broadcast; }
  [[nodiscard]] double update() const { return swap + swap_network + trsm + gemm; }
};

/// One factorization of the busiest process.
struct HplFactorization {
  HplPanelTimes exposed;  ///< sums over the panels, hidden parts taken off
  double solve = 0;       ///< back substitution
  double solve_network = 0;
  double total_s = 0;
  double communication_s = 0;         ///< messages and copies of panels, hidden parts included
  double hidden_communication_s = 0;  ///< of it
};

/// Panel by panel over the block-cyclic P x Q grid: off, panel, broadcast and update one after
/// another; with look-ahead the later of the update and of the next panel with its broadcast, which
/// waits for the next block column's update. Gives up once the total exceeds `give_up_s`, with an
/// infinite total.
HplFactorization factor_hpl(const HplCosts& costs, const HplPaths& paths, const HplProblem& problem,
                            bool look_ahead,
                            double give_up_s = std::numeric_limits<double>::infinity());

/// The refined form. Terms: compute.panel, compute.trsm, compute.gemm, compute.solve, swap,
/// copy.to_host, copy.to_device, network.pivot, network.broadcast, network.swap, network.solve.
/// Overlap is look-ahead by one panel.
Prediction predict_hpl_refined(const Machine& machine, const HplProblem& problem,
                               int ranks_per_node, bool overlap);

}  // namespace bellwether
