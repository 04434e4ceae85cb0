// SPDX-License-Identifier: MIT
#pragma once

#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_workload.hpp"

namespace bellwether {

/// Set sizes of the busiest rank extrapolated from partitions that were counted: with n cells per
/// rank on average, c sqrt(n) halo cells and as many cut edges, a constant number of neighbours and
/// a constant excess of cells.
struct AirfoilHaloFit {
  double halo_per_root = 0;  ///< c: most imported cells of a rank / sqrt(n)
  double neighbours = 0;     ///< most of a rank
  double largest_share = 1;  ///< most cells of a rank / n
  int counted_ranks = 0;     ///< of the largest partition counted
};

/// Means over partitions into 3/8 to all of `most_ranks` ranks, or of a sixteenth of the cells if
/// that is less.
AirfoilHaloFit fit_halos(const AirfoilMesh& mesh, int most_ranks);

/// The busiest rank among `ranks`. Its neighbours are all on other nodes unless one node holds all.
AirfoilWorkload fitted_workload(const AirfoilHaloFit& fit, const AirfoilMesh& mesh, int ranks,
                                int ranks_per_node);

}  // namespace bellwether
