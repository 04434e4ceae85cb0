// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "models/amg/amg_cycle.hpp"
#include "models/errors.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

bool is_refined(const std::string& form) {
  if (form != "paper" && form != "refined")
    throw BadInput(fmt::format("model form: found \"{}\", expected paper or refined", form));
  return form == "refined";
}

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
  const bool refined = is_refined(form);
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
  return sum_of(
             cycle(machine, hierarchy, placement, is_refined(form), overlap, Bound::value, nullptr))
      .total();
}

}  // namespace bellwether
