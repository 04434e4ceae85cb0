// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

namespace bellwether {

/// Collective. Throws the same BadInput on all ranks, naming place and value, unless the mesh can
/// be computed on: targets within their sets and different, areas positive, all finite.
void check_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks);

/// Collective. What is finite then must also be in the range of f32.
void check_airfoil_in_f32(MPI_Comm comm, const AirfoilBlocks& blocks);

/// Collective. The flags of this rank's boundary edges as OP2 holds them. Throws BadInput as
/// check_airfoil does for one that is not of 32 bits.
std::vector<std::int32_t> checked_flags(MPI_Comm comm, const AirfoilBlocks& blocks,
                                        const std::vector<std::int64_t>& flags);

/// Collective. One number for what a checked mesh is, whatever its elements' numbers, the ranks'
/// blocks and from which side an edge is written.
std::uint64_t mesh_fingerprint(MPI_Comm comm, const AirfoilBlocks& blocks);

/// Collective. Whether a checked mesh is the generator's 400 x 600, of whose flow OP2's rms is
/// known. Others are told apart by their counts alone where these differ.
bool is_reference_mesh(MPI_Comm comm, const AirfoilBlocks& blocks);

}  // namespace bellwether
