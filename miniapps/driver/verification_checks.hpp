// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "results/record.hpp"

namespace bellwether {

/// Passed where the value is at most the tolerance; NaN is not.
Verification judged(std::string what, double value, double tolerance);

/// Of several the one that fails, or comes nearest to its tolerance. Not empty.
Verification worst_of(const std::vector<Verification>& all);

}  // namespace bellwether
