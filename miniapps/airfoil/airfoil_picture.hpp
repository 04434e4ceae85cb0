// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/driver/vtk_file.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// Collective. The mesh and the flow (rho, rho u, rho v, E) as a VTK unstructured grid in the
/// mesh's own order. Throws BadInput where the file cannot be written.
template <class T>
void write_airfoil_picture(const VtkTarget& target, MPI_Comm comm, const AirfoilBlocks& blocks,
                           const LocalSet& cells, const std::vector<T>& q);

}  // namespace bellwether
