// SPDX-License-Identifier: MIT
#pragma once

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
};

/// Whether a rank with `more` does at least as much as one with `less` in every respect, so that it
/// takes at least as long.
bool at_least_as_much(const AirfoilWorkload& more, const AirfoilWorkload& less);

}  // namespace bellwether
