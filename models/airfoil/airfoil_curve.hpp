// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/airfoil/airfoil_workload.hpp"
#include "models/machine/machine.hpp"
#include "models/scaling/scaling_point.hpp"
#include "models/trace/trace.hpp"

namespace bellwether {

/// What a scaling curve of the Airfoil iteration is asked for.
struct AirfoilStudy {
  AirfoilMesh mesh;
  std::string precision = "f64";
  /// As in AirfoilConditions.
  AirfoilSequence sequence = AirfoilSequence::fused;
  bool staged = true;
  std::string increments{};
  /// Where set sizes come from: "counted" in a bisection of the mesh, "fitted" (extrapolated as c
  /// sqrt(cells per rank)), or "auto", which counts up to `most_counted_ranks`.
  std::string halo_sizes = "auto";
  int most_counted_ranks = 4096;
};

/// As scaling_curve, of an iteration. A point's
/// layout and its key "halo_sizes" say "counted" or "fitted". Throws BadInput for a rank count
/// beyond the mesh's cells, or where the machine has no link to exchange over.
std::vector<ScalingPoint> airfoil_curve(const Machine& machine, const AirfoilStudy& study,
                                        const PredictionRequest& request);

/// Iterations; the request is of one rank count and overlap mode. Halos are counted, whatever the
/// study says: a fit has no messages. The machine must outlive it.
std::unique_ptr<Trace> airfoil_trace(const Machine& machine, const AirfoilStudy& study,
                                     const PredictionRequest& request);

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
