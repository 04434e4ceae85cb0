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

ExchangeTimer::ExchangeTimer(const Path& path, int ranks_on_node)
    : path_(path),
      timing_(&path.link->one_way),
      pairs_(path.name == "network" ? ranks_on_node : std::max(1, ranks_on_node / 2)) {
  const Link& link = *path.link;
  if (link.exchange)
    timing_ = &*link.exchange;
  else
    times_ = 2;
  int calibrated = 1;
  for (const ConcurrentTiming& concurrent : link.concurrent) {
    if (concurrent.pairs > pairs_) break;
    timing_ = &concurrent.timing;
    times_ = 1;
    calibrated = concurrent.pairs;
  }
  most_pairs_ = link.concurrent.empty() ? 1 : std::max(1, link.concurrent.back().pairs);
  if (pairs_ > most_pairs_) sharing_ = static_cast<double>(pairs_) / calibrated;
  lone_ = calibrated == 1 && sharing_ == 1;
}

double ExchangeTimer::seconds(double bytes, Bound bound, int neighbours) const {
  const double alone = times_ * link_time(*timing_, bytes, bound, sharing_);
  const Link& link = *path_.link;
  if (neighbours < 2 || !link.ring || !link.exchange) return alone;
  if (lone_) return link_time(*link.ring, bytes, bound) / 2;
  const double lone = link_time(*link.exchange, bytes);
  return lone > 0 ? alone * link_time(*link.ring, bytes) / (2 * lone) : alone;
}

void ExchangeTimer::note(double bytes, std::vector<std::string>& notes) const {
  Paths::note_path(path_, notes);
  if (pairs_ > most_pairs_)
    notes.push_back(
        fmt::format("{}: {} pairs at once asked, calibrated up to {}; taken to share "
                    "the bandwidth",
                    path_.name, pairs_, most_pairs_));
  note_beyond_samples(path_.name, *timing_, bytes, notes);
}

}  // namespace bellwether
