// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// Correctly rounded on every backend (IEEE 754). A body calls it unqualified, for numbers and for
/// lanes of them.
BELLWETHER_HOST_DEVICE float square_root(float x) { return sqrtf(x); }
BELLWETHER_HOST_DEVICE double square_root(double x) { return sqrt(x); }

}  // namespace bellwether
