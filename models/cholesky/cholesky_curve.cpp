// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_curve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "models/cholesky/cholesky_paper.hpp"
#include "models/cholesky/panel_costs.hpp"
#include "models/cholesky/panel_links.hpp"
#include "models/cholesky/panel_walk.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/noise/drawn_delays.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/scaling/scaling_curve.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

class CholeskyCurve final : public CurveModel {
 public:
  CholeskyCurve(const Machine& machine, CholeskyRun run)
      : machine_(machine), run_(std::move(run)) {}

  bool divide(int ranks, bool overlap, const std::string& /*form*/) override {
    run_.ranks = ranks;
    run_.overlap = overlap;
    const std::pair key(RankPlacement{run_.ranks_per_node}.on_node(ranks), ranks > 1);
    costs_ = &kept_.try_emplace(key, machine_, run_.precision, key.first, key.second).first->second;
    return true;
  }
  [[nodiscard]] std::string layout() const override {
    return run_.block == 1 ? "cyclic columns" : fmt::format("cyclic blocks of {}", run_.block);
  }
  [[nodiscard]] nlohmann::json choice() const override { return {{"distribution", layout()}}; }
  [[nodiscard]] double bytes_per_rank() const override {
    return value_bytes(run_.precision) * run_.size * run_.size / run_.ranks;
  }
  [[nodiscard]] Prediction predict(const std::string& form) const override {
    return form == "paper" ? predict_cholesky_paper(machine_, run_)
                           : predict_cholesky_refined(machine_, run_, *costs_);
  }

 private:
  const Machine& machine_;
  CholeskyRun run_;
  std::map<std::pair<int, bool>, ColumnCosts> kept_;  // by ranks on a node, and whether parallel
  const ColumnCosts* costs_ = nullptr;
};

}  // namespace

std::vector<Prediction> predict_cholesky(const Machine& machine, const CholeskyRun& run) {
  const ColumnCosts costs(machine, run.precision,
                          RankPlacement{run.ranks_per_node}.on_node(run.ranks), run.ranks > 1);
  return {predict_cholesky_paper(machine, run), predict_cholesky_refined(machine, run, costs)};
}

std::vector<ScalingPoint> cholesky_curve(const Machine& machine, int size,
                                         const std::string& precision,
                                         const PredictionRequest& request, int block) {
  const CholeskyRun run{.size = size,
                        .precision = precision,
                        .ranks_per_node = request.ranks_per_node,
                        .block = block};
  return scaling_curve(machine, request,
                       [&] { return std::make_unique<CholeskyCurve>(machine, run); });
}

namespace {

std::vector<std::string> range_notes(const Machine& machine, const Paths& paths,
                                     const CholeskyRun& run, const ColumnCosts& costs) {
  const double value = value_bytes(run.precision);
  std::vector<std::string> notes;
  if (run.block == 1) notes = costs.notes(value * run.size * (run.size + 1.0) / 2 / run.ranks);
  if (run.block == 1 && costs.uses_start_up()) (void)start_up_of(machine, run, notes);
  const int panels = (run.size + run.block - 1) / run.block;
  if (run.ranks > panels)
    notes.push_back(fmt::format("{} ranks for {} {}: the others only wait", run.ranks, panels,
                                run.block == 1 ? "columns" : "blocks of columns"));
  if (run.ranks == 1) return notes;
  const char* const name = run.block == 1 ? "column" : "panel";
  const double bytes = value * run.size * run.block;
  if (paths.placement().nodes(run.ranks) > 1)
    note_beyond_samples(name, paths.to(Across::other_node).link->one_way, bytes, notes);
  if (paths.placement().on_node(run.ranks) > 1 && costs.broadcast() == nullptr)
    note_beyond_samples(name, paths.to(Across::same_node).link->one_way, bytes, notes);
  paths.note_copies(notes);
  return notes;
}

}  // namespace

Prediction predict_cholesky_refined(const Machine& machine, const CholeskyRun& run,
                                    const ColumnCosts& costs) {
  const Paths paths(machine, {run.ranks_per_node});
  const std::vector<std::string> notes = range_notes(machine, paths, run, costs);
  const PanelLinks links(machine, paths, run.ranks, costs.broadcast());
  std::optional<PanelCosts> at_value;
  Prediction prediction = predict_with_bounds("refined", [&](Bound bound) {
    RankStep step;
    const PanelCosts panels(machine, run, costs, bound, step.notes);
    if (bound == Bound::value) at_value.emplace(panels);
    step.notes.insert(step.notes.end(), notes.begin(), notes.end());
    const PanelWalk walk = walk_panels(panels, run, links, bound);
    step.terms.add("compute.scale", walk.scale_s);
    if (run.ranks > 1) {
      step.terms.add("wait", walk.wait_s);
      step.terms.add("network.broadcast",
                     walk.network_s + (run.overlap ? walk.to_host_s + walk.to_device_s : 0));
      if (!run.overlap && panels.paths().to_host() != nullptr)
        step.terms.add("copy.to_host", walk.to_host_s);
      if (!run.overlap && panels.paths().to_device() != nullptr)
        step.terms.add("copy.to_device", walk.to_device_s);
    }
    step.terms.add("compute.update", walk.update_s);
    step.imbalance_s = std::max(0., walk.imbalance_s);
    step.communication_s = walk.way_s;
    step.hiding_s = walk.update_s;
    if (run.overlap && walk.way_s > 0)
      step.hidden_fraction = std::clamp(1 - walk.exposed_s / walk.way_s, 0., 1.);
    return step;
  });
  add_drawn_wait(
      machine, run.ranks, run.ranks_per_node,
      [&](DrawnDelays& delays) {
        const PanelWalk walk = walk_panels(*at_value, run, links, Bound::value, nullptr, &delays);
        return DelayedRun{walk.total_s, walk.delays_s};
      },
      prediction);
  return prediction;
}

}  // namespace bellwether
