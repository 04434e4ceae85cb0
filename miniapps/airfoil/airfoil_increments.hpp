// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/launch/device.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

namespace bellwether {

/// What keeps two edges from adding to one cell at once: one thread runs them in their order; those
/// of a colour have no cell in common; each adds with atomics; or no edge adds, and each cell
/// gathers what leaves it.
enum class Increments { plain, colours, atomics, gather };

/// By the names of --increments, the record and AirfoilParameters.
const char* name_of(Increments increments);

/// What a device does unless it is asked for something else: a GPU and registers of 64 bytes
/// gather. In loops that are not fused a GPU uses atomics. Else several threads of a CPU run
/// colours, one the edges in their order.
Increments default_increments(const Device& device, bool fused);

/// `asked`: a name, or empty. Throws BadInput that names the option for what the loops or the
/// device cannot do.
Increments increments_for(const std::string& asked, const Device& device, bool fused);

/// Fused loops go through tiles where one thread runs the edges in their order.
AirfoilSequence sequence_of(bool fused, Increments increments);

}  // namespace bellwether
