// SPDX-License-Identifier: MIT
#include "models/amg/amg_run.hpp"

#include <fmt/format.h>

#include "models/amg/amg_cycle.hpp"
#include "models/amg/amg_exchange.hpp"
#include "models/amg/amg_run_cycle.hpp"
#include "models/errors.hpp"
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
  step.vectors_s = bytes / memory_rate(machine, placement.on_node(), bound);
  if (hierarchy.processes == 1) return;
  const AmgExchanges exchanges(machine, hierarchy, placement, routes, bound, notes);
  step.reduce_s += reductions * exchanges.among(placement.processes);
}

AmgStep step_of(const Machine& machine, const AmgHierarchy& hierarchy,
                const AmgPlacement& placement, const AmgVariant& variant, bool refined,
                AmgRoutes& routes, Bound bound, std::vector<std::string>* notes) {
  AmgStep step;
  if (refined && amg_kernels(machine) != nullptr) {
    step.operations =
        AmgRunCycle(machine, hierarchy, placement, variant, routes, bound, notes).operations();
  } else {
    const AmgCosts costs(machine, placement, refined, bound, notes);
    step = refined ? amg_cycle_refined(hierarchy, placement, costs, variant)
                   : amg_cycle_paper(hierarchy, placement, costs, variant);
  }
  if (variant.solver == "pcg" && !step.operations.empty())
    add_krylov(step, machine, hierarchy, placement, routes, bound, notes);
  return step;
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

bool is_refined(const std::string& form) {
  if (form != "paper" && form != "refined")
    throw BadInput(fmt::format("model form: found \"{}\", expected paper or refined", form));
  return form == "refined";
}

RankProgram program_of(const AmgStep& step, const AmgHierarchy& hierarchy, bool overlap) {
  return step.program(hierarchy, overlap, [](std::size_t) { return true; });
}

}  // namespace

AmgStep amg_step(const Machine& machine, const AmgHierarchy& hierarchy,
                 const AmgPlacement& placement, const AmgVariant& variant,
                 std::vector<std::string>* notes) {
  AmgRoutes routes(machine, placement);
  return step_of(machine, hierarchy, placement, variant, true, routes, Bound::value, notes);
}

std::vector<AmgRunLevel> amg_run_levels(const AmgStep& step, std::size_t count, bool overlap) {
  std::vector<AmgRunLevel> levels(count);
  for (const AmgStepOperation& one : step.operations) {
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

double amg_step_seconds(const Machine& machine, const AmgHierarchy& hierarchy,
                        const AmgPlacement& placement, const AmgVariant& variant,
                        const std::string& form, bool overlap) {
  const bool refined = is_refined(form);
  AmgRoutes routes(machine, placement);
  return program_of(step_of(machine, hierarchy, placement, variant, refined, routes, Bound::value,
                            nullptr),
                    hierarchy, overlap && refined)
      .total();
}

Prediction predict_amg_run(const Machine& machine, const AmgHierarchy& hierarchy,
                           const AmgPlacement& placement, const AmgVariant& variant,
                           const std::string& form, bool overlap) {
  const bool refined = is_refined(form);
  AmgRoutes routes(machine, placement);
  return predict_with_bounds(form, [&](Bound bound) {
    std::vector<std::string> notes;
    const AmgStep cycle = step_of(machine, hierarchy, placement, variant, refined, routes, bound,
                                  bound == Bound::value ? &notes : nullptr);
    RankStep step = program_of(cycle, hierarchy, overlap && refined).step();
    step.overlaps = refined;
    if (refined) add_imbalance(step, hierarchy, cycle.operations);
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
