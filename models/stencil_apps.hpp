// SPDX-License-Identifier: MIT
#pragma once

#include "models/stencil.hpp"

namespace bellwether {

/// D3Q19 lattice Boltzmann as the models see it. Counted as the paper counts (Shimokawabe, Section
/// 6.2): 476 flops a cell, F/B of 1.83 in f32, 13 values sent for each boundary point from buffers
/// off the page. Compulsory are the 19 populations read and the 19 written; across a face go the 5
/// that move through it (1 straight, 4 diagonal). What moves across the edge of two faces is among
/// both faces' 5 and passed on by the neighbour between: no message of its own.
StencilKernel lattice_boltzmann();

}  // namespace bellwether
