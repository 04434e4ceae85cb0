// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include "miniapps/airfoil/mesh/airfoil_local.hpp"

namespace bellwether {

/// Collective. Makes a part of the mesh of `blocks` one whose cells can gather their fluxes: own
/// cells with another rank's beside them are numbered last (core and eeh of the cells then tell
/// these apart), and neighbours_map and `surroundings` are known, a cell's sides in the order of
/// its edges in the whole mesh, boundary edges after the others. So what a cell sums up does not
/// depend on the ranks. Throws the same BadInput on all ranks where an edge is none of the sides of
/// its cell, from corner to corner as the cell has them, or a fifth.
void add_surroundings(MPI_Comm comm, const AirfoilBlocks& blocks, AirfoilLocal& local);

}  // namespace bellwether
