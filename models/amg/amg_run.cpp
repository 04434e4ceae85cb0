// SPDX-License-Identifier: MIT
#include "models/amg/amg_run.hpp"

#include "models/amg/amg_exchange.hpp"
#include "models/amg/amg_run_cycle.hpp"
#include "models/roofline/roofline.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

/// What an iteration of conjugate gradients does beside the cycle: a product, updates of vectors
/// and inner products.
void add_krylov(RankStep& step, const Machine& machine, const AmgHierarchy& hierarchy,
                const AmgPlacement& placement, AmgRoutes& routes, const AmgWork& product,
                double wait_s, Bound bound, std::vector<std::string>* notes) {
  // x += a p, r -= a s, z = 0, p = z + b p, and the products s p, r z and r r.
  constexpr double doubles_per_row = 16;
  constexpr int reductions = 3;
  const AmgLevel& finest = hierarchy.levels.front();
  const double bytes = doubles_per_row * sizeof(double) * amg_part(finest.solve, finest).rows;
  step.terms.add("compute.krylov",
                 product.compute_s + bytes / memory_rate(machine, placement.on_node(), bound));
  if (hierarchy.processes == 1) return;
  step.terms.add("network.finest", product.network_s);
  const AmgExchanges exchanges(machine, hierarchy, placement, routes, bound, notes);
  step.terms.add("reduce", reductions * exchanges.among(placement.processes) + wait_s);
}

/// A level's sum under the names of its group; one process has no messages.
void add(RankStep& step, std::size_t level, const AmgHierarchy& hierarchy, const AmgWork& work) {
  const std::string group = amg_group(level, hierarchy.levels.size());
  step.terms.add("compute." + group, work.compute_s);
  if (hierarchy.processes > 1) step.terms.add("network." + group, work.network_s);
}

/// Adds every level's operations; returns what of their communication is not hidden.
double add_levels(RankStep& step, const AmgHierarchy& hierarchy,
                  const std::vector<AmgRunLevel>& levels) {
  double exposed = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const AmgRunLevel& level = levels[i];
    for (const AmgWork* work : {&level.relax, &level.residual, &level.restriction,
                                &level.interpolation, &level.coarse_solve}) {
      add(step, i, hierarchy, *work);
      exposed += work->network_s;
    }
  }
  return exposed;
}

/// Of each operation, what the process with most entries takes beyond the mean of all, those
/// without rows included. What is solved on the coarsest level all solve alike.
void add_imbalance(RankStep& step, const AmgHierarchy& hierarchy,
                   const std::vector<AmgRunLevel>& levels) {
  for (std::size_t i = 0; i + 1 < levels.size(); ++i) {
    const AmgLevel& level = hierarchy.levels[i];
    const auto add = [&](const AmgOperator& one, double seconds) {
      const double all =
          one.total_nonzeros > 0 ? one.total_nonzeros : level.unknowns * one.nonzeros_per_row;
      step.add_imbalance(seconds, amg_part(one, level).entries, all / hierarchy.processes);
    };
    add(level.solve, levels[i].relax.compute_s + levels[i].residual.compute_s);
    add(level.interpolation, levels[i].restriction.compute_s + levels[i].interpolation.compute_s);
  }
}

RankStep calibrated_step(const Machine& machine, const AmgHierarchy& hierarchy,
                         const AmgPlacement& placement, const AmgVariant& variant,
                         AmgRoutes& routes, bool overlap, Bound bound,
                         std::vector<std::string>* notes) {
  AmgRunCycle cycle(machine, hierarchy, placement, variant, routes, overlap, bound, notes);
  RankStep step;
  const std::vector<AmgRunLevel> levels = cycle.levels();
  double exposed = add_levels(step, hierarchy, levels);
  add_imbalance(step, hierarchy, levels);
  if (variant.solver == "pcg" && !levels.empty()) {
    const AmgWork product = cycle.krylov_product();
    add_krylov(step, machine, hierarchy, placement, routes, product, cycle.krylov_wait(), bound,
               notes);
    exposed += product.network_s;
  }
  const AmgOverlap& all = cycle.overlap();
  step.overlaps = true;
  if (all.hidden_s > 0) step.hidden_fraction = all.hidden_s / (all.hidden_s + exposed);
  step.communication_s = all.overlappable_s;
  step.hiding_s = all.hiding_s;
  return step;
}

/// What predict_amg has of a cycle: its levels' operations, and sums over them.
struct PublishedCycle {
  std::vector<AmgRunLevel> levels;
  AmgOverlap overlap;
};
PublishedCycle published_cycle(const Machine& machine, const AmgHierarchy& hierarchy,
                               const AmgPlacement& placement, const AmgVariant& variant,
                               bool refined, bool overlap, Bound bound,
                               std::vector<std::string>* notes) {
  const AmgRelaxation& relaxation = amg_relaxation(variant.relax);
  const AmgCosts costs(machine, placement, refined, bound, notes);
  const std::vector<AmgLevelTimes> levels =
      refined ? amg_cycle_refined(hierarchy, placement, costs, overlap)
              : amg_cycle_paper(hierarchy, placement, costs);
  PublishedCycle cycle;
  const int before_and_after = 2 * variant.sweeps;
  const double products = before_and_after * relaxation.products / 3.;
  const double exchanges = before_and_after * relaxation.exchanges / 3.;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const AmgLevelTimes& level = levels[i];
    AmgRunLevel& time = cycle.levels.emplace_back();
    // The model's smoothing is a product before, one after and the residual.
    time.residual = {level.smooth.compute_s / 3, level.smooth.network_s / 3};
    time.relax = {products * level.smooth.compute_s + level.fork_join_s,
                  exchanges * level.smooth.network_s};
    time.restriction = level.restriction;
    time.coarse_solve = level.coarse_solve;
    // The model gives it to the coarser level.
    if (i > 0) cycle.levels[i - 1].interpolation = level.interpolation;
    cycle.overlap.hidden_s += level.hidden_s;
    cycle.overlap.overlappable_s += level.overlappable_s;
    cycle.overlap.hiding_s += level.hiding_s;
  }
  return cycle;
}

/// predict_amg's levels in a run's terms.
RankStep published_step(const Machine& machine, const AmgHierarchy& hierarchy,
                        const AmgPlacement& placement, const AmgVariant& variant, AmgRoutes& routes,
                        bool refined, bool overlap, Bound bound, std::vector<std::string>* notes) {
  const PublishedCycle cycle =
      published_cycle(machine, hierarchy, placement, variant, refined, overlap, bound, notes);
  RankStep step;
  double exposed = add_levels(step, hierarchy, cycle.levels);
  if (variant.solver == "pcg" && !cycle.levels.empty()) {
    const AmgWork& product = cycle.levels[0].residual;
    add_krylov(step, machine, hierarchy, placement, routes, product, 0, bound, notes);
    exposed += product.network_s;
  }
  step.overlaps = refined;
  step.communication_s = cycle.overlap.overlappable_s;
  step.hiding_s = cycle.overlap.hiding_s;
  if (cycle.overlap.hidden_s > 0)
    step.hidden_fraction = cycle.overlap.hidden_s / (cycle.overlap.hidden_s + exposed);
  return step;
}

}  // namespace

std::vector<AmgRunLevel> amg_run_levels(const Machine& machine, const AmgHierarchy& hierarchy,
                                        const AmgPlacement& placement, const AmgVariant& variant,
                                        bool overlap, std::vector<std::string>* notes) {
  if (amg_kernels(machine) == nullptr)
    return published_cycle(machine, hierarchy, placement, variant, true, overlap, Bound::value,
                           notes)
        .levels;
  AmgRoutes routes(machine, placement);
  return AmgRunCycle(machine, hierarchy, placement, variant, routes, overlap, Bound::value, notes)
      .levels();
}

Prediction predict_amg_run(const Machine& machine, const AmgHierarchy& hierarchy,
                           const AmgPlacement& placement, const AmgVariant& variant,
                           const std::string& form, bool overlap) {
  const bool refined = is_refined_amg(form);
  const bool calibrated = refined && amg_kernels(machine) != nullptr;
  AmgRoutes routes(machine, placement);
  return predict_with_bounds(form, [&](Bound bound) {
    std::vector<std::string> notes;
    std::vector<std::string>* const said = bound == Bound::value ? &notes : nullptr;
    RankStep step = calibrated ? calibrated_step(machine, hierarchy, placement, variant, routes,
                                                 overlap, bound, said)
                               : published_step(machine, hierarchy, placement, variant, routes,
                                                refined, overlap, bound, said);
    step.notes = std::move(notes);
    return step;
  });
}

std::vector<Prediction> predict_amg_run(const Machine& machine, const AmgHierarchy& hierarchy,
                                        const AmgPlacement& placement, const AmgVariant& variant,
                                        bool overlap) {
  return {predict_amg_run(machine, hierarchy, placement, variant, "paper", overlap),
          predict_amg_run(machine, hierarchy, placement, variant, "refined", overlap)};
}

}  // namespace bellwether
