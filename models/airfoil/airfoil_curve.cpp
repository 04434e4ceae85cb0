// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "models/airfoil/airfoil_paper.hpp"
#include "models/airfoil/airfoil_partition.hpp"
#include "models/airfoil/airfoil_refined.hpp"
#include "models/errors.hpp"
#include "models/scaling/scaling_curve.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

bool is_counted(const AirfoilStudy& study, int ranks) {
  return study.halo_sizes == "counted" || ranks == 1 ||
         (study.halo_sizes == "auto" && ranks <= study.most_counted_ranks);
}

class AirfoilCurve final : public CurveModel {
 public:
  AirfoilCurve(const Machine& machine, const AirfoilStudy& study, const AirfoilHaloFit* fit,
               const NoiseWait& noise, int ranks_per_node)
      : machine_(machine), study_(study), fit_(fit), noise_(noise) {
    conditions_.precision = study.precision;
    conditions_.ranks = 0;
    conditions_.ranks_per_node = ranks_per_node;
    conditions_.sequence = study.sequence;
    conditions_.increments = study.increments;
    conditions_.staged = study.staged;
  }

  void divide(int ranks, bool overlap, const std::string& /*form*/) override {
    if (ranks > study_.mesh.cells())
      throw BadInput(fmt::format("--ranks: found {}, expected 1 to {}, the mesh's cells", ranks,
                                 study_.mesh.cells()));
    conditions_.overlap = overlap;
    if (ranks == conditions_.ranks) return;
    conditions_.ranks = ranks;
    costs_.emplace(machine_, study_.precision, conditions_.on_node());
    counted_ = is_counted(study_, ranks);
    const int ranks_per_node = conditions_.ranks_per_node;
    conditions_.contention_s = 0;
    conditions_.mean_cells = static_cast<double>(study_.mesh.cells()) / ranks;
    if (counted_) {
      const AirfoilPartition partition(study_.mesh, ranks);
      workloads_ = busiest_workloads(partition, ranks_per_node);
      conditions_.contention_s = airfoil_contention(
          machine_, partition, ranks_per_node,
          (airfoil_q_values + airfoil_adt_values) * value_bytes(study_.precision));
    } else {
      workloads_ = {fitted_workload(*fit_, study_.mesh, ranks, ranks_per_node)};
    }
  }
  [[nodiscard]] std::string layout() const override { return counted_ ? "counted" : "fitted"; }
  [[nodiscard]] nlohmann::json choice() const override { return {{"halo_sizes", layout()}}; }
  [[nodiscard]] double bytes_per_rank() const override {
    return airfoil_bytes(study_.mesh, study_.precision) / conditions_.ranks;
  }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    Prediction prediction =
        form == "paper"
            ? predict_airfoil_paper(machine_, *costs_, workloads_, conditions_)
            : predict_airfoil_refined(machine_, *costs_, workloads_, conditions_, noise_);
    if (!counted_)
      prediction.outside_range.push_back(fmt::format(
          "halo sizes fitted, not counted: {:.2f} sqrt(cells per rank) and {:.1f} neighbours, "
          "from bisections into up to {} ranks",
          fit_->halo_per_root, fit_->neighbours, fit_->counted_ranks));
    return prediction;
  }

 private:
  const Machine& machine_;
  const AirfoilStudy& study_;
  const AirfoilHaloFit* fit_;
  const NoiseWait& noise_;
  AirfoilConditions conditions_;
  std::optional<AirfoilLoopCosts> costs_;
  bool counted_ = true;
  std::vector<AirfoilWorkload> workloads_;
};

}  // namespace

std::vector<ScalingPoint> airfoil_curve(const Machine& machine, const AirfoilStudy& study,
                                        const PredictionRequest& request) {
  std::optional<AirfoilHaloFit> fit;
  if (!std::all_of(request.ranks.begin(), request.ranks.end(),
                   [&](int ranks) { return is_counted(study, ranks); }))
    fit = fit_halos(study.mesh, study.most_counted_ranks);
  const NoiseWait noise(machine);
  return scaling_curve(machine, request, [&] {
    return std::make_unique<AirfoilCurve>(machine, study, fit ? &*fit : nullptr, noise,
                                          request.ranks_per_node);
  });
}

AirfoilHaloFit fit_halos(const AirfoilMesh& mesh, int most_ranks) {
  const auto cells = static_cast<double>(mesh.cells());
  const int most = static_cast<int>(std::clamp<double>(cells / 16, 1, most_ranks));
  std::set<int> counts;
  // Not only powers of two, which divide more evenly than other numbers do.
  for (const int eighths : {3, 4, 5, 6, 7, 8})
    for (const int odd : {0, 1}) counts.insert(std::max(1, most * eighths / 8 - odd));
  AirfoilHaloFit fit{0, 0, 0, most};
  for (const int ranks : counts) {
    const AirfoilPartition partition(mesh, ranks);
    AirfoilWorkload largest;
    for (const AirfoilWorkload& work : partition.workloads(1)) {
      largest.cells = std::max(largest.cells, work.cells);
      largest.inh_cells = std::max(largest.inh_cells, work.inh_cells);
      largest.neighbours = std::max(largest.neighbours, work.neighbours);
    }
    const double average = cells / ranks;
    const auto weight = 1. / static_cast<double>(counts.size());
    fit.halo_per_root += weight * largest.inh_cells / std::sqrt(average);
    fit.neighbours += weight * largest.neighbours;
    fit.largest_share += weight * largest.cells / average;
  }
  return fit;
}

AirfoilWorkload fitted_workload(const AirfoilHaloFit& fit, const AirfoilMesh& mesh, int ranks,
                                int ranks_per_node) {
  const double average = static_cast<double>(mesh.cells()) / ranks;
  AirfoilWorkload work;
  work.cells = fit.largest_share * average;
  work.inh_cells = fit.halo_per_root * std::sqrt(average);
  const double cut = work.inh_cells;
  // Each cell has 4 edges, which it shares; half of the cut ones are this rank's own.
  work.core_edges = std::max(0., (4 * work.cells - cut) / 2);
  work.eeh_edges = work.ieh_edges = cut / 2;
  work.bedges = static_cast<double>(mesh.boundary_edges()) / ranks;
  work.neighbours = fit.neighbours;
  if (ranks <= ranks_per_node) {
    work.near_cells = work.inh_cells;
    work.near_neighbours = work.neighbours;
  }
  return work;
}

}  // namespace bellwether
