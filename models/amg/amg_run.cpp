// SPDX-License-Identifier: MIT
#include "models/amg/amg_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "models/amg/amg_exchange.hpp"
#include "models/amg/amg_extrapolation.hpp"
#include "models/amg/amg_kernel.hpp"
#include "models/errors.hpp"
#include "models/network/paths.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

constexpr std::array relaxations = {AmgRelaxation{"hybrid-gauss-seidel", 1, 1, false},
                                    AmgRelaxation{"l1-gauss-seidel", 1, 1, false},
                                    AmgRelaxation{"l1-jacobi", 1, 1, true},
                                    AmgRelaxation{"chebyshev", 2, 2, true}};  // of second order

void note(std::vector<std::string>* notes, const std::string& text) {
  if (notes != nullptr) notes->push_back(text);
}

/// The rows and entries of one rank's part of an operator: of the busiest where a run told.
struct Part {
  double rows, entries;
  [[nodiscard]] double bytes() const { return amg_operator_bytes(rows, entries); }
};
Part part_of(const AmgOperator& one, const AmgLevel& level) {
  const double rows = one.busiest_rows > 0 ? one.busiest_rows
                                           : std::max(1.0, level.unknowns / level.active_processes);
  return {rows, one.busiest_nonzeros > 0 ? one.busiest_nonzeros : rows * one.nonzeros_per_row};
}

AmgWork& operator+=(AmgWork& sum, const AmgWork& more) {
  sum.compute_s += more.compute_s;
  sum.network_s += more.network_s;
  return sum;
}
/// What communication there is beside what can hide it.
struct Overlap {
  double overlappable_s = 0, hiding_s = 0, hidden_s = 0;
};

class RunCycle {
 public:
  RunCycle(const Machine& machine, const AmgHierarchy& hierarchy, const AmgPlacement& placement,
           const AmgVariant& variant, bool overlap, Bound bound, std::vector<std::string>* notes)
      : levels_(hierarchy.levels),
        relaxation_(amg_relaxation(variant.relax)),
        sweeps_(variant.sweeps),
        overlaps_(overlap),
        kernels_(*amg_kernels(machine)),
        spmv_(kernels_.spmv, bound),
        gauss_seidel_(kernels_.gauss_seidel, bound),
        jacobi_(kernels_.jacobi, bound),
        interpolate_(kernels_.interpolate, bound),
        restrict_(kernels_.restriction, bound),
        caches_(spmv_),
        exchanges_(machine, hierarchy, placement, bound, notes) {
    note_amg_threads(kernels_, placement.threads_per_rank, notes);
    note_range(notes);
    for (const AmgLevel& level : levels_) {
      solve_.push_back(part_of(level.solve, level));
      interpolation_.push_back(part_of(level.interpolation, level));
    }
    for (std::size_t i = 0; i < levels_.size(); ++i)
      all_bytes_ += i + 1 < levels_.size() ? bytes(i) : solve_[i].bytes();
  }

  [[nodiscard]] std::vector<AmgRunLevel> levels() {
    std::vector<AmgRunLevel> times;
    if (levels_.empty()) return times;
    double finer = 0;
    for (std::size_t i = 0; i + 1 < levels_.size(); ++i) {
      times.push_back(level(i, finer));
      finer += bytes(i);
    }
    times.emplace_back().coarse_solve = coarse_solve(finer);
    return times;
  }

  /// The product of an iteration of conjugate gradients, which follows a cycle.
  AmgWork krylov_product() { return product(spmv_, 0, all_bytes_, true); }
  [[nodiscard]] const Overlap& overlap() const { return overlap_; }

 private:
  [[nodiscard]] double bytes(std::size_t i) const {
    return solve_[i].bytes() + interpolation_[i].bytes();
  }

  AmgRunLevel level(std::size_t i, double finer) {
    const AmgLevel& level = levels_[i];
    const double own = solve_[i].bytes(), transfer = interpolation_[i].bytes();
    const double coarser = all_bytes_ - finer - own - transfer;
    AmgRunLevel time;
    // Down after the finer levels, up after the coarser ones.
    time.relax = relax(i, finer + own);
    time.relax += relax(i, own + transfer + coarser);
    time.residual = product(spmv_, i, own, true);
    const AmgOperator& sent = level.restriction ? *level.restriction : level.interpolation;
    time.restriction = overlapped(seconds(restrict_, interpolation_[i], finer + own + transfer),
                                  exchanges_.of(sent, level.active_processes),
                                  amg_own_share(level.interpolation, level));
    time.interpolation = overlapped(seconds(interpolate_, interpolation_[i], transfer + coarser),
                                    exchanges_.of(level.interpolation, level.active_processes),
                                    amg_own_share(level.interpolation, level));
    return time;
  }

  /// All sweeps of one side.
  AmgWork relax(std::size_t i, double since_bytes) {
    AmgWork sum;
    for (int sweep = 0; sweep < sweeps_; ++sweep) {
      sum += relax_once(i, since_bytes);
      since_bytes = solve_[i].bytes();
    }
    return sum;
  }

  AmgWork relax_once(std::size_t i, double since_bytes) {
    const std::string name = relaxation_.name;
    if (name == "l1-jacobi") return product(jacobi_, i, since_bytes, relaxation_.overlaps);
    if (name == "chebyshev") {
      AmgWork sum;
      // Its vectors are 19 doubles a row where l1-Jacobi's are 8.
      constexpr double vectors = 19. / 8;
      const double own = solve_[i].bytes();
      for (int n = 0; n < relaxation_.products; ++n)
        sum += product(spmv_, i, n == 0 ? since_bytes : own, relaxation_.overlaps);
      sum.compute_s +=
          vectors * std::max(0., seconds(jacobi_, solve_[i], own) - seconds(spmv_, solve_[i], own));
      return sum;
    }
    return {seconds(gauss_seidel_, solve_[i], since_bytes), exchange(i).seconds};
  }

  [[nodiscard]] AmgExchange exchange(std::size_t i) const {
    return exchanges_.of(levels_[i].solve, levels_[i].active_processes);
  }

  /// When so many bytes were gone through since the part was used last.
  [[nodiscard]] double seconds(const AmgKernel& kernel, const Part& part,
                               double since_bytes) const {
    return kernel.seconds(part.rows, part.entries, caches_.held(part.bytes(), since_bytes));
  }

  /// Of what goes once through the level's matrix.
  AmgWork product(const AmgKernel& kernel, std::size_t i, double since_bytes, bool overlaps) {
    const double compute_s = seconds(kernel, solve_[i], since_bytes);
    const double own = overlaps ? amg_own_share(levels_[i].solve, levels_[i]) : 0;
    return overlapped(compute_s, exchange(i), own);
  }

  AmgWork overlapped(double compute_s, const AmgExchange& exchange, double own) {
    const double hiding = own * compute_s;
    overlap_.hiding_s += hiding;
    overlap_.overlappable_s += own > 0 ? exchange.hideable_s : 0;
    const double hidden = overlaps_ ? std::min(hiding, exchange.hideable_s) : 0;
    overlap_.hidden_s += hidden;
    return {compute_s, exchange.seconds - hidden};
  }

  /// As hypre does: everyone of the active processes gets the right-hand side and eliminates; a
  /// grid that coarsening left larger than that is for is relaxed once.
  AmgWork coarse_solve(double finer) {
    const std::size_t last = levels_.size() - 1;
    const AmgLevel& level = levels_[last];
    const double n = level.unknowns;
    if (n > amg_coarsest_unknowns) return relax_once(last, finer + solve_[last].bytes());
    // Elimination and substitution as a sweep over rows of as many entries as they multiply.
    const double entries = n * n * n / 3 + 3 * n * n / 2;
    constexpr double in_turn = 1;  // the matrix is small, and copied at once before
    const double seconds = gauss_seidel_.seconds(n, entries, in_turn);
    return {seconds, exchanges_.among(level.active_processes)};
  }

  /// Where the table ends: below some thousand rows what counts is the call.
  void note_range(std::vector<std::string>* notes) const {
    constexpr double small = 1000;
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      const auto [rows, entries] = part_of(levels_[i].solve, levels_[i]);
      if (rows < small || spmv_.covers(rows, entries)) continue;
      note(notes, fmt::format("amg.kernels: level {} has {:.0f} rows of {:.1f} entries on a rank, "
                              "beyond what was calibrated",
                              i, rows, entries / rows));
      return;
    }
  }

  const std::vector<AmgLevel>& levels_;
  const AmgRelaxation& relaxation_;
  int sweeps_;
  bool overlaps_;
  const AmgKernelParameters& kernels_;
  AmgKernel spmv_, gauss_seidel_, jacobi_, interpolate_, restrict_;
  AmgCaches caches_;
  AmgExchanges exchanges_;
  std::vector<Part> solve_, interpolation_;
  double all_bytes_ = 0;  ///< that a cycle goes through
  Overlap overlap_;
};

/// What an iteration of conjugate gradients does beside the cycle: a product, updates of vectors
/// and inner products.
void add_krylov(RankStep& step, const Machine& machine, const AmgHierarchy& hierarchy,
                const AmgPlacement& placement, const AmgWork& product, Bound bound,
                std::vector<std::string>* notes) {
  // x += a p, r -= a s, z = 0, p = z + b p, and the products s p, r z and r r.
  constexpr double doubles_per_row = 16;
  constexpr int reductions = 3;
  const AmgLevel& finest = hierarchy.levels.front();
  const double bytes = doubles_per_row * sizeof(double) * part_of(finest.solve, finest).rows;
  step.terms.add(
      "compute.krylov",
      product.compute_s + bytes / rate_at(machine.device.memory_bandwidth_bytes_per_s, bound));
  if (hierarchy.processes == 1) return;
  step.terms.add("network.finest", product.network_s);
  const AmgExchanges exchanges(machine, hierarchy, placement, bound, notes);
  step.terms.add("reduce", reductions * exchanges.among(placement.processes));
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

RankStep calibrated_step(const Machine& machine, const AmgHierarchy& hierarchy,
                         const AmgPlacement& placement, const AmgVariant& variant, bool overlap,
                         Bound bound, std::vector<std::string>* notes) {
  RunCycle cycle(machine, hierarchy, placement, variant, overlap, bound, notes);
  RankStep step;
  const std::vector<AmgRunLevel> levels = cycle.levels();
  double exposed = add_levels(step, hierarchy, levels);
  if (variant.solver == "pcg" && !levels.empty()) {
    const AmgWork product = cycle.krylov_product();
    add_krylov(step, machine, hierarchy, placement, product, bound, notes);
    exposed += product.network_s;
  }
  const Overlap& all = cycle.overlap();
  step.overlaps = true;
  if (all.hidden_s > 0) step.hidden_fraction = all.hidden_s / (all.hidden_s + exposed);
  step.communication_s = all.overlappable_s;
  step.hiding_s = all.hiding_s;
  return step;
}

/// What predict_amg has of a cycle: its levels' operations, and sums over them.
struct PublishedCycle {
  std::vector<AmgRunLevel> levels;
  Overlap overlap;
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
                        const AmgPlacement& placement, const AmgVariant& variant, bool refined,
                        bool overlap, Bound bound, std::vector<std::string>* notes) {
  const PublishedCycle cycle =
      published_cycle(machine, hierarchy, placement, variant, refined, overlap, bound, notes);
  RankStep step;
  double exposed = add_levels(step, hierarchy, cycle.levels);
  if (variant.solver == "pcg" && !cycle.levels.empty()) {
    const AmgWork& product = cycle.levels[0].residual;
    add_krylov(step, machine, hierarchy, placement, product, bound, notes);
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

std::vector<AmgRunLevel> amg_run_levels(const Machine& machine, const AmgHierarchy& hierarchy,
                                        const AmgPlacement& placement, const AmgVariant& variant,
                                        bool overlap, Bound bound,
                                        std::vector<std::string>* notes) {
  if (amg_kernels(machine) == nullptr)
    return published_cycle(machine, hierarchy, placement, variant, true, overlap, bound, notes)
        .levels;
  return RunCycle(machine, hierarchy, placement, variant, overlap, bound, notes).levels();
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
