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

/// Parallel loops of an operation that goes through a matrix once: own entries and others'.
constexpr int loops_of_product = 2;
/// Of a Chebyshev sweep beyond its products.
constexpr int loops_of_vectors = 4;

/// By how much the last of so many comes later than their mean, in means of one's delay: delays
/// are taken to be distributed exponentially, as interruptions are.
double lateness(double ranks) {
  double sum = 0;
  for (int n = 2; n <= static_cast<int>(std::ceil(ranks)); ++n) sum += 1. / n;
  return sum;
}

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
      threads_(kernels_, placement.threads_per_rank, bound, notes),
      spmv_(kernels_.spmv, bound),
      jacobi_(kernels_.jacobi, bound),
      interpolate_(kernels_.interpolate, bound),
      restrict_(kernels_.restriction, bound),
      gauss_seidel_(optional_kernel(kernels_.gauss_seidel, bound)),
      chebyshev_(optional_kernel(kernels_.chebyshev, bound)),
      coarse_solve_(optional_kernel(kernels_.coarse_solve, bound)),
      caches_(spmv_),
      exchanges_(machine, hierarchy, placement, routes, bound, notes),
      calibrated_ranks_(machine.layout.ranks) {
  if (!gauss_seidel_ && variant.relax.ends_with("gauss-seidel"))
    throw BadInput(fmt::format(
        "machine {}: key /amg/kernels/gauss_seidel: found none, expected it for --relax {} (on a "
        "GPU: l1-jacobi or chebyshev)",
        machine.name, variant.relax));
  note_range(notes);
}

std::vector<AmgStepOperation> AmgRunCycle::operations() {
  std::vector<AmgStepOperation> all = amg_operations(levels_.size(), variant_);
  if (all.empty()) return all;
  for (const AmgStepOperation& one : all) (void)swept_since(one);  // as the step before left them
  for (AmgStepOperation& one : all) {
    time(one);
    if (one.stage == AmgStage::krylov) reduce();
  }
  if (variant_.solver == "pcg")
    reduce();
  else
    all.front().wait_s += waited(levels_[0].solve.max_sends);
  return all;
}

void AmgRunCycle::reduce() {
  reductions_wait_s_ += waited(levels_[0].active_processes - 1);
  pending_wait_s_ = 0;
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
  if (direct) return coarse_solve(one, since);
  const bool transfer = one.multiplies_transfer();
  const AmgOperator& sent = one.stage == AmgStage::restriction && level.restriction
                                ? *level.restriction
                            : transfer ? level.interpolation
                                       : level.solve;
  const AmgOperator& multiplied = transfer ? level.interpolation : level.solve;
  const AmgPart part = amg_part(multiplied, level);
  Timed timed{};
  bool overlaps = true;
  switch (one.stage) {
    case AmgStage::restriction:
      timed = seconds(restrict_, part, since, loops_of_product);
      break;
    case AmgStage::interpolation:
      timed = seconds(interpolate_, part, since, loops_of_product);
      break;
    case AmgStage::krylov:
    case AmgStage::residual:
      timed = seconds(spmv_, part, since, loops_of_product);
      break;
    case AmgStage::relax:
    case AmgStage::coarse_solve:
      timed = sweep(part, since);
      overlaps = relaxation_.overlaps;
  }
  one.compute_s = timed.own_s;
  one.own_share = overlaps ? amg_own_share(multiplied, level) : 0;
  one.messages = exchanges_.of(sent, level.active_processes);
  one.wait_s = waited(sent.max_sends);
  pending_wait_s_ = timed.wait_s;
}

AmgRunCycle::Timed AmgRunCycle::sweep(const AmgPart& part, double since_bytes) const {
  const std::string name = relaxation_.name;
  if (name == "l1-jacobi") return seconds(jacobi_, part, since_bytes, loops_of_product);
  if (name != "chebyshev") return seconds(*gauss_seidel_, part, since_bytes, loops_of_product);
  if (chebyshev_)
    return seconds(*chebyshev_, part, since_bytes,
                   relaxation_.products * loops_of_product + loops_of_vectors);
  // Its vectors are 19 doubles a row where l1-Jacobi's are 8.
  constexpr double vectors = 19. / 8;
  const double own = part.bytes();
  const Timed first = seconds(spmv_, part, since_bytes, loops_of_product),
              second = seconds(spmv_, part, own, loops_of_product);
  const double beyond_s = seconds(jacobi_, part, own, loops_of_product).own_s - second.own_s;
  return {first.own_s + second.own_s + vectors * std::max(0., beyond_s),
          first.wait_s + second.wait_s};
}

/// As hypre does: everyone of the active processes gets the right-hand side and eliminates; a grid
/// that coarsening left larger than that is for is relaxed once.
void AmgRunCycle::coarse_solve(AmgStepOperation& one, double since_bytes) {
  const AmgLevel& level = levels_[one.level];
  const double n = level.unknowns;
  one.messages.network = exchanges_.among(level.active_processes);
  one.wait_s = waited(level.active_processes - 1);
  pending_wait_s_ = 0;  // of those that gathered none is alone with its numbers
  if (coarse_solve_) {
    const double held = caches_.held(amg_operator_bytes(n, n * n), since_bytes);
    one.compute_s = coarse_solve_->seconds(n, n, held);
    pending_wait_s_ = one.compute_s * coarse_solve_->wait_share(n, n, held);
    one.compute_s -= pending_wait_s_;
    return;
  }
  // Elimination and substitution as a sweep over rows of as many entries as they multiply. The
  // matrix is small, and copied at once before.
  constexpr double in_turn = 1;
  const double entries = n * n * n / 3 + 3 * n * n / 2;
  one.compute_s = (gauss_seidel_ ? *gauss_seidel_ : jacobi_).seconds(n, entries, in_turn);
}

AmgRunCycle::Timed AmgRunCycle::seconds(const AmgKernel& kernel, const AmgPart& part,
                                        double since_bytes, int loops) const {
  const double share = threads_.calibrated_share();
  const double rows = share * part.rows, entries = share * part.entries;
  const double held = caches_.held(share * part.bytes(), share * since_bytes);
  const double all = threads_.seconds(kernel.seconds(rows, entries, held), loops,
                                      amg_operator_bytes(rows, entries) / kernels_.threads);
  const double wait_s = all * kernel.wait_share(rows, entries, held);
  return {all - wait_s, wait_s};
}

double AmgRunCycle::waited(double sends) const {
  const double among = std::min(sends + 1, static_cast<double>(levels_[0].active_processes));
  if (calibrated_ranks_ < 2 || among <= 1) return 0;
  return pending_wait_s_ * lateness(among) / lateness(calibrated_ranks_);
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
