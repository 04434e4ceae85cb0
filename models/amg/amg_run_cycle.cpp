// SPDX-License-Identifier: MIT
#include "models/amg/amg_run_cycle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/amg/amg_extrapolation.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

std::optional<AmgKernel> optional_kernel(const AmgKernelTable& table, Bound bound) {
  if (table.empty()) return {};
  return AmgKernel(table, bound);
}

}  // namespace

double amg_own_share(const AmgOperator& one, const AmgLevel& level) {
  return one.busiest_nonzeros > 0 ? 1 - one.offd_share : local_share(level);
}

AmgPart amg_part(const AmgOperator& one, const AmgLevel& level) {
  const double rows = one.busiest_rows > 0 ? one.busiest_rows
                                           : std::max(1.0, level.unknowns / level.active_processes);
  return {rows, one.busiest_nonzeros > 0 ? one.busiest_nonzeros : rows * one.nonzeros_per_row};
}

AmgRunCycle::AmgRunCycle(const Machine& machine, const AmgHierarchy& hierarchy,
                         const AmgPlacement& placement, const AmgVariant& variant,
                         AmgRoutes& routes, Bound bound, std::vector<std::string>* notes)
    : levels_(hierarchy.levels),
      variant_(variant),
      relaxation_(amg_relaxation(variant.relax)),
      kernels_(*amg_kernels(machine)),
      spmv_(kernels_.spmv, bound),
      interpolate_(kernels_.interpolate, bound),
      restrict_(kernels_.restriction, bound),
      gauss_seidel_(optional_kernel(kernels_.gauss_seidel, bound)),
      caches_(spmv_),
      exchanges_(machine, hierarchy, placement, routes, bound, notes) {
  if (!gauss_seidel_ && variant.relax.ends_with("gauss-seidel"))
    throw BadInput(fmt::format(
        "machine {}: key /amg/kernels/gauss_seidel: found none, expected it for --relax {} (on a "
        "GPU: l1-jacobi or chebyshev)",
        machine.name, variant.relax));
  note_amg_threads(kernels_, placement.threads_per_rank, notes);
  note_range(notes);
}

std::vector<AmgStepOperation> AmgRunCycle::operations() {
  std::vector<AmgStepOperation> all = amg_operations(levels_.size(), variant_);
  if (all.empty()) return all;
  for (const AmgStepOperation& one : all) (void)swept_since(one);  // as the step before left them
  for (AmgStepOperation& one : all) time(one);
  return all;
}

double AmgRunCycle::swept_since(const AmgStepOperation& one) {
  const AmgLevel& level = levels_[one.level];
  const bool transfer = one.multiplies_transfer();
  const Swept swept{one.level, transfer,
                    amg_part(transfer ? level.interpolation : level.solve, level).bytes()};
  double bytes = swept.bytes;
  auto last = recent_.end();
  while (last != recent_.begin()) {
    --last;
    if (last->level == swept.level && last->transfer == swept.transfer) {
      recent_.erase(last);
      break;
    }
    bytes += last->bytes;
  }
  recent_.push_back(swept);
  return bytes;
}

void AmgRunCycle::time(AmgStepOperation& one) {
  const AmgLevel& level = levels_[one.level];
  const double since = swept_since(one);
  const bool direct =
      one.stage == AmgStage::coarse_solve && level.unknowns <= amg_coarsest_unknowns;
  if (direct) return coarse_solve(one);
  const bool transfer = one.multiplies_transfer();
  const AmgOperator& sent = one.stage == AmgStage::restriction && level.restriction
                                ? *level.restriction
                            : transfer ? level.interpolation
                                       : level.solve;
  const AmgOperator& multiplied = transfer ? level.interpolation : level.solve;
  const AmgPart part = amg_part(multiplied, level);
  const double held = caches_.held(part.bytes(), since);
  const auto pass = [&](const AmgKernel& kernel) {
    return kernel.seconds(part.rows, part.entries, held);
  };
  bool overlaps = true;
  switch (one.stage) {
    case AmgStage::restriction:
      one.compute_s = pass(restrict_);
      break;
    case AmgStage::interpolation:
      one.compute_s = pass(interpolate_);
      break;
    case AmgStage::krylov:
    case AmgStage::residual:
      one.compute_s = pass(spmv_);
      break;
    case AmgStage::relax:
    case AmgStage::coarse_solve:
      one.compute_s =
          amg_sweep_s(relaxation_.name, spmv_, gauss_seidel_, part.rows, part.entries, held);
      overlaps = relaxation_.overlaps;
  }
  one.own_share = overlaps ? amg_own_share(multiplied, level) : 0;
  one.messages = exchanges_.of(sent, level.active_processes);
}

/// As hypre does: everyone of the active processes gets the right-hand side and eliminates; a grid
/// that coarsening left larger than that is for is relaxed once.
void AmgRunCycle::coarse_solve(AmgStepOperation& one) {
  const AmgLevel& level = levels_[one.level];
  const double n = level.unknowns;
  one.messages.network = exchanges_.among(level.active_processes);
  // Elimination and substitution as a sweep over rows of as many entries as they multiply. The
  // matrix is small, and copied at once before.
  constexpr double in_turn = 1;
  const double entries = n * n * n / 3 + 3 * n * n / 2;
  one.compute_s = (gauss_seidel_ ? *gauss_seidel_ : spmv_).seconds(n, entries, in_turn);
}

/// Where the table ends: below some thousand rows what counts is the call.
void AmgRunCycle::note_range(std::vector<std::string>* notes) const {
  if (notes == nullptr) return;
  constexpr double small = 1000;
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    const auto [rows, entries] = amg_part(levels_[i].solve, levels_[i]);
    if (rows < small || spmv_.covers(rows, entries)) continue;
    notes->push_back(fmt::format(
        "amg.kernels: level {} has {:.0f} rows of {:.1f} entries on a rank, beyond what was "
        "calibrated",
        i, rows, entries / rows));
    return;
  }
}

}  // namespace bellwether
