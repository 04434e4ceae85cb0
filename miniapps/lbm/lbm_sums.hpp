// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>

#include "kernels/lbm/lbm.hpp"
#include "models/decomposition.hpp"

namespace bellwether {

/// The sums over all ranks' cells, the same on every rank; largest_speed is the largest of all.
struct GlobalLbmSums : LbmSums {
  int rank = -1;              ///< the first with a value that is not finite, or -1
  std::array<int, 3> cell{};  ///< of that rank the first such cell, in global coordinates
};

/// Collective.
GlobalLbmSums sum_over_ranks(MPI_Comm comm, const LbmSums& local,
                             const Decomposition& decomposition);

}  // namespace bellwether
