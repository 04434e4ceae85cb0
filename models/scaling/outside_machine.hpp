// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// What the machine has not of `ranks` ranks that need `bytes_per_rank` of device memory each (0:
/// not known), one line for each: more ranks than a published machine has devices, and more memory
/// than a rank has, where the machine says how much. A calibrated machine, whose device names the
/// backend that measured it, is taken to grow by nodes like those it was calibrated on.
std::vector<std::string> outside_machine(const Machine& machine, int ranks, double bytes_per_rank);

}  // namespace bellwether
