// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include "miniapps/airfoil/airfoil_blocks.hpp"

namespace bellwether {

/// Collective. Throws the same BadInput on all ranks, with file, line or dataset, index and value,
/// unless the mesh can be computed on: at least as many cells as ranks, every target of a map
/// within its set, the four nodes of a cell and the two of an edge different, an edge's two cells
/// different, and every cell's area positive, which its nodes' order gives the sign.
void check_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks);

}  // namespace bellwether
