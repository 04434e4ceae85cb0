// SPDX-License-Identifier: MIT
#include "models/cholesky/cholesky_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/network/link.hpp"
#include "models/noise/drawn_delays.hpp"
#include "models/scaling/rank_prediction.hpp"
#include "models/step/engine.hpp"
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
  using enum CholeskyProgram::Term;
  const Paths paths(machine, {run.ranks_per_node});
  const std::vector<std::string> notes = range_notes(machine, paths, run, costs);
  std::optional<CholeskyProgram> at_value;
  Prediction prediction = predict_with_bounds("refined", [&](Bound bound) {
    RankStep step;
    const CholeskyProgram program(machine, run, costs, bound, step.notes);
    if (bound == Bound::value) at_value.emplace(program);
    step.notes.insert(step.notes.end(), notes.begin(), notes.end());
    const StepTimes times = evaluate(program);
    const StepTerms &mean = times.mean, &next = times.next;
    step.terms.add("compute.scale", mean[scale]);
    if (run.ranks > 1) {
      step.terms.add("wait", mean[waiting]);
      step.terms.add("network.broadcast",
                     mean[network] + (run.overlap ? mean[to_host] + mean[to_device] : 0));
      if (!run.overlap && paths.to_host() != nullptr) step.terms.add("copy.to_host", mean[to_host]);
      if (!run.overlap && paths.to_device() != nullptr)
        step.terms.add("copy.to_device", mean[to_device]);
    }
    step.terms.add("compute.update", mean[update]);
    step.imbalance_s = std::max(0., times.lead[update] - mean[update]);
    // From each panel's owner to the next one's, and what of it that one waits.
    const double way_s = times.lead[to_host] + times.next_way_s + next[to_device];
    const double exposed_s = next[network] + next[to_device];
    step.communication_s = way_s;
    step.hiding_s = mean[update];
    if (run.overlap && way_s > 0) step.hidden_fraction = std::clamp(1 - exposed_s / way_s, 0., 1.);
    return step;
  });
  add_drawn_wait(
      machine, run.ranks, run.ranks_per_node,
      [&](DrawnDelays& delays) {
        const StepTimes times = evaluate(*at_value, &delays);
        return DelayedRun{times.total_s, times.delays_s};
      },
      prediction);
  return prediction;
}

}  // namespace bellwether
