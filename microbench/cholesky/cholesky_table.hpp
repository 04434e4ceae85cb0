// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "microbench/driver/parameter_table.hpp"
#include "models/machine/machine.hpp"

namespace bellwether {

/// Efficiency and start-up of column Cholesky; nothing where the machine has none.
void cholesky_table(const Machine& machine, ParameterTable& table);
/// The same in a line; empty where the machine has none.
std::string cholesky_line(const Machine& machine);

}  // namespace bellwether
