// SPDX-License-Identifier: MIT
#include "models/amg/amg_cycle.hpp"

#include <algorithm>
#include <cmath>

#include "models/amg/amg_extrapolation.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

// A product is D x_D + O x_O (Section III): a loop over each of the two matrices.
constexpr int loops_per_product = 2;

class Cycle {
 public:
  Cycle(const AmgHierarchy& hierarchy, const AmgPlacement& placement, const AmgCosts& costs,
        const AmgVariant& variant, bool refined)
      : levels_(hierarchy.levels),
        placement_(placement),
        costs_(costs),
        variant_(variant),
        relaxation_(amg_relaxation(variant.relax)),
        refined_(refined) {}

  [[nodiscard]] AmgStep step() const {
    AmgStep step{.operations = amg_operations(levels_.size(), variant_)};
    for (AmgStepOperation& one : step.operations) {
      if (one.stage != AmgStage::coarse_solve)
        product(one);
      else if (refined_)
        direct_solve(one);
      else
        smooth(one);
    }
    return step;
  }

 private:
  /// Rows of the thread with most: an active process owns one at least, and a row is one thread's.
  /// The paper divides by all threads, P.
  [[nodiscard]] double rows(const AmgLevel& level) const {
    if (!refined_)
      return level.unknowns / (1. * placement_.processes * placement_.threads_per_rank);
    const double of_process = std::max(1.0, level.unknowns / level.active_processes);
    return std::max(1.0, of_process / placement_.threads_per_rank);
  }
  [[nodiscard]] double flop_time(std::size_t i, bool serial = false) const {
    return costs_.flop_time(i, levels_[i].solve.nonzeros_per_row, rows(levels_[i]), serial);
  }
  [[nodiscard]] HaloTimes messages(const AmgOperator& one, const AmgLevel& level) const {
    const double network_s = costs_.messages(one, level.active_processes);
    return {.network = network_s, .hideable = refined_ ? costs_.hideable(one) * network_s : 0};
  }

  void product(AmgStepOperation& one) const {
    const AmgLevel& level = levels_[one.level];
    const AmgOperator& by = one.multiplies_transfer() ? level.interpolation : level.solve;
    const bool relaxes = one.stage == AmgStage::relax;
    const int products = relaxes ? relaxation_.products : 1;
    // By the transpose, which has the interpolation's entries: those of C_i rows.
    const bool fewer_rows = one.stage == AmgStage::restriction && !refined_;
    // The paper gives interpolation to the level that it comes from.
    const std::size_t rate = one.stage == AmgStage::interpolation ? one.level + 1 : one.level;
    one.compute_s = products * 2 * rows(levels_[one.level + (fewer_rows ? 1 : 0)]) *
                    by.nonzeros_per_row * flop_time(rate);
    one.messages = messages(by, level);
    if (!refined_) {
      one.own_share = 1;
      return;
    }
    one.own_share = relaxes && !relaxation_.overlaps ? 0 : local_share(level);
    one.fork_join_s = products * loops_per_product * costs_.fork_join();
  }

  /// All sweeps and the residual.
  void smooth(AmgStepOperation& one) const {
    const AmgLevel& level = levels_[one.level];
    const int sweeps = 2 * variant_.sweeps;
    one.compute_s = (sweeps * relaxation_.products + 1) * 2 * rows(level) *
                    level.solve.nonzeros_per_row * flop_time(one.level);
    one.messages = messages(level.solve, level);
    one.messages.network *= sweeps * relaxation_.exchanges + 1;
    one.own_share = 1;
  }

  /// The right-hand side is gathered along a tree, then each process eliminates alone.
  void direct_solve(AmgStepOperation& one) const {
    const AmgLevel& level = levels_[one.level];
    const double n = level.unknowns;
    const double flops = (2.0 / 3 * n + 2) * n * n;
    const int stages =
        tree_stages(static_cast<int>(std::ceil(std::max(1.0, level.active_processes))));
    one.compute_s = flops * flop_time(one.level, true);
    one.messages.network = stages * costs_.lone_message(n);
  }

  const std::vector<AmgLevel>& levels_;
  const AmgPlacement& placement_;
  const AmgCosts& costs_;
  const AmgVariant& variant_;
  const AmgRelaxation& relaxation_;
  bool refined_;
};

}  // namespace

AmgStep amg_cycle_paper(const AmgHierarchy& hierarchy, const AmgPlacement& placement,
                        const AmgCosts& costs, const AmgVariant& variant) {
  return Cycle(hierarchy, placement, costs, variant, false).step();
}

AmgStep amg_cycle_refined(const AmgHierarchy& hierarchy, const AmgPlacement& placement,
                          const AmgCosts& costs, const AmgVariant& variant) {
  return Cycle(hierarchy, placement, costs, variant, true).step();
}

}  // namespace bellwether
