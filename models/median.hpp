// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

namespace bellwether {

/// Median of the values; of an even count the mean of the middle two. Reorders them. Throws
/// std::invalid_argument where there are none.
inline double median_in(std::span<double> values) {
  if (values.empty()) throw std::invalid_argument("a median needs at least one value");
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const double below = *std::max_element(values.begin(), middle);
  return (below + *middle) / 2;
}

inline double median_of(std::vector<double> values) { return median_in(values); }

}  // namespace bellwether
