// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "models/amg/amg_costs.hpp"
#include "models/amg/amg_hierarchy.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// Seconds of one kind of work on one level. What computation hides of the communication is not
/// part of `network_s`.
struct AmgWork {
  double compute_s = 0;
  double network_s = 0;
};

/// One level's share of a solve cycle, in seconds; a level's total is the sum of all but the last
/// three.
struct AmgLevelTimes {
  AmgWork smooth;             ///< the sweeps on both sides and the residual
  AmgWork restriction;        ///< to the next coarser level
  AmgWork interpolation;      ///< to the next finer level
  AmgWork coarse_solve;       ///< refined form, coarsest level: direct, in place of smoothing
  double fork_join_s = 0;     ///< refined form: of the level's parallel loops
  double overlappable_s = 0;  ///< communication that may overlap, its hidden part included
  double hiding_s = 0;        ///< the computation it may hide behind
  double hidden_s = 0;        ///< overlap: of the communication

  [[nodiscard]] double total() const;
};

/// The cycle as published (Gahvari et al., Section IV), finest level first. It knows no overlap:
/// `overlappable_s` and `hiding_s` are all communication and all computation.
std::vector<AmgLevelTimes> amg_cycle_paper(const AmgHierarchy& hierarchy,
                                           const AmgPlacement& placement, const AmgCosts& costs);

/// The same with the work of the processes that are active on a level, all the entries that
/// restriction multiplies by, fork and join of each parallel loop, a direct solve on the coarsest
/// level and, with `overlap`, the residual, restriction and interpolation computing with a
/// process's own unknowns while those of others arrive. Gauss-Seidel sweeps need them first.
std::vector<AmgLevelTimes> amg_cycle_refined(const AmgHierarchy& hierarchy,
                                             const AmgPlacement& placement, const AmgCosts& costs,
                                             bool overlap);

/// Whether a form is the refined one. Throws BadInput for what is neither "paper" nor "refined".
bool is_refined_amg(const std::string& form);

/// The cycle by `form`, "paper" or "refined": terms compute.smooth, compute.restrict,
/// compute.interpolate and the same of network, each summed over the levels; refined also
/// compute.coarse_solve, network.coarse_solve and fork_join. Throws BadInput for another form and
/// as AmgCosts does.
Prediction predict_amg(const Machine& machine, const AmgHierarchy& hierarchy,
                       const AmgPlacement& placement, const std::string& form, bool overlap);

/// Seconds of the cycle alone: predict_amg's total, faster.
double amg_cycle_seconds(const Machine& machine, const AmgHierarchy& hierarchy,
                         const AmgPlacement& placement, const std::string& form, bool overlap);

}  // namespace bellwether
