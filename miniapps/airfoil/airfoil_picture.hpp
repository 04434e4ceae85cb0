// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/driver/vtk_file.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// Collective: the mesh and the flow as a VTK unstructured grid (.vtu) in the mesh's own order,
/// whatever the distribution: of each cell density, velocity, energy and pressure, the rank that
/// computed it and its number. `q`: (rho, rho u, rho v, E) of this rank's own cells. Throws
/// BadInput where the file cannot be written.
template <class T>
void write_airfoil_picture(const VtkTarget& target, MPI_Comm comm, const AirfoilBlocks& blocks,
                           const LocalSet& cells, const std::vector<T>& q);

}  // namespace bellwether
