// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "microbench/driver/parameter_table.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// What Airfoil's loops cost; nothing where the machine has none.
void airfoil_table(const Machine& machine, ParameterTable& table);
/// The same in a line; empty where the machine has none.
std::string airfoil_line(const Machine& machine);

}  // namespace bellwether
