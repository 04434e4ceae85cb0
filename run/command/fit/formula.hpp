// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/fit/scaling_fit.hpp"

namespace bellwether {

/// "f", "f^(2/3)", "n^2.5"
std::string power(const char* base, double exponent);
/// "t0 + s f + p f / N + o log2 N"
std::string formula(const ScalingForm& form);

}  // namespace bellwether
