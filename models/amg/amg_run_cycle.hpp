// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/amg/amg_exchange.hpp"
#include "models/amg/amg_kernel.hpp"
#include "models/amg/amg_program.hpp"

namespace bellwether {

/// Share of a rank's entries that stand in its own columns, which it can multiply by before others'
/// values have come.
double amg_own_share(const AmgOperator& one, const AmgLevel& level);

/// The rows and entries of one rank's part of an operator: of the busiest where a run told.
struct AmgPart {
  double rows, entries;
  [[nodiscard]] double bytes() const { return amg_operator_bytes(rows, entries); }
};
AmgPart amg_part(const AmgOperator& one, const AmgLevel& level);

/// A step from the machine's amg.kernels: its operations one after another, as hypre runs them.
class AmgRunCycle {
 public:
  AmgRunCycle(const Machine& machine, const AmgHierarchy& hierarchy, const AmgPlacement& placement,
              const AmgVariant& variant, AmgRoutes& routes, Bound bound,
              std::vector<std::string>* notes);

  /// Once. What the last sweep leaves to be waited for is paid in the first exchange of the next
  /// cycle; with pcg by the reductions between.
  [[nodiscard]] std::vector<AmgStepOperation> operations();
  /// What reductions wait for the rank that comes last from the cycle and from the product.
  [[nodiscard]] double reductions_wait() const { return reductions_wait_s_; }

 private:
  struct Timed {
    double own_s;   ///< of a rank as slow as the mean
    double wait_s;  ///< by which the slowest of those calibrated together took longer
  };
  /// A level's matrix, or its interpolation.
  struct Swept {
    std::size_t level;
    bool transfer;
    double bytes;
  };

  void time(AmgStepOperation& one);
  void coarse_solve(AmgStepOperation& one, double since_bytes);
  void reduce();
  /// Bytes of all matrices that were gone through since this one was last, and its own.
  [[nodiscard]] double swept_since(const AmgStepOperation& one);
  [[nodiscard]] Timed sweep(const AmgPart& part, double since_bytes) const;
  /// When so many bytes were gone through since the part was used last; `loops`: parallel ones.
  [[nodiscard]] Timed seconds(const AmgKernel& kernel, const AmgPart& part, double since_bytes,
                              int loops) const;
  /// That the operation begins with, for the later of its neighbours to have done what came before.
  [[nodiscard]] double waited(double sends) const;
  void note_range(std::vector<std::string>* notes) const;

  const std::vector<AmgLevel>& levels_;
  const AmgVariant& variant_;
  const AmgRelaxation& relaxation_;
  const AmgKernelParameters& kernels_;
  AmgThreadScale threads_;
  AmgKernel spmv_, jacobi_, interpolate_, restrict_;
  std::optional<AmgKernel> gauss_seidel_, chebyshev_, coarse_solve_;
  AmgCaches caches_;
  AmgExchanges exchanges_;
  double calibrated_ranks_;    ///< at once
  std::vector<Swept> recent_;  ///< the latest last
  double pending_wait_s_ = 0;  ///< of the operation before, not yet waited for
  double reductions_wait_s_ = 0;
};

}  // namespace bellwether
