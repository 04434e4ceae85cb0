// SPDX-License-Identifier: MIT
#pragma once

#include <string>

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

}  // namespace bellwether
