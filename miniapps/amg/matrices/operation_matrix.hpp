// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

namespace bellwether {

/// What hypre does with a level's matrix in a solve cycle, and with an interpolation.
enum class AmgOperation { spmv, gauss_seidel, jacobi, interpolate, restriction };

struct AmgShape {
  bool transfer = false;  ///< an interpolation to so many rows; else a level's matrix
  int rows = 0;
  int entries_per_row = 0;
};

/// A synthetic matrix of this rank alone and hypre's operations on it: what calibration measures,
/// and a run's probe again. Columns lie about the row's place in a cube of points that are counted
/// along its lines, the nearest first, the point before in the same line among them: on this a
/// Gauss-Seidel sweep waits as it does on a grid.
class AmgMatrix {
 public:
  virtual ~AmgMatrix() = default;
  virtual void run(AmgOperation operation) = 0;
};

/// Whether this program was built with hypre, without which there are no matrices.
bool has_amg_matrices();
/// Throws std::runtime_error naming what hypre says of an error.
std::unique_ptr<AmgMatrix> make_amg_matrix(const AmgShape& shape);
/// That hypre works with, of each rank.
int amg_threads();

}  // namespace bellwether
