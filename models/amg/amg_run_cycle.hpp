// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/amg/amg_exchange.hpp"
#include "models/amg/amg_kernel.hpp"
#include "models/amg/amg_run.hpp"

namespace bellwether {

/// What a sweep does in hypre.
struct AmgRelaxation {
  const char* name;
  int products;   ///< times that it goes through the matrix
  int exchanges;  ///< of the vector
  bool overlaps;  ///< its exchanges with products
};
/// Throws BadInput for a name that it does not know.
const AmgRelaxation& amg_relaxation(const std::string& name);

/// Share of a rank's entries that stand in its own columns, which it can multiply by before others'
/// values have come.
double amg_own_share(const AmgOperator& one, const AmgLevel& level);

/// The rows and entries of one rank's part of an operator: of the busiest where a run told.
struct AmgPart {
  double rows, entries;
  [[nodiscard]] double bytes() const { return amg_operator_bytes(rows, entries); }
};
AmgPart amg_part(const AmgOperator& one, const AmgLevel& level);

/// What communication there is beside what can hide it.
struct AmgOverlap {
  double overlappable_s = 0, hiding_s = 0, hidden_s = 0;
};

/// A cycle from the machine's amg.kernels, as amg_run_levels says: its operations one after
/// another, as hypre runs them.
class AmgRunCycle {
 public:
  AmgRunCycle(const Machine& machine, const AmgHierarchy& hierarchy, const AmgPlacement& placement,
              const AmgVariant& variant, AmgRoutes& routes, bool overlap, Bound bound,
              std::vector<std::string>* notes);

  /// Once. What the last sweep leaves to be waited for is paid in the finest level's first exchange
  /// of the next cycle; with pcg by the reductions between.
  [[nodiscard]] std::vector<AmgRunLevel> levels();

  /// After levels(), with pcg: the product of an iteration of conjugate gradients.
  AmgWork krylov_product();
  /// What its reductions wait for the rank that comes last from the cycle and from the product.
  [[nodiscard]] double krylov_wait() const { return krylov_wait_s_; }
  [[nodiscard]] const AmgOverlap& overlap() const { return overlap_; }

 private:
  struct Timed {
    double own_s;   ///< of a rank as slow as the mean
    double wait_s;  ///< by which the slowest of those calibrated together took longer
  };

  [[nodiscard]] double bytes(std::size_t i) const;
  void down(AmgRunLevel& time, std::size_t i, double finer);
  void up(AmgRunLevel& time, std::size_t i, double finer);
  /// All sweeps of the way down, or of that up.
  AmgWork relax(std::size_t i, double since_bytes);
  AmgWork relax_once(std::size_t i, double since_bytes);
  /// Of what goes once through the level's matrix.
  AmgWork product(const AmgKernel& kernel, std::size_t i, double since_bytes, bool overlaps);
  AmgWork coarse_solve(double finer);
  AmgWork overlapped(const Timed& timed, const HaloTimes& exchange, double own, double sends);

  /// When so many bytes were gone through since the part was used last; `loops`: parallel ones.
  [[nodiscard]] Timed seconds(const AmgKernel& kernel, const AmgPart& part, double since_bytes,
                              int loops) const;
  /// That the operation begins with, for the later of its neighbours to have done what came before.
  [[nodiscard]] double waited(double sends) const;
  void note_range(std::vector<std::string>* notes) const;

  const std::vector<AmgLevel>& levels_;
  const AmgRelaxation& relaxation_;
  int sweeps_;
  bool overlaps_, uses_pcg_;
  const AmgKernelParameters& kernels_;
  AmgThreadScale threads_;
  AmgKernel spmv_, jacobi_, interpolate_, restrict_;
  std::optional<AmgKernel> gauss_seidel_, chebyshev_, coarse_solve_;
  AmgCaches caches_;
  AmgExchanges exchanges_;
  double calibrated_ranks_;  ///< at once
  std::vector<AmgPart> solve_, interpolation_;
  double all_bytes_ = 0;       ///< that a cycle goes through
  double pending_wait_s_ = 0;  ///< of the operation before, not yet waited for
  double krylov_wait_s_ = 0;
  AmgOverlap overlap_;
};

}  // namespace bellwether
