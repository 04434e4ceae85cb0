// SPDX-License-Identifier: MIT
#include "models/amg/amg_cycle.hpp"

namespace bellwether {

std::vector<AmgLevelTimes> amg_cycle_paper(const AmgHierarchy& hierarchy,
                                           const AmgPlacement& placement, const AmgCosts& costs) {
  const std::vector<AmgLevel>& levels = hierarchy.levels;
  const double threads = 1.0 * placement.processes * placement.threads_per_rank;  // P
  std::vector<AmgLevelTimes> times(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const AmgLevel& level = levels[i];
    const double flop_time = costs.flop_time(i, level.solve.nonzeros_per_row);
    AmgLevelTimes& time = times[i];
    time.smooth = {6 * level.unknowns / threads * level.solve.nonzeros_per_row * flop_time,
                   3 * costs.messages(level.solve, level.active_processes)};
    if (i + 1 < levels.size())
      time.restriction = {
          2 * levels[i + 1].unknowns / threads * level.interpolation.nonzeros_per_row * flop_time,
          costs.messages(level.interpolation, level.active_processes)};
    if (i > 0) {
      const AmgLevel& finer = levels[i - 1];
      time.interpolation = {
          2 * finer.unknowns / threads * finer.interpolation.nonzeros_per_row * flop_time,
          costs.messages(finer.interpolation, finer.active_processes)};
    }
    for (const AmgWork* work : {&time.smooth, &time.restriction, &time.interpolation}) {
      time.overlappable_s += work->network_s;
      time.hiding_s += work->compute_s;
    }
  }
  return times;
}

}  // namespace bellwether
