// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// |x|. A body calls it unqualified, for numbers and for lanes of them.
BELLWETHER_HOST_DEVICE float absolute(float x) { return fabsf(x); }
BELLWETHER_HOST_DEVICE double absolute(double x) { return fabs(x); }

}  // namespace bellwether
