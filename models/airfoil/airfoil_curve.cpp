// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_curve.hpp"

#include <fmt/format.h>

#include "models/airfoil/airfoil_halo_fit.hpp"
#include "models/airfoil/airfoil_model.hpp"
#include "models/airfoil/airfoil_partition.hpp"
#include "models/errors.hpp"

namespace bellwether {

std::vector<ScalingPoint> airfoil_curve(const Machine& machine, const AirfoilStudy& study,
                                        const PredictionRequest& request) {
  const AirfoilLoopCosts costs(machine, study.precision);
  std::optional<AirfoilHaloFit> fit;
  std::vector<ScalingPoint> points;
  points.reserve(request.ranks.size() * request.overlap.size() * request.forms.size());
  for (const int ranks : request.ranks) {
    if (ranks > study.mesh.cells())
      throw BadInput(fmt::format("--ranks: found {}, expected 1 to {}, the mesh's cells", ranks,
                                 study.mesh.cells()));
    const bool counted = study.halo_sizes == "counted" ||
                         (study.halo_sizes == "auto" && ranks <= study.most_counted_ranks) ||
                         ranks == 1;
    std::vector<AirfoilWorkload> workloads;
    if (counted) {
      workloads = busiest_workloads(AirfoilPartition(study.mesh, ranks), request.ranks_per_node);
    } else {
      if (!fit) fit = fit_halos(study.mesh, study.most_counted_ranks);
      workloads = {fitted_workload(*fit, study.mesh, ranks, request.ranks_per_node)};
    }
    for (const bool overlap : request.overlap) {
      for (const std::string& form : request.forms) {
        const AirfoilConditions conditions{study.precision,        overlap,     ranks,
                                           request.ranks_per_node, study.fused, study.staged};
        Prediction prediction =
            form == "paper" ? predict_airfoil_paper(machine, costs, workloads, conditions)
                            : predict_airfoil_refined(machine, costs, workloads, conditions);
        if (!counted)
          prediction.outside_range.push_back(fmt::format(
              "halo sizes fitted, not counted: {:.2f} sqrt(cells per rank) and {:.1f} neighbours, "
              "from bisections into up to {} ranks",
              fit->halo_per_root, fit->neighbours, fit->counted_ranks));
        const char* source = counted ? "counted" : "fitted";
        points.push_back(
            {ranks, overlap, form, std::move(prediction), source, {{"halo_sizes", source}}});
      }
    }
  }
  return points;
}

}  // namespace bellwether
