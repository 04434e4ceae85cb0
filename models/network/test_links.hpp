// SPDX-License-Identifier: MIT
#pragma once

#include "models/machine/machine.hpp"

namespace bellwether {

/// An exact latency and bandwidth, no segments.
inline LinkTiming line(double latency_s, double bandwidth_bytes_per_s) {
  return {.latency_s = Quantity::exact(latency_s),
          .bandwidth_bytes_per_s = Quantity::exact(bandwidth_bytes_per_s),
          .segments = {}};
}

}  // namespace bellwether
