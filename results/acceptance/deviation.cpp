// SPDX-License-Identifier: MIT
#include "results/acceptance/deviation.hpp"

#include <algorithm>
#include <cmath>

namespace bellwether {

std::vector<Deviation> moderated(const std::vector<Deviation>& own) {
  constexpr double most_of_others = 4;
  double squares = 0, freedom = 0;
  for (const Deviation& one : own) {
    squares += one.freedom * one.deviation * one.deviation;
    freedom += one.freedom;
  }
  std::vector<Deviation> all;
  for (const Deviation& one : own) {
    const double squares_here = one.freedom * one.deviation * one.deviation;
    const double others = freedom - one.freedom, weight = std::min(most_of_others, others);
    const double of_others = others > 0 ? std::max(0.0, squares - squares_here) / others : 0;
    const double together = weight + one.freedom;
    all.push_back(
        {together > 0 ? std::sqrt((weight * of_others + squares_here) / together) : 0, together});
  }
  return all;
}

}  // namespace bellwether
