// SPDX-License-Identifier: MIT
#include "models/amg/amg_run.hpp"

#include "models/amg/amg_exchange.hpp"
#include "models/amg/amg_run_cycle.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

/// What an iteration of conjugate gradients does beside the cycle: a product, updates of vectors
/// and inner products.
void add_krylov(RankStep& step, const Machine& machine, const AmgHierarchy& hierarchy,
                const AmgPlacement& placement, const AmgWork& product, double wait_s, Bound bound,
                std::vector<std::string>* notes) {
  // x += a p, r -= a s, z = 0, p = z + b p, and the products s p, r z and r r.
  constexpr double doubles_per_row = 16;
  constexpr int reductions = 3;
  const AmgLevel& finest = hierarchy.levels.front();
  const double bytes = doubles_per_row * sizeof(double) * amg_part(finest.solve, finest).rows;
  step.terms.add(
      "compute.krylov",
      product.compute_s + bytes / rate_at(machine.device.memory_bandwidth_bytes_per_s, bound));
  if (hierarchy.processes == 1) return;
  step.terms.add("network.finest", product.network_s);
  const AmgExchanges exchanges(machine, hierarchy, placement, bound, notes);
  step.terms.add("reduce", reductions * exchanges.among(placement.processes) + wait_s);
}

/// A level's sum under the names of its group; one process has no messages.
void add(RankStep& step, std::size_t level, const AmgHierarchy& hierarchy, const AmgWork& work) {
  const std::string group = amg_group(level, hierarchy.levels.size());
  step.terms.add("compute." + group, work.compute_s);
  if (hierarchy.processes > 1) step.terms.add("network." + group, work.network_s);
}

RankStep calibrated_step(const Machine& machine, const AmgHierarchy& hierarchy,
                         const AmgPlacement& placement, const AmgVariant& variant, bool overlap,
                         Bound bound, std::vector<std::string>* notes) {
  AmgRunCycle cycle(machine, hierarchy, placement, variant, overlap, bound, notes);
  RankStep step;
  double exposed = 0;
  const std::vector<AmgRunLevel> levels = cycle.levels();
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const AmgRunLevel& level = levels[i];
    for (const AmgWork* work : {&level.relax, &level.residual, &level.restriction,
                                &level.interpolation, &level.coarse_solve}) {
      add(step, i, hierarchy, *work);
      exposed += work->network_s;
    }
  }
  if (variant.solver == "pcg" && !levels.empty()) {
    const AmgWork product = cycle.krylov_product();
    add_krylov(step, machine, hierarchy, placement, product, cycle.krylov_wait(), bound, notes);
    exposed += product.network_s;
  }
  const AmgOverlap& all = cycle.overlap();
  step.overlaps = true;
  if (all.hidden_s > 0) step.hidden_fraction = all.hidden_s / (all.hidden_s + exposed);
  step.communication_s = all.overlappable_s;
  step.hiding_s = all.hiding_s;
  return step;
}

/// predict_amg's levels in a run's terms.
RankStep published_step(const Machine& machine, const AmgHierarchy& hierarchy,
                        const AmgPlacement& placement, const AmgVariant& variant, bool refined,
                        bool overlap, Bound bound, std::vector<std::string>* notes) {
  const AmgRelaxation& relaxation = amg_relaxation(variant.relax);
  const AmgCosts costs(machine, placement, refined, bound, notes);
  const std::vector<AmgLevelTimes> levels =
      refined ? amg_cycle_refined(hierarchy, placement, costs, overlap)
              : amg_cycle_paper(hierarchy, placement, costs);
  RankStep step;
  // The model's smoothing is a product before, one after and the residual.
  const int before_and_after = 2 * variant.sweeps;
  const double products = (before_and_after * relaxation.products + 1) / 3.;
  const double exchanges = (before_and_after * relaxation.exchanges + 1) / 3.;
  double exposed = 0, hidden = 0;
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const AmgLevelTimes& level = levels[i];
    const AmgWork smooth = {products * level.smooth.compute_s, exchanges * level.smooth.network_s};
    add(step, i, hierarchy, smooth);
    add(step, i, hierarchy, level.restriction);
    // The model gives it to the coarser level.
    if (i > 0) add(step, i - 1, hierarchy, level.interpolation);
    add(step, i, hierarchy, level.coarse_solve);
    add(step, i, hierarchy, {level.fork_join_s, 0});
    exposed += smooth.network_s + level.restriction.network_s + level.interpolation.network_s +
               level.coarse_solve.network_s;
    hidden += level.hidden_s;
    step.communication_s += level.overlappable_s;
    step.hiding_s += level.hiding_s;
  }
  if (variant.solver == "pcg" && !levels.empty()) {
    const AmgWork product = {levels[0].smooth.compute_s / 3, levels[0].smooth.network_s / 3};
    add_krylov(step, machine, hierarchy, placement, product, 0, bound, notes);
    exposed += product.network_s;
  }
  step.overlaps = refined;
  if (hidden > 0) step.hidden_fraction = hidden / (hidden + exposed);
  return step;
}

}  // namespace

std::vector<AmgRunLevel> amg_run_levels(const Machine& machine, const AmgHierarchy& hierarchy,
                                        const AmgPlacement& placement, const AmgVariant& variant,
                                        bool overlap, Bound bound,
                                        std::vector<std::string>* notes) {
  return AmgRunCycle(machine, hierarchy, placement, variant, overlap, bound, notes).levels();
}

Prediction predict_amg_run(const Machine& machine, const AmgHierarchy& hierarchy,
                           const AmgPlacement& placement, const AmgVariant& variant,
                           const std::string& form, bool overlap) {
  const bool refined = is_refined_amg(form);
  const bool calibrated = refined && amg_kernels(machine) != nullptr;
  return predict_with_bounds(form, [&](Bound bound) {
    std::vector<std::string> notes;
    std::vector<std::string>* const said = bound == Bound::value ? &notes : nullptr;
    RankStep step =
        calibrated
            ? calibrated_step(machine, hierarchy, placement, variant, overlap, bound, said)
            : published_step(machine, hierarchy, placement, variant, refined, overlap, bound, said);
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
