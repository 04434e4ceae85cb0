// SPDX-License-Identifier: MIT
#include "run/command/fit/hold_out.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "models/errors.hpp"
#include "models/scaling/rank_list.hpp"
#include "models/text_lines.hpp"

namespace bellwether {

std::vector<std::size_t> order_of(const std::vector<TimedPoint>& points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const ScalingSample &one = points[a].whole, &other = points[b].whole;
    return std::pair(one.size, one.ranks) < std::pair(other.size, other.ranks);
  });
  return order;
}

HoldOut HoldOut::parse(const std::string& text) {
  HoldOut hold_out;
  try {
    if (text.find('.') == text.npos) {
      const std::vector<int> counts = parse_rank_sweep(text).counts;
      hold_out.ranks = {counts.begin(), counts.end()};
      return hold_out;
    }
    hold_out.fraction = parse_number<double>(text).value_or(0);
    if (hold_out.fraction > 0 && hold_out.fraction < 1) return hold_out;
  } catch (const BadInput&) {
    // Said below.
  }
  throw BadInput(fmt::format(
      "--hold-out: found '{}', expected rank counts as 8,16 or a fraction between 0 and 1", text));
}

std::vector<bool> HoldOut::of(const std::vector<TimedPoint>& points) const {
  std::vector<bool> held(points.size());
  std::set<int> measured;
  for (std::size_t k = 0; k < points.size(); ++k) {
    measured.insert(points[k].whole.ranks);
    held[k] = ranks.count(points[k].whole.ranks) > 0;
  }
  for (const int asked : ranks)
    if (measured.count(asked) == 0)
      throw BadInput(fmt::format("--hold-out: found {} ranks, expected some of those measured: {}",
                                 asked, fmt::join(measured, ", ")));
  if (fraction == 0) return held;
  const std::vector<std::size_t> order = order_of(points);
  for (std::size_t k = 0; k < order.size(); ++k)
    held[order[k]] = std::floor((static_cast<double>(k) + 1) * fraction) >
                     std::floor(static_cast<double>(k) * fraction);
  return held;
}

}  // namespace bellwether
