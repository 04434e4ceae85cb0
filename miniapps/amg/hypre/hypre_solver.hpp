// SPDX-License-Identifier: MIT
#pragma once

#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <string>

#include "miniapps/amg/amg_options.hpp"
#include "miniapps/amg/hypre/hypre_library.hpp"
#include "miniapps/amg/hypre/hypre_matrix.hpp"
#include "miniapps/comm/session/session.hpp"
#include "models/amg/amg_hierarchy.hpp"

namespace bellwether {

/// What hypre says that setting a hierarchy up took, seconds on this rank; 0 where it cannot be
/// asked. Of aggressive levels `coarsening` holds interpolations too.
struct HypreSetupTimes {
  double coarsening = 0, interpolation = 0, product = 0;
};

/// BoomerAMG with the options' methods; relaxation goes forward on the way down and, for Gauss-
/// Seidel, backward on the way up; Gaussian elimination on the coarsest level.
class HypreAmg {
 public:
  explicit HypreAmg(const AmgOptions& options);
  ~HypreAmg();
  HypreAmg(const HypreAmg&) = delete;
  HypreAmg& operator=(const HypreAmg&) = delete;

  /// Collective. Throws BadInput where hypre makes one level only: there is no cycle then.
  HypreSetupTimes setup(const HypreMatrix& matrix, const HypreVector& b, const HypreVector& x);
  /// Collective: so many of hypre's own cycles on x.
  void solve(const HypreMatrix& matrix, const HypreVector& b, const HypreVector& x, int cycles);
  /// Collective: so many iterations of hypre's own conjugate gradients, one cycle each.
  void solve_with_pcg(MPI_Comm comm, const HypreMatrix& matrix, const HypreVector& b,
                      const HypreVector& x, int iterations);
  [[nodiscard]] HYPRE_Solver get() const { return solver_; }

  /// Collective. Of the hierarchy that was set up; the same on every rank.
  [[nodiscard]] AmgHierarchy hierarchy(const Session& session) const;

 private:
  HYPRE_Solver solver_ = nullptr;
};

namespace detail {

/// Adds up what hypre prints of a setup with its debug flag; other lines are returned.
std::string read_setup_times(const std::string& printed, HypreSetupTimes& times);

}  // namespace detail

}  // namespace bellwether
