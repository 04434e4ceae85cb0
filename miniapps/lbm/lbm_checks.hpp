// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>

#include "kernels/lbm/lbm.hpp"
#include "models/stencil/decomposition.hpp"
#include "results/record.hpp"

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

// What a state of the lattice is held against. All in lattice units, sums divided by the fluid
// cells.

/// Values that are not finite, with step, rank and global cell; passed if there are none.
Verification finite_values(const GlobalLbmSums& now, long step);

/// The largest speed against that of sound, in Mach numbers: no flow that this lattice could carry
/// is faster.
Verification subsonic(double largest_speed);

/// How far the mean over the cells of mass or momentum can drift by rounding, in so many steps of a
/// flow whose largest speed was `speed`; `unit` of rounding. Errors of either sign make a random
/// walk: at most 0.9 unit speed sqrt(steps) in flows that decay, of 24 to 110592 cells; a flow that
/// stays as it is, at a speed of `steady`, rounds the same way in each step: 0.5 unit steady steps.
/// Sums in double precision, over a million rows and the links' weights, add less than 1e-14.
double rounding_bound(double speed, double steady, long steps, double unit);

/// Mass against that at the start.
Verification mass_balance(const GlobalLbmSums& start, const GlobalLbmSums& now, double bound);

/// The momentum that came against `gained`: the force's of all fluid cells, less what solids took.
Verification momentum_balance(const GlobalLbmSums& before, const GlobalLbmSums& after,
                              const std::array<double, 3>& gained, double bound);

}  // namespace bellwether
