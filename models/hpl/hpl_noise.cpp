// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_noise.hpp"

#include <algorithm>
#include <limits>

#include "models/noise/drawn_delays.hpp"

namespace bellwether {
namespace {

/// Of an update, less what it waits for messages.
double work_of(const HplTerms& terms) { return terms.total() - terms[HplTerm::swap_network]; }

/// Of panels evenly among all, each for those beside it.
Term wait_of_sampled(const NoiseWait& noise, const HplSteps& steps, const StepWaits& column,
                     const StepWaits& all, bool look_ahead) {
  constexpr long most_panels = 16;
  const HplProblem& problem = steps.problem();
  const long panels = problem.panels(), looked_at = std::min(panels, most_panels);
  const double own_columns = 1. / problem.grid.columns, rows = problem.grid.rows;
  Term wait{"wait", 0, 0, 0};
  for (long place = 0; place < looked_at; ++place) {
    const long panel = (2 * place + 1) * panels / (2 * looked_at);
    const double times = static_cast<double>(panels) / static_cast<double>(looked_at);
    const double update_s = work_of(steps.update(panel, steps.busiest_columns(panel)));
    const double made_s = steps.factorization(panel)[HplTerm::panel];
    const auto at = [&](const StepWaits& who, Bound bound) {
      // Of the processes' detours in it a mean one has its own column's.
      const double met =
          (who.ranks > column.ranks || !look_ahead ? 1 : own_columns) * rows - own_columns;
      return times *
             (noise.seconds(update_s, who, 0, bound) + met * noise.own_seconds(made_s, bound));
    };
    wait.seconds += at(column, Bound::value);
    wait.low += at(column, Bound::fastest);
    wait.high += at(all, Bound::slowest);
  }
  wait.low = std::min(wait.low, wait.seconds);
  wait.high = std::max(wait.high, wait.seconds);
  return wait;
}

}  // namespace

void add_hpl_wait(const Machine& machine, const NoiseWait& noise, const HplSteps& steps,
                  int ranks_per_node, bool look_ahead, Prediction& prediction, long most_steps) {
  const HplProblem& problem = steps.problem();
  const int on_node = std::min(ranks_per_node, problem.ranks());
  // Ranks lie along the rows of the grid.
  const int rows_on_node = std::clamp(on_node / problem.grid.columns, 1, problem.grid.rows);
  if (is_sampled(problem, most_steps)) {
    const StepWaits column{.ranks = problem.grid.rows, .ranks_per_node = rows_on_node};
    const StepWaits all{.ranks = problem.ranks(), .ranks_per_node = on_node};
    const Term wait = wait_of_sampled(noise, steps, column, all, look_ahead);
    if (wait.high > 0) add_wait(wait, prediction);
    return;
  }
  const auto run = [&](DrawnDelays& drawn) {
    HplDelays delays{drawn, (problem.grid.rows + rows_on_node - 1) / rows_on_node};
    const HplFactorization one =
        factor_hpl(steps, look_ahead, std::numeric_limits<double>::infinity(), most_steps, &delays);
    return DelayedRun{one.total_s, one.delays_s};
  };
  add_drawn_wait(machine, problem.ranks(), ranks_per_node, run, prediction);
}

}  // namespace bellwether
