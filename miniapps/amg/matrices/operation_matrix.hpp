// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <memory>

namespace bellwether {

/// What hypre does with a level's matrix in a solve cycle, with an interpolation, and with the
/// coarsest level's matrix.
enum class AmgOperation {
  spmv,
  gauss_seidel,
  gauss_seidel_backward,
  jacobi,
  chebyshev,
  interpolate,
  restriction,
  coarse_solve
};

/// Of what a synthetic matrix is one: a level's, an interpolation to so many rows, or that of the
/// coarsest level, where every row has all columns.
enum class AmgRole { level, interpolation, coarsest };

struct AmgShape {
  AmgRole role = AmgRole::level;
  int rows = 0;
  int entries_per_row = 0;  ///< on average
};

/// A synthetic matrix of this rank alone and hypre's operations on it: what calibration measures,
/// and a run's probe again. Columns lie about the row's place in a cube of points that are counted
/// along its lines, on as many lines as in a hierarchy of BoomerAMG's, the point before in the same
/// line among them: on this a Gauss-Seidel sweep waits as it does on a grid. Rows of few entries
/// have equally many, as a stencil's; those of dense levels differ.
class AmgMatrix {
 public:
  virtual ~AmgMatrix() = default;
  virtual void run(AmgOperation operation) = 0;
};

/// Whether this program was built with hypre, without which there are no matrices.
bool has_amg_matrices();
/// Collective, of as large a matrix on each rank: they share no entries and send no messages, but
/// do what hypre does about messages as soon as there are several ranks. Throws std::runtime_error
/// naming what hypre says of an error.
std::unique_ptr<AmgMatrix> make_amg_matrix(MPI_Comm comm, const AmgShape& shape);

/// That hypre works with, of each rank.
int amg_threads();

/// One of hypre's parallel loops, y = y + a x, with as many threads of this rank as one likes.
class AmgLoop {
 public:
  virtual ~AmgLoop() = default;
  /// Once, and the seconds it took.
  virtual double seconds() = 0;
};
/// Over so many doubles in each vector; `threads` is what hypre works with until the loop ends.
/// Throws as make_amg_matrix does.
std::unique_ptr<AmgLoop> make_amg_loop(int doubles, int threads);

}  // namespace bellwether
