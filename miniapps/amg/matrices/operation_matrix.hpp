// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// What hypre does with a level's matrix in a solve cycle, and with an interpolation.
enum class AmgOperation { spmv, gauss_seidel, jacobi, chebyshev, interpolate, restriction };

/// Of what a synthetic matrix is one: a level's, or an interpolation to so many rows.
enum class AmgRole { level, interpolation };

struct AmgShape {
  AmgRole role = AmgRole::level;
  int rows = 0;
  int entries_per_row = 0;  ///< on average
};

/// Memory of such a matrix and of the vectors that go with it.
inline std::size_t amg_matrix_bytes(const AmgShape& shape) {
  constexpr std::size_t vectors = 8;
  const auto rows = static_cast<std::size_t>(shape.rows);
  const auto entries = static_cast<std::size_t>(shape.entries_per_row);
  return rows * (entries * (sizeof(double) + sizeof(int)) + vectors * sizeof(double) + 8);
}

/// A synthetic matrix of this rank and hypre's operations on it, as calibration and probe measure
/// them: columns lie as in a hierarchy of BoomerAMG's, so that a sweep waits as on a grid.
class AmgMatrix {
 public:
  virtual ~AmgMatrix() = default;
  /// On a GPU it is launched, and not waited for.
  virtual void run(AmgOperation operation) = 0;
  /// The same, waited for, and the seconds that it took, a GPU's by its own clock.
  virtual double seconds(AmgOperation operation) = 0;
};

/// Whether this program was built with a hypre that computes on the device, without which there are
/// no matrices.
bool has_amg_matrices(const Device& device);
/// Collective; the device outlives it. No messages are sent, but rows at the ends of lines have
/// entries that another rank holds. Throws std::runtime_error naming hypre's error.
std::unique_ptr<AmgMatrix> make_amg_matrix(MPI_Comm comm, const AmgShape& shape, Device& device);

/// That hypre works with, of each rank.
int amg_threads();

}  // namespace bellwether
