// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "models/airfoil/airfoil_parameters.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {

/// How many elements one rank holds, by OP2's classes (Mudalige et al., Section 2.1): `core`
/// elements refer to this rank's alone, `eeh` are this rank's and refer to another's, `ieh` are
/// another's that this rank computes too because they write to its own, `inh` are another's that it
/// only reads. Real numbers, because sizes that are extrapolated are averages.
struct AirfoilWorkload {
  double cells = 0;       ///< owned
  double core_edges = 0;  ///< can be computed before the halo has arrived
  double eeh_edges = 0;
  double ieh_edges = 0;
  double bedges = 0;  ///< boundary edges owned
  double ieh_bedges = 0;
  double ieh_cells = 0;  ///< imported with inh_cells before res_calc
  double inh_cells = 0;
  double neighbours = 0;  ///< ranks that halos are exchanged with
  /// Of the imported cells and the neighbours, those of the same node.
  double near_cells = 0;
  double near_neighbours = 0;

  [[nodiscard]] double halo_cells() const { return ieh_cells + inh_cells; }
  /// Own cells without another rank's beside them: each edge that is cut takes one away, so that a
  /// cell at a corner of the part counts twice.
  [[nodiscard]] double core_cells() const { return std::max(0., cells - eeh_edges - ieh_edges); }
};

/// Whether a rank with `more` does at least as much as one with `less` in every respect, so that it
/// takes at least as long.
bool at_least_as_much(const AirfoilWorkload& more, const AirfoilWorkload& less);

/// How an iteration is asked to run.
struct AirfoilConditions {
  std::string precision;  ///< "f32" or "f64"
  bool overlap = false;
  int ranks = 1;
  int ranks_per_node = 1;
  /// Refined form only.
  AirfoilSequence sequence = AirfoilSequence::five;
  /// Refined form only: halos pass through host buffers, which on a CPU are copies of its own.
  bool staged = true;
  /// What res_calc and bres_calc do where two edges add to one cell, by its name in
  /// AirfoilParameters; empty: as calibrated.
  std::string increments{};
  /// Refined form only: what the topology adds to an exchange between nodes.
  double contention_s = 0;
  /// Of a rank, owned; 0: not known.
  double mean_cells = 0;

  [[nodiscard]] int on_node() const { return std::min(ranks, ranks_per_node); }
};

/// Values of one imported cell: the 4 of q and the one of adt.
inline constexpr double airfoil_q_values = 4;
inline constexpr double airfoil_adt_values = 1;

/// The prediction of the slowest of the workloads, with the interval of the machine's intervals.
/// What its computation owes to more than `mean_cells` is imbalance.
Prediction slowest_workload(
    const std::string& form, const std::vector<AirfoilWorkload>& workloads, double mean_cells,
    const std::function<RankStep(const AirfoilWorkload& work, Bound bound)>& step);

}  // namespace bellwether
