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

  /// Once.
  [[nodiscard]] std::vector<AmgStepOperation> operations();

 private:
  /// A level's matrix, or its interpolation.
  struct Swept {
    std::size_t level;
    bool transfer;
    double bytes;
  };

  void time(AmgStepOperation& one);
  void coarse_solve(AmgStepOperation& one);
  /// Bytes of all matrices that were gone through since this one was last, and its own.
  [[nodiscard]] double swept_since(const AmgStepOperation& one);
  void note_range(std::vector<std::string>* notes) const;

  const std::vector<AmgLevel>& levels_;
  const AmgVariant& variant_;
  const AmgRelaxation& relaxation_;
  const AmgKernelParameters& kernels_;
  AmgKernel spmv_, interpolate_, restrict_;
  std::optional<AmgKernel> gauss_seidel_;
  AmgCaches caches_;
  AmgExchanges exchanges_;
  std::vector<Swept> recent_;  ///< the latest last
};

}  // namespace bellwether
