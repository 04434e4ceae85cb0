// SPDX-License-Identifier: MIT
#include "models/amg/amg_run.hpp"

#include "models/amg/amg_exchange.hpp"
#include "models/amg/amg_run_cycle.hpp"
#include "models/roofline/roofline.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

/// x += a p, r -= a s, z = 0, p = z + b p, and the products s p, r z and r r.
void add_krylov(AmgStep& step, const Machine& machine, const AmgHierarchy& hierarchy,
                const AmgPlacement& placement, AmgRoutes& routes, Bound bound,
                std::vector<std::string>* notes) {
  constexpr double doubles_per_row = 16;
  constexpr int reductions = 3;
  const AmgLevel& finest = hierarchy.levels.front();
  const double bytes = doubles_per_row * sizeof(double) * amg_part(finest.solve, finest).rows;
  step.vectors_s = bytes / memory_rate(machine.device, bound);
  if (hierarchy.processes == 1) return;
  const AmgExchanges exchanges(machine, hierarchy, placement, routes, bound, notes);
  step.reduce_s += reductions * exchanges.among(placement.processes);
}

AmgStep calibrated_step(const Machine& machine, const AmgHierarchy& hierarchy,
                        const AmgPlacement& placement, const AmgVariant& variant, AmgRoutes& routes,
                        Bound bound, std::vector<std::string>* notes) {
  AmgRunCycle cycle(machine, hierarchy, placement, variant, routes, bound, notes);
  AmgStep step{.operations = cycle.operations()};
  step.reduce_s = cycle.reductions_wait();
  return step;
}

/// What of predict_amg's communication there is beside what can hide it.
struct Published {
  AmgStep step;
  double overlappable_s = 0, hiding_s = 0, hidden_s = 0;
};
/// predict_amg's levels, operation by operation: what is hidden of their messages is left out.
Published published_step(const Machine& machine, const AmgHierarchy& hierarchy,
                         const AmgPlacement& placement, const AmgVariant& variant, bool refined,
                         bool overlap, Bound bound, std::vector<std::string>* notes) {
  const AmgRelaxation& relaxation = amg_relaxation(variant.relax);
  const AmgCosts costs(machine, placement, refined, bound, notes);
  const std::vector<AmgLevelTimes> levels =
      refined ? amg_cycle_refined(hierarchy, placement, costs, overlap)
              : amg_cycle_paper(hierarchy, placement, costs);
  // The model's smoothing is a product before, one after and the residual.
  const int sweeps = 2 * variant.sweeps;
  const double products = relaxation.products / 3., exchanges = relaxation.exchanges / 3.;
  Published all{.step = {.operations = amg_operations(levels.size(), variant)}};
  for (AmgStepOperation& one : all.step.operations) {
    const AmgLevelTimes& level = levels[one.level];
    const auto set = [&one](double compute_s, double network_s) {
      one.compute_s = compute_s;
      one.messages.network = network_s / one.exchanges;
    };
    const auto& [smooth_s, smooth_network_s] = level.smooth;
    switch (one.stage) {
      case AmgStage::krylov:
      case AmgStage::residual:
        set(smooth_s / 3, smooth_network_s / 3);
        break;
      case AmgStage::relax:
        set(products * smooth_s + level.fork_join_s / sweeps, exchanges * smooth_network_s);
        break;
      case AmgStage::restriction:
        set(level.restriction.compute_s, level.restriction.network_s);
        break;
      case AmgStage::coarse_solve:  // the paper's form smooths there too
        set(level.coarse_solve.compute_s + (sweeps * products + 1 / 3.) * smooth_s +
                level.fork_join_s,
            level.coarse_solve.network_s + (sweeps * exchanges + 1 / 3.) * smooth_network_s);
        break;
      case AmgStage::interpolation: {  // the model gives it to the coarser level
        const AmgWork& work = levels[one.level + 1].interpolation;
        set(work.compute_s, work.network_s);
      }
    }
    const AmgLevel& of = hierarchy.levels[one.level];
    const bool sweeps_there = one.stage == AmgStage::relax || one.stage == AmgStage::coarse_solve;
    const bool direct = one.stage == AmgStage::coarse_solve && of.unknowns <= amg_coarsest_unknowns;
    const bool overlaps = !direct && (!sweeps_there || relaxation.overlaps);
    if (overlaps)
      one.own_share = amg_own_share(one.multiplies_transfer() ? of.interpolation : of.solve, of);
  }
  for (const AmgLevelTimes& level : levels) {
    all.hidden_s += level.hidden_s;
    all.overlappable_s += level.overlappable_s;
    all.hiding_s += level.hiding_s;
  }
  return all;
}

/// Of each operation, what the process with most entries takes beyond the mean of all, those
/// without rows included. What is solved on the coarsest level all solve alike.
void add_imbalance(RankStep& step, const AmgHierarchy& hierarchy,
                   const std::vector<AmgStepOperation>& operations) {
  for (const AmgStepOperation& operation : operations) {
    if (operation.stage == AmgStage::coarse_solve) continue;
    const AmgLevel& level = hierarchy.levels[operation.level];
    const AmgOperator& one = operation.multiplies_transfer() ? level.interpolation : level.solve;
    const double all =
        one.total_nonzeros > 0 ? one.total_nonzeros : level.unknowns * one.nonzeros_per_row;
    step.add_imbalance(operation.compute_s, amg_part(one, level).entries,
                       all / hierarchy.processes);
  }
}

bool on_all_levels(std::size_t /*level*/) { return true; }

}  // namespace

AmgStep amg_step(const Machine& machine, const AmgHierarchy& hierarchy,
                 const AmgPlacement& placement, const AmgVariant& variant, bool overlap,
                 std::vector<std::string>* notes) {
  AmgRoutes routes(machine, placement);
  constexpr Bound bound = Bound::value;
  AmgStep step =
      amg_kernels(machine) != nullptr
          ? calibrated_step(machine, hierarchy, placement, variant, routes, bound, notes)
          : published_step(machine, hierarchy, placement, variant, true, overlap, bound, notes)
                .step;
  if (variant.solver == "pcg" && !step.operations.empty())
    add_krylov(step, machine, hierarchy, placement, routes, bound, notes);
  return step;
}

std::vector<AmgRunLevel> amg_run_levels(const Machine& machine, const AmgHierarchy& hierarchy,
                                        const AmgPlacement& placement, const AmgVariant& variant,
                                        bool overlap, std::vector<std::string>* notes) {
  std::vector<AmgRunLevel> levels(hierarchy.levels.size());
  for (const AmgStepOperation& one :
       amg_step(machine, hierarchy, placement, variant, overlap, notes).operations) {
    if (one.stage == AmgStage::krylov) continue;
    AmgRunLevel& level = levels[one.level];
    AmgWork& work = one.stage == AmgStage::relax           ? level.relax
                    : one.stage == AmgStage::residual      ? level.residual
                    : one.stage == AmgStage::restriction   ? level.restriction
                    : one.stage == AmgStage::interpolation ? level.interpolation
                                                           : level.coarse_solve;
    work.compute_s += one.compute_s;
    work.network_s += one.network_s(overlap);
  }
  return levels;
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
    Published published;
    AmgStep& cycle = published.step;
    if (calibrated)
      cycle = calibrated_step(machine, hierarchy, placement, variant, routes, bound, said);
    else
      published =
          published_step(machine, hierarchy, placement, variant, refined, overlap, bound, said);
    if (variant.solver == "pcg" && !cycle.operations.empty())
      add_krylov(cycle, machine, hierarchy, placement, routes, bound, said);
    RankStep step = cycle.program(hierarchy, overlap, on_all_levels).step();
    if (calibrated) {
      add_imbalance(step, hierarchy, cycle.operations);
    } else {
      double exposed_s = 0;
      for (const AmgStepOperation& one : cycle.operations) exposed_s += one.network_s(false);
      step.overlaps = refined;
      step.communication_s = published.overlappable_s;
      step.hiding_s = published.hiding_s;
      if (published.hidden_s > 0)
        step.hidden_fraction = published.hidden_s / (published.hidden_s + exposed_s);
    }
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
