// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/airfoil/airfoil.hpp"
#include "miniapps/mesh/local_mesh.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Collective. Over all ranks' cells, the same on every rank.
AirfoilSums total_over_ranks(MPI_Comm comm, AirfoilSums sums);

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
  AirfoilSums all, boundary, away_from_wall, flow;
};

// What a flow round the airfoil is held against.

/// Values that are not finite, with iteration, rank and global cell; passed if there are none.
Verification finite_flow(const NotFinite& now, long iteration);

/// How much at the most the fluxes through all sides of all cells add up to, each of the four
/// values by itself and without its sign, by the sums of q adt. A cell's adt is the sum over its
/// sides of (|w| + c |side|) / CFL with w = u dy - v dx, so its own part of the fluxes is at most
/// CFL adt times rho for the mass; |rho u| + p / c for momentum, where p / c = rho c / gamma is at
/// most sqrt((gamma - 1) / gamma rho E); and gamma E for the energy, since p <= (gamma - 1) E. What
/// smooths adds less than half of that where neighbours do not differ by a factor of two: twice it.
std::array<double, 4> largest_fluxes(const AirfoilSums& flow);

/// What one cell gains another loses: over all cells res sums up to the fluxes through the
/// boundary. Both sums are rounded, with `unit`: a flux is added to a cell's res, whose partial
/// sums are not larger than the fluxes of its sides, once for each of at most 8 sides; sums of
/// doubles over the cells, 1024 at a time, add their own. Divided by largest_fluxes.
Verification conservation(const AirfoilResidual& residual, std::int64_t cells, double unit);

/// The free stream's residual away from the wall: the sides of a cell form a ring, so what a
/// uniform flow carries through them is 0 but for rounding, of a side's flux in a dozen operations
/// and of adding four. Divided by largest_fluxes.
Verification free_stream_preserved(const AirfoilResidual& residual, double unit);

/// rms of 1000 iterations on the 720000-cell mesh in double precision against that of OP2's
/// Airfoil, 1.060114637578e-4, to 1e-5 per cent.
Verification rms_of_reference(double rms);

/// rms of any mesh. The first iteration, which sets walls into the free stream, changes the flow
/// most: none exceeds it, though the change swings for a while as waves run from the walls. From
/// the 200th on at most half of it is left (on generated meshes of up to 720000 cells a sixth). Let
/// pass is what rounding makes of values up to 4, all that changes where nothing else does.
Verification rms_fallen(double rms, double of_first, long iterations, double unit);

/// rms against the least that was found so far, 16 iterations and more apart: it falls, and where
/// waves meet rises to at most 1.4 of that (on generated meshes of 20 x 15 to 400 x 600).
Verification rms_without_jump(double rms, double least, double unit);

}  // namespace bellwether
