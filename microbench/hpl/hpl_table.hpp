// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "microbench/driver/parameter_table.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Parameters of HPL; nothing where the machine has none.
void hpl_table(const Machine& machine, ParameterTable& table);
/// The same in a line; empty where the machine has none.
std::string hpl_line(const Machine& machine);

}  // namespace bellwether
