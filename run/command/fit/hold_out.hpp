// SPDX-License-Identifier: MIT
#pragma once

#include <set>
#include <string>
#include <vector>

#include "run/command/fit/timed_series.hpp"

namespace bellwether {

/// Places of the points, ascending by size, then by ranks.
std::vector<std::size_t> order_of(const std::vector<TimedPoint>& points);

/// Points that the fit does not see: all of some rank counts, or so large a share of all, evenly
/// spread over them by size and ranks.
struct HoldOut {
  std::set<int> ranks;
  double fraction = 0;

  /// Reads "16", "8,16" or "0.25". Throws BadInput.
  static HoldOut parse(const std::string& text);
  /// For each point whether it is held out. Throws BadInput where a rank count was not measured.
  [[nodiscard]] std::vector<bool> of(const std::vector<TimedPoint>& points) const;
};

}  // namespace bellwether
