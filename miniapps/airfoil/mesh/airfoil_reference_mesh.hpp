// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

namespace bellwether {

/// Collective. One number for what a checked mesh is: its coordinates' bits, which nodes a cell
/// has, which nodes and cells an edge joins in which direction, the boundary and its flags;
/// whatever the numbers of elements, the blocks of ranks, and whether an edge is written from its
/// other side.
std::uint64_t mesh_fingerprint(MPI_Comm comm, const AirfoilBlocks& blocks);

/// Collective. Whether a checked mesh is the generator's 400 x 600, of whose flow OP2's rms is
/// known. Others are told apart by their counts alone where these differ.
bool is_reference_mesh(MPI_Comm comm, const AirfoilBlocks& blocks);

}  // namespace bellwether
