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

constexpr std::array relaxations = {AmgRelaxation{"hybrid-gauss-seidel", 1, 1, false},
                                    AmgRelaxation{"l1-gauss-seidel", 1, 1, false},
                                    AmgRelaxation{"l1-jacobi", 1, 1, true},
                                    AmgRelaxation{"chebyshev", 2, 2, true}};  // of second order

/// Parallel loops of an operation that goes through a matrix once: own entries and others'.
constexpr int loops_of_product = 2;
/// Of a Chebyshev sweep beyond its products.
constexpr int loops_of_vectors = 4;

AmgWork& operator+=(AmgWork& sum, const AmgWork& more) {
  sum.compute_s += more.compute_s;
  sum.network_s += more.network_s;
  return sum;
}

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

const AmgRelaxation& amg_relaxation(const std::string& name) {
  std::string known;
  for (const AmgRelaxation& one : relaxations) {
    if (name == one.name) return one;
    known += (known.empty() ? "" : ", ") + std::string(one.name);
  }
  throw BadInput(fmt::format("relaxation: found \"{}\", expected one of {}", name, known));
}

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
                         AmgRoutes& routes, bool overlap, Bound bound,
                         std::vector<std::string>* notes)
    : levels_(hierarchy.levels),
      relaxation_(amg_relaxation(variant.relax)),
      sweeps_(variant.sweeps),
      overlaps_(overlap),
      uses_pcg_(variant.solver == "pcg"),
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
  for (const AmgLevel& level : levels_) {
    solve_.push_back(amg_part(level.solve, level));
    interpolation_.push_back(amg_part(level.interpolation, level));
  }
  for (std::size_t i = 0; i < levels_.size(); ++i)
    all_bytes_ += i + 1 < levels_.size() ? bytes(i) : solve_[i].bytes();
}

std::vector<AmgRunLevel> AmgRunCycle::levels() {
  std::vector<AmgRunLevel> times(levels_.size());
  if (levels_.empty()) return times;
  const std::size_t last = levels_.size() - 1;
  double finer = 0;
  for (std::size_t i = 0; i < last; ++i) {
    down(times[i], i, finer);
    finer += bytes(i);
  }
  times[last].coarse_solve = coarse_solve(finer);
  for (std::size_t i = last; i-- > 0;) {
    finer -= bytes(i);
    up(times[i], i, finer);
  }
  if (uses_pcg_)
    krylov_wait_s_ += waited(levels_[0].active_processes - 1);
  else
    times[0].relax.network_s += waited(levels_[0].solve.max_sends);
  return times;
}

AmgWork AmgRunCycle::krylov_product() {
  pending_wait_s_ = 0;
  const AmgWork work = product(spmv_, 0, all_bytes_, true);
  krylov_wait_s_ += waited(levels_[0].active_processes - 1);
  return work;
}

double AmgRunCycle::bytes(std::size_t i) const {
  return solve_[i].bytes() + interpolation_[i].bytes();
}

void AmgRunCycle::down(AmgRunLevel& time, std::size_t i, double finer) {
  const AmgLevel& level = levels_[i];
  const double own = solve_[i].bytes(), transfer = interpolation_[i].bytes();
  time.relax = relax(i, finer + own);
  time.residual = product(spmv_, i, own, true);
  const AmgOperator& sent = level.restriction ? *level.restriction : level.interpolation;
  time.restriction =
      overlapped(seconds(restrict_, interpolation_[i], finer + own + transfer, loops_of_product),
                 exchanges_.of(sent, level.active_processes),
                 amg_own_share(level.interpolation, level), sent.max_sends);
}

/// After the coarser levels.
void AmgRunCycle::up(AmgRunLevel& time, std::size_t i, double finer) {
  const AmgLevel& level = levels_[i];
  const double own = solve_[i].bytes(), transfer = interpolation_[i].bytes();
  const double coarser = all_bytes_ - finer - own - transfer;
  time.interpolation =
      overlapped(seconds(interpolate_, interpolation_[i], transfer + coarser, loops_of_product),
                 exchanges_.of(level.interpolation, level.active_processes),
                 amg_own_share(level.interpolation, level), level.interpolation.max_sends);
  time.relax += relax(i, own + transfer + coarser);
}

AmgWork AmgRunCycle::relax(std::size_t i, double since_bytes) {
  AmgWork sum;
  for (int sweep = 0; sweep < sweeps_; ++sweep) {
    sum += relax_once(i, since_bytes);
    since_bytes = solve_[i].bytes();
  }
  return sum;
}

AmgWork AmgRunCycle::relax_once(std::size_t i, double since_bytes) {
  const std::string name = relaxation_.name;
  if (name == "l1-jacobi") return product(jacobi_, i, since_bytes, relaxation_.overlaps);
  if (name != "chebyshev") return product(*gauss_seidel_, i, since_bytes, relaxation_.overlaps);
  if (!chebyshev_) {
    // Its vectors are 19 doubles a row where l1-Jacobi's are 8.
    constexpr double vectors = 19. / 8;
    AmgWork sum = product(spmv_, i, since_bytes, true);
    const double own = solve_[i].bytes();
    sum += product(spmv_, i, own, true);
    sum.compute_s +=
        vectors * std::max(0., seconds(jacobi_, solve_[i], own, loops_of_product).own_s -
                                   seconds(spmv_, solve_[i], own, loops_of_product).own_s);
    return sum;
  }
  const AmgLevel& level = levels_[i];
  HaloTimes exchange = exchanges_.of(level.solve, level.active_processes);
  exchange.network *= relaxation_.exchanges;
  exchange.hideable *= relaxation_.exchanges;
  return overlapped(seconds(*chebyshev_, solve_[i], since_bytes,
                            relaxation_.products * loops_of_product + loops_of_vectors),
                    exchange, amg_own_share(level.solve, level), level.solve.max_sends);
}

AmgWork AmgRunCycle::product(const AmgKernel& kernel, std::size_t i, double since_bytes,
                             bool overlaps) {
  const AmgLevel& level = levels_[i];
  return overlapped(seconds(kernel, solve_[i], since_bytes, loops_of_product),
                    exchanges_.of(level.solve, level.active_processes),
                    overlaps ? amg_own_share(level.solve, level) : 0, level.solve.max_sends);
}

AmgWork AmgRunCycle::overlapped(const Timed& timed, const HaloTimes& exchange, double own,
                                double sends) {
  const double hiding = own * timed.own_s;
  overlap_.hiding_s += hiding;
  overlap_.overlappable_s += own > 0 ? std::max(0., exchange.hideable) : 0;
  const double hidden = overlaps_ ? exchange.hidden(hiding) : 0;
  overlap_.hidden_s += hidden;
  const double waited_s = waited(sends);
  pending_wait_s_ = timed.wait_s;
  return {timed.own_s, exchange.network - hidden + waited_s};
}

/// As hypre does: everyone of the active processes gets the right-hand side and eliminates; a grid
/// that coarsening left larger than that is for is relaxed once.
AmgWork AmgRunCycle::coarse_solve(double finer) {
  const std::size_t last = levels_.size() - 1;
  const AmgLevel& level = levels_[last];
  const double n = level.unknowns;
  if (n > amg_coarsest_unknowns) return relax_once(last, finer + solve_[last].bytes());
  const double network_s =
      exchanges_.among(level.active_processes) + waited(level.active_processes - 1);
  pending_wait_s_ = 0;           // of those that gathered none is alone with its numbers
  constexpr double in_turn = 1;  // the matrix is small, and copied at once before
  if (coarse_solve_) {
    const double held = caches_.held(amg_operator_bytes(n, n * n), finer);
    const double all = coarse_solve_->seconds(n, n, held);
    const double wait_s = all * coarse_solve_->wait_share(n, n, held);
    pending_wait_s_ = wait_s;
    return {all - wait_s, network_s};
  }
  // Elimination and substitution as a sweep over rows of as many entries as they multiply.
  const double entries = n * n * n / 3 + 3 * n * n / 2;
  return {(gauss_seidel_ ? *gauss_seidel_ : jacobi_).seconds(n, entries, in_turn), network_s};
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
