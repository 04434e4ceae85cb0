// SPDX-License-Identifier: MIT
#pragma once

#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_parcsr_ls.h>
#include <mpi.h>

#include <span>
#include <string>

#include "miniapps/amg/amg_options.hpp"
#include "miniapps/amg/matrices/amg_rows.hpp"
#include "miniapps/comm/session.hpp"
#include "models/amg/amg_hierarchy.hpp"

namespace bellwether {

/// Throws std::runtime_error that names the function and says what hypre says, where its error flag
/// is set; BadEnvironment where it ran out of memory. Clears the flag.
void check_hypre(const char* function, HYPRE_Int flag);

/// hypre ready for use, on the host, as long as one lives.
class HypreLibrary {
 public:
  /// `threads` of a rank, 0: as OpenMP's environment says. Throws as check_threads does.
  explicit HypreLibrary(int threads);
  ~HypreLibrary();
  HypreLibrary(const HypreLibrary&) = delete;
  HypreLibrary& operator=(const HypreLibrary&) = delete;

  [[nodiscard]] int threads() const { return threads_; }
  /// Throws BadInput for more than one thread where this hypre was built without OpenMP.
  static void check_threads(int threads);
  /// "2.26.0", with what it was built for: "2.26.0, OpenMP".
  static std::string version();

 private:
  int threads_;
};

/// A vector of doubles, divided as a matrix' rows; 0 at first. Collective.
class HypreVector {
 public:
  HypreVector(MPI_Comm comm, const AmgRows& rows);
  ~HypreVector();
  HypreVector(const HypreVector&) = delete;
  HypreVector& operator=(const HypreVector&) = delete;

  /// This rank's.
  [[nodiscard]] std::span<double> values() const;
  [[nodiscard]] HYPRE_ParVector get() const { return vector_; }

 private:
  HYPRE_IJVector ij_ = nullptr;
  HYPRE_ParVector vector_ = nullptr;
};

/// The matrix of rows. Collective; asks for each row twice, first to allocate exactly. Throws
/// BadInput where hypre's integers cannot number the rows, or a rank's entries.
class HypreMatrix {
 public:
  HypreMatrix(MPI_Comm comm, const AmgRows& rows);
  ~HypreMatrix();
  HypreMatrix(const HypreMatrix&) = delete;
  HypreMatrix& operator=(const HypreMatrix&) = delete;

  [[nodiscard]] HYPRE_ParCSRMatrix get() const { return matrix_; }

 private:
  HYPRE_IJMatrix ij_ = nullptr;
  HYPRE_ParCSRMatrix matrix_ = nullptr;
};

/// What hypre says that it did when it set a hierarchy up, seconds on this rank; all 0 where it
/// cannot be asked. On levels coarsened aggressively `coarsening` holds interpolations too: hypre
/// counts them so.
struct HypreSetupTimes {
  double coarsening = 0, interpolation = 0, product = 0;
};

/// BoomerAMG with the options' methods, and what the options do not say as hypre has it: relaxation
/// goes forward on the way down and, for Gauss-Seidel, backward on the way up, which keeps the
/// cycle symmetric; Gaussian elimination on the coarsest level.
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
