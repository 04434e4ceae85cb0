// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>

#include "kernels/airfoil/airfoil.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// AirfoilSums over all ranks' cells, the same on every rank.
struct AirfoilTotals {
  std::array<double, 4> total{};
  std::array<double, 4> magnitude{};
  double not_finite = 0;
  int rank = -1;           ///< the first with a value that is not finite, or -1
  std::int64_t cell = -1;  ///< of that rank the first such cell, in the whole mesh
};

/// Collective.
AirfoilTotals total_over_ranks(MPI_Comm comm, const AirfoilSums& local, const LocalSet& cells);

/// What the equations give for a state: res of all edges, that of the boundary's alone, res of all
/// edges of cells without a wall, and q times adt, which res is made of.
struct AirfoilResidual {
  AirfoilTotals all, boundary, away_from_wall, flow;
};

}  // namespace bellwether
