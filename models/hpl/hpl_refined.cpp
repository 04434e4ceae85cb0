// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_refined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_program.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/noise/drawn_delays.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

using Notes = std::vector<std::string>;

void note_messages(const HplPaths& paths, const HplProblem& problem, bool through_window,
                   Notes& notes) {
  const double column_bytes = sizeof(double) * problem.block;
  const auto longest = [&problem](int processes) {
    return static_cast<double>(busiest_local_length(problem.size, problem.block, processes));
  };
  const auto note = [&notes](const HplPath& path, double bytes, const char* what) {
    if (path.timing != nullptr && beyond_samples(*path.timing, bytes))
      notes.push_back(fmt::format("{} of {:.3g} MB, links calibrated up to {:.3g} MB", what,
                                  bytes / 1e6, path.timing->largest_bytes / 1e6));
  };
  const double panel = longest(problem.grid.rows) * column_bytes;
  note(paths.row_between, panel, "panels");
  if (!through_window) note(paths.row_within, panel, "panels");
  note(paths.column, longest(problem.grid.columns) * column_bytes / problem.grid.rows, "row swaps");
}

void note_block(const Machine& machine, int block, Notes& notes) {
  const auto* const own = section<HplParameters>(machine);
  if (own == nullptr || !own->kernels || own->kernels->panel.empty()) return;
  const auto &narrowest = own->kernels->panel.front(), &widest = own->kernels->panel.back();
  if (block < narrowest.width || block > widest.width)
    notes.push_back(fmt::format("panels of {} columns, calibrated from {:g} to {:g}", block,
                                narrowest.width, widest.width));
}

/// Of the products, by the blocks that are dealt out: what the process with most rows and columns
/// has beyond the mean. In the terms its columns are part of compute.gemm, and its rows, for which
/// the others of its process column wait, of network.swap.
void add_imbalance(RankStep& step, const HplSteps& steps, double product_s) {
  const HplProblem& problem = steps.problem();
  constexpr long most_panels = 1024;
  const long panels = problem.panels(), taken = std::min(panels, most_panels);
  double most = 0, counted = 0, mean = 0;
  for (long one = 0; one < taken; ++one) {
    const long panel = panels * (2 * one + 1) / (2 * taken);
    const long beyond = problem.size - panel * problem.block - steps.width(panel);
    const double columns = steps.busiest_columns(panel);
    const double rows = static_cast<double>(beyond) / problem.grid.rows;
    most += columns *
            static_cast<double>(busiest_local_length(beyond, problem.block, problem.grid.rows));
    counted += columns * rows;
    mean += rows * static_cast<double>(beyond + 1) / problem.grid.columns;
  }
  if (counted > 0) step.add_imbalance(product_s * most / counted, most, mean);
}

}  // namespace

Prediction predict_hpl_refined(const Machine& machine, const HplProblem& problem,
                               int ranks_per_node, bool overlap) {
  const auto routes = hpl_paths(machine, problem.grid, ranks_per_node, Bound::value).routes;
  const int on_node = RankPlacement{ranks_per_node}.on_node(problem.ranks());
  std::optional<HplProgram> at_value;
  Prediction prediction = predict_with_bounds("refined", [&](Bound bound) {
    RankStep step;
    note_idle_ranks(problem, step.notes);
    const HplCosts costs = hpl_costs(machine, on_node, bound, step.notes, problem.panel);
    const HplPaths paths = hpl_paths(machine, problem.grid, ranks_per_node, bound, routes);
    note_block(machine, problem.block, step.notes);
    note_messages(paths, problem, costs.broadcast_bytes_per_s > 0, step.notes);
    if (paths.row_within.timing != nullptr && costs.broadcast_bytes_per_s == 0)
      step.notes.emplace_back(
          "not calibrated: no hpl.kernels.broadcast_bandwidth_bytes_per_s; panels within a node as "
          "messages");
    const HplProgram program({costs, paths, problem}, overlap, ranks_per_node);
    const StepTimes times = evaluate_hpl(program);
    const StepTerms& mean = times.mean;
    const double solve_s = program.steps().solve_s();
    const auto add = [&](const char* name, double seconds, bool always = false) {
      if (always || seconds > 1e-12 * times.total_s) step.terms.add(name, seconds);
    };
    add("compute.panel", mean[HplTerm::panel], true);
    add("compute.trsm", mean[HplTerm::trsm]);
    add("compute.gemm", mean[HplTerm::gemm]);
    add("compute.solve", solve_s);
    add("swap", mean[HplTerm::swap]);
    add("copy.to_host", mean[HplTerm::to_host]);
    add("copy.to_device", mean[HplTerm::to_device]);
    add("wait", mean[waiting]);
    add("network.pivot", mean[HplTerm::pivot]);
    add("network.broadcast", mean[network]);
    add("network.swap", mean[HplTerm::swap_network]);
    add("network.solve", program.steps().solved_after_s() - solve_s);
    add_imbalance(step, program.steps(), mean[HplTerm::gemm]);
    const double moved_s = times.moved_s;
    const double exposed_s =
        mean[network] + mean[HplTerm::pivot] + mean[HplTerm::to_host] + mean[HplTerm::to_device];
    step.communication_s = moved_s;
    step.hiding_s = mean[HplTerm::swap] + mean[HplTerm::trsm] + mean[HplTerm::gemm];
    if (moved_s > 0) step.hidden_fraction = std::clamp(1 - exposed_s / moved_s, 0., 1.);
    if (bound == Bound::value) at_value.emplace(program);
    return step;
  });
  add_drawn_wait(
      machine, problem.ranks(), ranks_per_node,
      [&](DrawnDelays& delays) {
        const StepTimes times = evaluate_hpl(*at_value, &delays);
        return DelayedRun{times.total_s, times.delays_s};
      },
      prediction);
  return prediction;
}

}  // namespace bellwether
