// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <functional>
#include <string>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

namespace bellwether {

/// Called by all ranks, before it is taken, with the bytes of memory that reading takes on all of
/// them; throws on all where they are not there.
using MemoryCheck = std::function<void(double bytes)>;

/// Collective. This rank's blocks of a mesh file, HDF5 (.h5, .hdf5) or ASCII, checked; each rank
/// reads its share. Throws the same BadInput on all ranks, and what `check_memory` throws.
AirfoilBlocks read_airfoil(MPI_Comm comm, const std::string& path, const MemoryCheck& check_memory);

/// Collective. Writes the mesh in the format that the name's end says; the file appears when it is
/// complete. Throws as read_airfoil does.
void write_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path);

/// The formats by themselves, unchecked.
AirfoilBlocks read_airfoil_text(MPI_Comm comm, const std::string& path,
                                const MemoryCheck& check_memory);
void write_airfoil_text(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path);
AirfoilBlocks read_airfoil_hdf5(MPI_Comm comm, const std::string& path,
                                const MemoryCheck& check_memory);
void write_airfoil_hdf5(MPI_Comm comm, const AirfoilBlocks& blocks, const std::string& path);

/// Whether this build has parallel HDF5.
bool has_hdf5();

}  // namespace bellwether
