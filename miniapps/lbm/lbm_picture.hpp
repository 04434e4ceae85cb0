// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include "kernels/launch/device.hpp"
#include "kernels/lbm/lbm.hpp"
#include "miniapps/driver/vtk_file.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// Collective: density and velocity of all cells as VTK image data, each rank its own cells, some
/// planes at a time. After exchange and bounce. Throws BadInput where the file cannot be written.
template <class T>
void write_lbm_picture(const VtkTarget& target, MPI_Comm comm, Device& device,
                       LbmKernels<T>& kernels, const LbmGrid& grid, const T* f, int parity,
                       const LbmCollision<T>& collision, const Decomposition& decomposition,
                       Stream& stream);

}  // namespace bellwether
