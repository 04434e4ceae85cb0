// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>

#include "kernels/lbm/lbm.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// The sums over all ranks' cells, the same on every rank; largest_speed is the largest of all.
struct GlobalLbmSums : LbmSums {
  int rank = -1;  ///< on which `cell` is; -1: all values are finite
  /// Of the cells with a value that is not finite the first in global order (x fastest, z slowest):
  /// the same however the domain is decomposed.
  std::array<int, 3> cell{};
};

/// Collective.
GlobalLbmSums sum_over_ranks(MPI_Comm comm, const LbmSums& local,
                             const Decomposition& decomposition);

}  // namespace bellwether
