// SPDX-License-Identifier: MIT
#pragma once

#include "models/stencil/stencil.hpp"

namespace bellwether {

/// D3Q19 lattice Boltzmann as the models see it. Counted as the paper counts (Shimokawabe, Section
/// 6.2): 476 flops a cell, F/B of 1.83 in f32, 13 values sent for each boundary point from buffers
/// off the page. Compulsory are the 19 populations read and the 19 written, in the same places of
/// one lattice; across a face go the 5 that move through it (1 straight, 4 diagonal), less those
/// that cross an edge too: these, 1 a cell and way, have a message of their own. Whoever has a
/// kernel whose flops are other than the paper's replaces `flops`.
StencilKernel lattice_boltzmann();

}  // namespace bellwether
