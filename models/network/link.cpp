// SPDX-License-Identifier: MIT
#include "models/network/link.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bellwether {
namespace {

/// `line`: what bears a latency, a bandwidth and a burst.
template <class Line>
double time_on(const Line& line, double bytes, Bound bound, double sharing) {
  return cost_at(line.latency_s, bound) + std::max(0.0, sharing * bytes - burst_of(line, bound)) /
                                              rate_at(line.bandwidth_bytes_per_s, bound);
}

}  // namespace

double link_time_paper(const LinkTiming& timing, double bytes, Bound bound) {
  return time_on(timing, bytes, bound, 1);
}

double link_time(const LinkTiming& timing, double bytes, Bound bound, double sharing) {
  if (timing.segments.empty()) return time_on(timing, bytes, bound, sharing);
  auto next = std::upper_bound(
      timing.segments.begin(), timing.segments.end(), bytes,
      [](double size, const LinkSegment& segment) { return size < segment.from_bytes; });
  const LinkSegment& segment = next == timing.segments.begin() ? *next : *(next - 1);
  return time_on(segment, bytes, bound, sharing);
}

bool beyond_samples(const LinkTiming& timing, double bytes) {
  return !timing.samples.empty() && bytes > timing.samples.back().bytes;
}

void note_beyond_samples(const std::string& name, const LinkTiming& timing, double bytes,
                         std::vector<std::string>& notes) {
  if (beyond_samples(timing, bytes))
    notes.push_back(fmt::format("{}: message of {:.0f} bytes, calibrated up to {:.0f}", name, bytes,
                                timing.samples.back().bytes));
}

}  // namespace bellwether
