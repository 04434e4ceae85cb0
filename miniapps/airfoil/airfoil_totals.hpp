// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/airfoil/airfoil.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// AirfoilSums over all ranks' cells, the same on every rank.
struct AirfoilTotals {
  std::array<double, 4> total{};
  std::array<double, 4> magnitude{};
  double not_finite = 0;
};

/// Collective.
AirfoilTotals total_over_ranks(MPI_Comm comm, const AirfoilSums& local);

/// All ranks' cells with a value that is not finite.
struct NotFinite {
  std::int64_t count = 0;
  std::int64_t first = -1;  ///< of them, as the whole mesh numbers its cells
  int rank = -1;            ///< whose that is
};

/// Collective. `values`: four of each own cell.
template <class T>
NotFinite find_not_finite(MPI_Comm comm, const std::vector<T>& values, const LocalSet& cells);

/// What the equations give for a state: res of all edges, that of the boundary's alone, res of all
/// edges of cells without a wall, and q times adt, which res is made of.
struct AirfoilResidual {
  AirfoilTotals all, boundary, away_from_wall, flow;
};

}  // namespace bellwether
