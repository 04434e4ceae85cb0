// SPDX-License-Identifier: MIT
#pragma once

#include "models/machine/machine.hpp"

namespace bellwether {

/// For tests: a machine with every member of every type filled in, of a 4-core CPU node.
Machine full_machine();

}  // namespace bellwether
