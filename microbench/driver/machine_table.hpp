// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/machine/machine.hpp"

namespace bellwether {

/// A machine for people: each parameter with its unit, its 95 % interval where it has one, and what
/// it means; warnings last, where they are seen. Ends with a newline.
std::string machine_table(const Machine& machine);

}  // namespace bellwether
