// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "models/amg/amg_cycle.hpp"
#include "models/amg/amg_extrapolation.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

// A product is D x_D + O x_O (Section III): a loop over each of the two matrices.
constexpr int loops_per_product = 2;

class RefinedCycle {
 public:
  RefinedCycle(const AmgHierarchy& hierarchy, const AmgPlacement& placement, const AmgCosts& costs,
               bool overlap)
      : levels_(hierarchy.levels), placement_(placement), costs_(costs), overlap_(overlap) {}

  [[nodiscard]] AmgLevelTimes times(std::size_t i) const {
    const AmgLevel& level = levels_[i];
    const bool coarsest = i + 1 == levels_.size();
    AmgLevelTimes time;
    if (coarsest) {
      time.coarse_solve = direct_solve(i);
    } else {
      const AmgWork once = {2 * rows(level) * level.solve.nonzeros_per_row * flop_time(i),
                            costs_.messages(level.solve, level.active_processes)};
      time.smooth = {2 * once.compute_s, 2 * once.network_s};
      const AmgWork residual = overlapped(once, level, time);
      time.smooth.compute_s += residual.compute_s;
      time.smooth.network_s += residual.network_s;
      // By the transpose, which has the interpolation's entries: those of C_i rows, where the
      // paper counts C_{i+1} rows of as many entries.
      time.restriction =
          overlapped({2 * rows(level) * level.interpolation.nonzeros_per_row * flop_time(i),
                      costs_.messages(level.interpolation, level.active_processes)},
                     level, time);
    }
    if (i > 0) {
      const AmgLevel& finer = levels_[i - 1];
      time.interpolation =
          overlapped({2 * rows(finer) * finer.interpolation.nonzeros_per_row * flop_time(i),
                      costs_.messages(finer.interpolation, finer.active_processes)},
                     finer, time);
    }
    const int products = (coarsest ? 0 : 4) + (i > 0 ? 1 : 0);
    time.fork_join_s = products * loops_per_product * costs_.fork_join();
    return time;
  }

 private:
  /// Rows of the thread with most: an active process owns one at least, and a row is one thread's.
  [[nodiscard]] double rows(const AmgLevel& level) const {
    const double of_process = std::max(1.0, level.unknowns / level.active_processes);
    return std::max(1.0, of_process / placement_.threads_per_rank);
  }

  [[nodiscard]] double flop_time(std::size_t i, bool serial = false) const {
    return costs_.flop_time(i, levels_[i].solve.nonzeros_per_row, serial);
  }

  /// With overlap the part of a product that needs only own unknowns hides communication.
  AmgWork overlapped(AmgWork work, const AmgLevel& level, AmgLevelTimes& time) const {
    const double hiding = local_share(level) * work.compute_s;
    const double overlappable = costs_.hideable() * work.network_s;
    time.hiding_s += hiding;
    time.overlappable_s += overlappable;
    if (!overlap_) return work;
    const double hidden = std::min(hiding, overlappable);
    time.hidden_s += hidden;
    work.network_s -= hidden;
    return work;
  }

  /// The right-hand side is gathered along a tree, then each process eliminates alone.
  [[nodiscard]] AmgWork direct_solve(std::size_t i) const {
    const AmgLevel& level = levels_[i];
    const double n = level.unknowns;
    const double flops = (2.0 / 3 * n + 2) * n * n;
    const int stages =
        tree_stages(static_cast<int>(std::ceil(std::max(1.0, level.active_processes))));
    return {flops * flop_time(i, true), stages * costs_.lone_message(n)};
  }

  const std::vector<AmgLevel>& levels_;
  const AmgPlacement& placement_;
  const AmgCosts& costs_;
  bool overlap_;
};

}  // namespace

std::vector<AmgLevelTimes> amg_cycle_refined(const AmgHierarchy& hierarchy,
                                             const AmgPlacement& placement, const AmgCosts& costs,
                                             bool overlap) {
  const RefinedCycle cycle(hierarchy, placement, costs, overlap);
  std::vector<AmgLevelTimes> times;
  times.reserve(hierarchy.levels.size());
  for (std::size_t i = 0; i < hierarchy.levels.size(); ++i) times.push_back(cycle.times(i));
  return times;
}

}  // namespace bellwether
