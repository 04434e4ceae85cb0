// SPDX-License-Identifier: MIT
#pragma once

#include "models/machine/machine.hpp"

namespace bellwether {

/// Which end of the machine's intervals a time is computed from: the values, everything as fast as
/// it may be, or everything as slow.
enum class Bound { value, fastest, slowest };

/// A latency or another quantity whose growth makes a step slower.
inline double cost_at(const Quantity& quantity, Bound bound) {
  if (bound == Bound::fastest) return quantity.low;
  return bound == Bound::slowest ? quantity.high : quantity.value;
}

/// A rate or another quantity whose growth makes a step faster.
inline double rate_at(const Quantity& quantity, Bound bound) {
  if (bound == Bound::fastest) return quantity.high;
  return bound == Bound::slowest ? quantity.low : quantity.value;
}

}  // namespace bellwether
