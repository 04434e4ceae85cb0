// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_step.hpp"
#include "models/noise/drawn_delays.hpp"

namespace bellwether {

/// One factorization and its solve.
struct HplFactorization {
  HplTerms terms;  ///< of the process that ends last; hidden parts are taken off
  double total_s = 0;
  double communication_s = 0;         ///< its messages and copies of panels, hidden ones included
  double hidden_communication_s = 0;  ///< of it
  double delays_s = 0;                ///< a mean process' own detours, in no term
};

/// Detours for a factorization that is followed step by step: those of a grid's process columns,
/// each on so many nodes.
struct HplDelays {
  DrawnDelays& drawn;
  int nodes_of_column = 1;
};

/// Steps of one process column that are followed one by one; beyond as many a factorization is
/// summed over a sample of its panels.
inline constexpr long most_hpl_steps = 8000;

/// The schedule: a clock for each process column (two where panels are factored beside the update),
/// panel by panel. Off, all update, the next panel's owner factors it and sends it round. With
/// look-ahead the owner updates the next panel's columns first, factors and sends it, and then
/// updates the rest, while the others receive as they update. Of more than `most_steps` steps
/// (panels x process columns) some 300 panels are taken, each standing for those beside it, and of
/// each the longer of what the busiest process column does and of the way from panel to panel: the
/// same for long factorizations, which know no start and no end.
///
/// With `delays`, where steps are followed, each process column's updates take longer by the
/// detours of the latest of its processes, and its panels, on whose every pivot these agree, by
/// those of all of them, as does the solve.
HplFactorization factor_hpl(const HplSteps& steps, bool look_ahead,
                            long most_steps = most_hpl_steps, HplDelays* delays = nullptr);

/// With look-ahead, of each panel and process column: seconds from when the column begins its
/// update by the panel before until it has the panel; 0 of its owner.
std::vector<std::vector<float>> hpl_looks(const HplSteps& steps);

/// Whether it is summed over a sample of its panels.
inline bool is_sampled(const HplProblem& problem, long most_steps = most_hpl_steps) {
  return problem.panels() * problem.grid.columns > most_steps;
}

/// Of so many panels `group` of min(panels, most_groups) groups: one panel, and how many it stands
/// for.
inline constexpr long sampled_hpl_panels = 300;
struct HplSample {
  long panel;
  double times;
};
HplSample sampled_panel(long panels, long group, long most_groups = sampled_hpl_panels);

/// What it does then: a factorization summed over a sample of `most_groups` of its panels, each for
/// those beside it: of each the longer of what the busiest process column does and of the way from
/// panel to panel.
HplFactorization sampled_hpl(const HplSteps& steps, bool look_ahead,
                             long most_groups = sampled_hpl_panels);

}  // namespace bellwether
