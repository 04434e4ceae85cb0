// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/airfoil/airfoil_mesh.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
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

}  // namespace bellwether
