// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace bellwether {

/// Bytes of one value: 4 for "f32", 8 for "f64". Throws BadInput on anything else.
double value_bytes(const std::string& precision);

}  // namespace bellwether
