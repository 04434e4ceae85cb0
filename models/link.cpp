// SPDX-License-Identifier: MIT
#include "models/link.hpp"

#include <algorithm>

namespace bellwether {
namespace {

double paper_time(const LinkTiming& timing, double bytes, Bound bound, double sharing) {
  return cost_at(timing.latency_s, bound) +
         sharing * bytes / rate_at(timing.bandwidth_bytes_per_s, bound);
}

}  // namespace

double link_time_paper(const LinkTiming& timing, double bytes, Bound bound) {
  return paper_time(timing, bytes, bound, 1);
}

double link_time(const LinkTiming& timing, double bytes, Bound bound, double sharing) {
  if (timing.segments.empty()) return paper_time(timing, bytes, bound, sharing);
  auto next = std::upper_bound(
      timing.segments.begin(), timing.segments.end(), bytes,
      [](double size, const LinkSegment& segment) { return size < segment.from_bytes; });
  const LinkSegment& segment = next == timing.segments.begin() ? *next : *(next - 1);
  const double seconds = segment.latency_s + sharing * bytes / segment.bandwidth_bytes_per_s;
  if (bound == Bound::value) return seconds;
  const double paper = paper_time(timing, bytes, Bound::value, sharing);
  return paper > 0 ? seconds * paper_time(timing, bytes, bound, sharing) / paper : seconds;
}

Quantity link_time_interval(const LinkTiming& timing, double bytes) {
  return {link_time(timing, bytes),
          link_time(timing, bytes, Bound::fastest),
          link_time(timing, bytes, Bound::slowest),
          {}};
}

bool beyond_samples(const LinkTiming& timing, double bytes) {
  return !timing.samples.empty() && bytes > timing.samples.back().bytes;
}

}  // namespace bellwether
