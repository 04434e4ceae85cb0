// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_refined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/cholesky/panel_costs.hpp"
#include "models/cholesky/panel_links.hpp"
#include "models/cholesky/panel_walk.hpp"
#include "models/network/link.hpp"
#include "models/noise/drawn_delays.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/workload.hpp"

namespace bellwether {
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
