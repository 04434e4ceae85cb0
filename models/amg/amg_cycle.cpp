// SPDX-License-Identifier: MIT
#include "models/amg/amg_cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/amg/amg_extrapolation.hpp"
#include "models/errors.hpp"
#include "models/network/paths.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {

std::vector<AmgLevelTimes> amg_cycle_paper(const AmgHierarchy& hierarchy,
                                           const AmgPlacement& placement, const AmgCosts& costs) {
  const std::vector<AmgLevel>& levels = hierarchy.levels;
  const double threads = 1.0 * placement.processes * placement.threads_per_rank;  // P
  std::vector<AmgLevelTimes> times(levels.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const AmgLevel& level = levels[i];
    const double flop_time =
        costs.flop_time(i, level.solve.nonzeros_per_row, level.unknowns / threads);
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
    return costs_.flop_time(i, levels_[i].solve.nonzeros_per_row, rows(levels_[i]), serial);
  }

  /// With overlap the part of a product that needs only own unknowns hides communication.
  AmgWork overlapped(AmgWork work, const AmgLevel& level, AmgLevelTimes& time) const {
    const double hiding = local_share(level) * work.compute_s;
    const double overlappable = costs_.hideable(level.solve) * work.network_s;
    time.hiding_s += hiding;
    time.overlappable_s += std::max(0., overlappable);
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

bool is_refined_amg(const std::string& form) {
  if (form != "paper" && form != "refined")
    throw BadInput(fmt::format("model form: found \"{}\", expected paper or refined", form));
  return form == "refined";
}

namespace {

std::vector<AmgLevelTimes> cycle(const Machine& machine, const AmgHierarchy& hierarchy,
                                 const AmgPlacement& placement, bool refined, bool overlap,
                                 Bound bound, std::vector<std::string>* notes) {
  const AmgCosts costs(machine, placement, refined, bound, notes);
  return refined ? amg_cycle_refined(hierarchy, placement, costs, overlap)
                 : amg_cycle_paper(hierarchy, placement, costs);
}

void add(AmgWork& sum, const AmgWork& more) {
  sum.compute_s += more.compute_s;
  sum.network_s += more.network_s;
}

AmgLevelTimes sum_of(const std::vector<AmgLevelTimes>& levels) {
  AmgLevelTimes sum;
  for (const AmgLevelTimes& level : levels) {
    add(sum.smooth, level.smooth);
    add(sum.restriction, level.restriction);
    add(sum.interpolation, level.interpolation);
    add(sum.coarse_solve, level.coarse_solve);
    sum.fork_join_s += level.fork_join_s;
    sum.overlappable_s += level.overlappable_s;
    sum.hiding_s += level.hiding_s;
    sum.hidden_s += level.hidden_s;
  }
  return sum;
}

}  // namespace

double AmgLevelTimes::total() const {
  double sum = fork_join_s;
  for (const AmgWork* work : {&smooth, &restriction, &interpolation, &coarse_solve})
    sum += work->compute_s + work->network_s;
  return sum;
}

Prediction predict_amg(const Machine& machine, const AmgHierarchy& hierarchy,
                       const AmgPlacement& placement, const std::string& form, bool overlap) {
  const bool refined = is_refined_amg(form);
  return predict_with_bounds(form, [&](Bound bound) {
    RankStep step;
    std::vector<std::string>* notes = bound == Bound::value ? &step.notes : nullptr;
    const AmgLevelTimes sum =
        sum_of(cycle(machine, hierarchy, placement, refined, overlap, bound, notes));
    step.terms.add("compute.smooth", sum.smooth.compute_s);
    step.terms.add("compute.restrict", sum.restriction.compute_s);
    step.terms.add("compute.interpolate", sum.interpolation.compute_s);
    step.terms.add("network.smooth", sum.smooth.network_s);
    step.terms.add("network.restrict", sum.restriction.network_s);
    step.terms.add("network.interpolate", sum.interpolation.network_s);
    if (refined) {
      step.terms.add("compute.coarse_solve", sum.coarse_solve.compute_s);
      step.terms.add("network.coarse_solve", sum.coarse_solve.network_s);
      step.terms.add("fork_join", sum.fork_join_s);
    }
    step.overlaps = refined;
    const double exposed = sum.smooth.network_s + sum.restriction.network_s +
                           sum.interpolation.network_s + sum.coarse_solve.network_s;
    if (sum.hidden_s > 0) step.hidden_fraction = sum.hidden_s / (sum.hidden_s + exposed);
    step.communication_s = sum.overlappable_s;
    step.hiding_s = sum.hiding_s;
    return step;
  });
}

double amg_cycle_seconds(const Machine& machine, const AmgHierarchy& hierarchy,
                         const AmgPlacement& placement, const std::string& form, bool overlap) {
  return sum_of(cycle(machine, hierarchy, placement, is_refined_amg(form), overlap, Bound::value,
                      nullptr))
      .total();
}

}  // namespace bellwether
