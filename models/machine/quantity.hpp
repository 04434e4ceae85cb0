// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace bellwether {

/// A number of a machine with the interval it is known to lie in (95 % where measured; low = value
/// = high where published without one) and where it came from.
struct Quantity {
  double value = 0;
  double low = 0;
  double high = 0;
  /// The measurement, or the paper's table or sentence; "assumed: " and the reason for what neither
  /// gives. Empty: the source of the enclosing object holds.
  std::string source;

  static Quantity exact(double number, std::string where = {}) {
    return {number, number, number, std::move(where)};
  }
  [[nodiscard]] bool assumed() const { return source.starts_with("assumed: "); }
};

/// The product of independent numbers > 0: the logarithms of their half-widths add as squares.
inline Quantity independent_product(const Quantity& one, const Quantity& other) {
  const auto beside = [](double half_width, double another) {
    return std::exp(std::hypot(std::log(half_width), std::log(another)));
  };
  const double value = one.value * other.value;
  return {value,
          value / beside(one.value / one.low, other.value / other.low),
          value * beside(one.high / one.value, other.high / other.value),
          {}};
}
inline Quantity inverse(const Quantity& number) {
  return {1 / number.value, 1 / number.high, 1 / number.low, number.source};
}

/// `value` with the relative interval of a time's, turned round.
inline Quantity rate_like(double value, const Quantity& seconds) {
  return {value, value * (seconds.value / seconds.high), value * (seconds.value / seconds.low), {}};
}

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

/// At a place among points that ascend by `key`, which is positive; at least one: linear in its
/// logarithm between two, beyond the first or the last as there.
template <class Point, class Value>
double log_between(const std::vector<Point>& points, double place, double Point::*key,
                   Value value) {
  const auto above = std::find_if(points.begin(), points.end(),
                                  [&](const Point& point) { return point.*key >= place; });
  if (above == points.begin()) return value(points.front());
  if (above == points.end()) return value(points.back());
  const Point& below = *(above - 1);
  const double way = std::log(place / (below.*key)) / std::log((*above).*key / (below.*key));
  return (1 - way) * value(below) + way * value(*above);
}

}  // namespace bellwether
