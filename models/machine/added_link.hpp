// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/machine/machine.hpp"

namespace bellwether {

/// The machine with a link that is not there yet, "network=1.5us,12GB/s": latency and bandwidth as
/// on a data sheet, with their class's intervals. Throws BadInput for another text, or for a link
/// that the machine has.
Machine add_link(const Machine& machine, const std::string& text);

}  // namespace bellwether
