// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_noise.hpp"

#include <algorithm>
#include <limits>

#include "models/noise/drawn_delays.hpp"

namespace bellwether {
namespace {

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
  // Ranks lie along the rows of the grid.
  const int rows_on_node = std::clamp(on_node / problem.grid.columns, 1, problem.grid.rows);
  // Drawing millions of detours takes longer than they are worth: of so many the panels' sums
  // differ little.
  constexpr double most_detours = 1 << 17;
  const double detours = noise.detours_per_s() * prediction.total_s * problem.ranks();
  if (is_sampled(problem, most_steps) || detours > most_detours) {
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
