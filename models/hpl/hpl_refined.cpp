// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_refined.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/hpl/hpl_parameters.hpp"
#include "models/network/link.hpp"
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
  const long panels = problem.panels(), groups = std::min(panels, sampled_hpl_panels);
  double most = 0, counted = 0, mean = 0;
  for (long group = 0; group < groups; ++group) {
    const auto [panel, times] = sampled_panel(panels, group);
    const long beyond = problem.size - panel * problem.block - steps.width(panel);
    const double columns = times * steps.busiest_columns(panel);
    const double rows = static_cast<double>(beyond) / problem.grid.rows;
    most += columns *
            static_cast<double>(busiest_local_length(beyond, problem.block, problem.grid.rows));
    counted += columns * rows;
    mean += times * rows * static_cast<double>(beyond + 1) / problem.grid.columns;
  }
  if (counted > 0) step.add_imbalance(product_s * most / counted, most, mean);
}

/// Of an update, less what it waits for messages.
double work_of(const HplTerms& terms) { return terms.total() - terms[HplTerm::swap_network]; }

/// The sum over all panels by five of them (Gauss and Legendre's rule): what one waits changes
/// smoothly from the first to the last.
Term wait_of_sampled(const NoiseWait& noise, const HplSteps& steps, const StepWaits& column,
                     const StepWaits& all, bool look_ahead) {
  struct Place {
    double of_all, weight;
  };
  constexpr Place places[] = {{0.046910077, 0.118463443},
                              {0.230765345, 0.239314335},
                              {0.5, 0.284444444},
                              {0.769234655, 0.239314335},
                              {0.953089923, 0.118463443}};
  const HplProblem& problem = steps.problem();
  const auto panels = static_cast<double>(problem.panels());
  const double own_columns = 1. / problem.grid.columns, rows = problem.grid.rows;
  Term wait{"wait", 0, 0, 0};
  for (const Place& place : places) {
    const auto panel = static_cast<long>(place.of_all * panels);
    const double update_s = work_of(steps.update(panel, steps.busiest_columns(panel)));
    const double made_s = steps.factorization(panel)[HplTerm::panel];
    // `met`: of the processes' detours in a panel's factorization, how many columns' are waited
    // for; a mean process' own are its column's.
    const auto at = [&](const StepWaits& who, double met, Bound bound) {
      return place.weight * panels *
             (noise.seconds(update_s, who, 0, bound) +
              (met * rows - own_columns) * noise.own_seconds(made_s, bound));
    };
    wait.seconds += at(column, look_ahead ? own_columns : 1, Bound::value);
    wait.high += at(all, 1, Bound::slowest);
  }
  constexpr double any_s = 1e-3;
  wait.low =
      wait.seconds * std::min(1., noise.own_seconds(any_s, Bound::fastest) /
                                      std::max(1e-300, noise.own_seconds(any_s, Bound::value)));
  wait.high = std::max(wait.high, wait.seconds);
  return wait;
}

}  // namespace

void add_hpl_wait(const Machine& machine, const NoiseWait& noise, const HplSteps& steps,
                  int ranks_per_node, bool look_ahead, Prediction& prediction, long most_steps) {
  const HplProblem& problem = steps.problem();
  const int on_node = std::min(ranks_per_node, problem.ranks());
  const int rows_on_node = problem.grid.column_major
                               ? std::min(on_node, problem.grid.rows)
                               : std::clamp(on_node / problem.grid.columns, 1, problem.grid.rows);
  // Drawing millions of detours takes longer than they are worth: of so many the panels' sums
  // differ little.
  constexpr double most_detours = 1 << 17;
  const double detours = noise.detours_per_s() * prediction.total_s * problem.ranks();
  if (is_sampled(problem, most_steps) || detours > most_detours) {
    const StepWaits column{.ranks = problem.grid.rows, .ranks_per_node = rows_on_node};
    const StepWaits all{.ranks = problem.ranks(), .ranks_per_node = on_node};
    const Term wait = wait_of_sampled(noise, steps, column, all, look_ahead);
    if (const auto* const seen = section<NoiseParameters>(machine))
      add_wait(wait, *seen, problem.ranks(), on_node, prediction);
    return;
  }
  const auto run = [&](DrawnDelays& drawn) {
    HplDelays delays{drawn, (problem.grid.rows + rows_on_node - 1) / rows_on_node};
    const HplFactorization one = factor_hpl(steps, look_ahead, most_steps, &delays);
    return DelayedRun{one.total_s, one.delays_s};
  };
  add_drawn_wait(machine, problem.ranks(), ranks_per_node, run, prediction);
}

Prediction predict_hpl_refined(const Machine& machine, const NoiseWait& noise,
                               const HplProblem& problem, int ranks_per_node, bool overlap) {
  const auto routes = hpl_paths(machine, problem.grid, ranks_per_node, Bound::value).routes;
  Prediction prediction = predict_with_bounds("refined", [&](Bound bound) {
    RankStep step;
    note_idle_ranks(problem, step.notes);
    const HplCosts costs = hpl_costs(machine, ranks_per_node, bound, step.notes, problem.panel);
    const HplPaths paths = hpl_paths(machine, problem.grid, ranks_per_node, bound, routes);
    note_block(machine, problem.block, step.notes);
    note_messages(paths, problem, costs.broadcast_bytes_per_s > 0, step.notes);
    if (paths.row_within.timing != nullptr && costs.broadcast_bytes_per_s == 0)
      step.notes.emplace_back(
          "not calibrated: no hpl.kernels.broadcast_bandwidth_bytes_per_s; panels within a node as "
          "messages");
    const HplSteps steps(costs, paths, problem);
    const HplFactorization result = factor_hpl(steps, overlap);
    for (std::size_t term = 0; term < hpl_term_names.size(); ++term) {
      const double seconds = result.terms[static_cast<HplTerm>(term)];
      if (seconds > 1e-12 * result.total_s || static_cast<HplTerm>(term) == HplTerm::panel)
        step.terms.add(hpl_term_names[term], seconds);
    }
    add_imbalance(step, steps, result.terms[HplTerm::gemm]);
    step.communication_s = result.communication_s;
    for (const HplTerm term : {HplTerm::swap, HplTerm::trsm, HplTerm::gemm})
      step.hiding_s += result.terms[term];
    if (result.communication_s > 0)
      step.hidden_fraction = result.hidden_communication_s / result.communication_s;
    return step;
  });
  if (section<NoiseParameters>(machine) == nullptr) return prediction;
  Notes said_above;
  const HplCosts costs =
      hpl_costs(machine, ranks_per_node, Bound::value, said_above, problem.panel);
  const HplPaths paths = hpl_paths(machine, problem.grid, ranks_per_node, Bound::value, routes);
  add_hpl_wait(machine, noise, HplSteps(costs, paths, problem), ranks_per_node, overlap,
               prediction);
  return prediction;
}

}  // namespace bellwether
