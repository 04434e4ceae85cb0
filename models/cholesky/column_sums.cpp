// SPDX-License-Identifier: MIT
#include "models/cholesky/column_sums.hpp"

#include <algorithm>
#include <cmath>

#include "models/network/link.hpp"

namespace bellwether {

double slowest_updated_values(double last, double ranks) {
  // With m = ranks (q - 1) + r columns left, 1 <= r <= ranks, that rank holds q of them, of m,
  // m - ranks, ... values: q m - ranks q (q - 1)/2.
  const double full = std::floor(last / ranks);
  const double rest = last - ranks * full;
  return ranks / 2 * (ranks * full * (full + 1) * (2 * full + 1) / 6 + full * (full + 1) / 2) +
         (full + 1) * (rest * ranks * full / 2 + rest * (rest + 1) / 2);
}

double slowest_updated_columns(double last, double ranks) {
  const double full = std::floor(last / ranks);
  return ranks * full * (full + 1) / 2 + (last - ranks * full) * (full + 1);
}

double message_time_sum(const LinkTiming& timing, double value_bytes, double longest, Bound bound) {
  const auto sum = [&](const auto& line, double above, double to) {
    const double values = (to - above) * (to + above + 1) / 2;
    return (to - above) * cost_at(line.latency_s, bound) +
           (values * value_bytes - (to - above) * burst_of(line, bound)) /
               rate_at(line.bandwidth_bytes_per_s, bound);
  };
  if (timing.segments.empty()) return sum(timing, 0, longest);
  double seconds = 0;
  double above = 0;  // the longest message of the segments before
  for (std::size_t index = 0; index < timing.segments.size() && above < longest; ++index) {
    double to = longest;
    if (index + 1 < timing.segments.size())
      to = std::min(to, std::ceil(timing.segments[index + 1].from_bytes / value_bytes) - 1);
    if (to <= above) continue;
    seconds += sum(timing.segments[index], above, to);
    above = to;
  }
  return seconds;
}

}  // namespace bellwether
