// SPDX-License-Identifier: MIT
#include "models/roofline/memory_curve.hpp"

#include <algorithm>
#include <cmath>

namespace bellwether {
namespace {

CurveReading reading_of(const BandwidthPoint& point) {
  const Quantity& bandwidth = point.bandwidth_bytes_per_s;
  return {1 / bandwidth.value, 1 / bandwidth.high, 1 / bandwidth.low, false};
}

bool flat(const BandwidthPoint& end, const BandwidthPoint& before) {
  constexpr double tolerance = 0.05;
  const double ratio = end.bandwidth_bytes_per_s.value / before.bandwidth_bytes_per_s.value;
  return std::abs(ratio - 1) <= tolerance;
}

/// The end's reading, beyond the end.
CurveReading clamped(const BandwidthPoint& end, const BandwidthPoint& before, bool alone) {
  CurveReading reading = reading_of(end);
  reading.outside = alone || !flat(end, before);
  return reading;
}

}  // namespace

CurveReading between(const CurveReading& from, const CurveReading& to, double share) {
  const auto mix = [share](double a, double b) { return a + share * (b - a); };
  return {mix(from.value, to.value), mix(from.low, to.low), mix(from.high, to.high),
          from.outside || to.outside};
}

CurveReading read_curve(const MemoryCurve& curve, double working_set_bytes) {
  const auto& points = curve.points;
  const auto next = std::lower_bound(
      points.begin(), points.end(), working_set_bytes,
      [](const BandwidthPoint& point, double size) { return point.working_set_bytes < size; });
  if (next != points.end() && next->working_set_bytes == working_set_bytes)
    return reading_of(*next);
  const bool alone = points.size() == 1;
  if (next == points.begin()) return clamped(*next, alone ? *next : *(next + 1), alone);
  const auto last = next - 1;
  if (next == points.end()) return clamped(*last, alone ? *last : *(last - 1), alone);
  const double share = std::log(working_set_bytes / last->working_set_bytes) /
                       std::log(next->working_set_bytes / last->working_set_bytes);
  return between(reading_of(*last), reading_of(*next), share);
}

}  // namespace bellwether
