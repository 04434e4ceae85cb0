// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/machine/machine.hpp"

namespace bellwether {

/// A machine in some 25 lines: its limits, each link in one, what it was calibrated for, and all
/// warnings. Ends with a newline.
std::string machine_summary(const Machine& machine);

/// The summary, and every number of the machine's document with its key, unit, 95 % interval,
/// what it is of and where it is from. Ends with a newline.
std::string machine_table(const Machine& machine);

}  // namespace bellwether
