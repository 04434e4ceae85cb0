// SPDX-License-Identifier: MIT
#pragma once

#include "models/machine/machine.hpp"

namespace bellwether {

/// Seconds per byte at a working set, and whether that lies where the curve was not measured.
struct CurveReading {
  double value = 0;
  double low = 0;
  double high = 0;
  bool outside = false;
};

/// Reads a curve between its points: seconds per byte linear in the logarithm of the working set.
/// Beyond either end the end's value holds; this counts as outside unless the curve is flat there
/// (its last two points within 5 %), because a cache level or memory goes on as it is.
CurveReading read_curve(const MemoryCurve& curve, double working_set_bytes);

/// The reading a share of the way from one reading to another.
CurveReading between(const CurveReading& from, const CurveReading& to, double share);

}  // namespace bellwether
