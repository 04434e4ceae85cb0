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
  return timing.largest_bytes > 0 && bytes > timing.largest_bytes;
}

void note_beyond_samples(const std::string& name, const LinkTiming& timing, double bytes,
                         std::vector<std::string>& notes) {
  if (beyond_samples(timing, bytes))
    notes.push_back(fmt::format("{}: message of {:.0f} bytes, calibrated up to {:.0f}", name, bytes,
                                timing.largest_bytes));
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

double eager_limit_bytes(const Link& link) {
  return link.eager_limit_bytes ? link.eager_limit_bytes->value : 8192;
}

double ExchangeTimer::of_lone_pair(double bytes, Bound bound) const {
  const Link& link = *path_.link;
  return link.exchange ? link_time(*link.exchange, bytes, bound)
                       : 2 * link_time(link.one_way, bytes, bound);
}

std::optional<double> ExchangeTimer::gap(double bytes, Bound bound) const {
  const Link& link = *path_.link;
  if (link.gap) {
    if (!beyond_samples(*link.gap, bytes)) return link_time(*link.gap, bytes, bound);
    const double most = link.gap->largest_bytes;
    return link_time(*link.gap, most, bound) * of_lone_pair(bytes, Bound::value) /
           of_lone_pair(most, Bound::value);
  }
  if (!link.one_way.overhead_s) return std::nullopt;
  const double transfer = of_lone_pair(bytes, bound) - of_lone_pair(0, bound);
  return 2 * cost_at(*link.one_way.overhead_s, bound) + std::max(0.0, transfer);
}

double ExchangeTimer::seconds(double bytes, Bound bound, int neighbours) const {
  const double alone = times_ * link_time(*timing_, bytes, bound, sharing_);
  if (neighbours < 2) return alone;
  const Bound at = lone_ ? bound : Bound::value;
  const std::optional<double> further = gap(bytes, at);
  const double lone = of_lone_pair(bytes, at);
  if (!further || lone <= 0) return alone;
  return alone * (lone + (neighbours - 1) * *further) / (neighbours * lone);
}

double ExchangeTimer::after_sweep(double swept_bytes, double all_bytes, Bound bound) const {
  const std::vector<SweptExchange>& sweeps = path_.link->after_sweep;
  if (sweeps.empty() || !(swept_bytes > 0)) return 0;
  const auto added = [&](const SweptExchange& sweep) {
    return log_between(sweep.added, all_bytes, &AddedPoint::bytes,
                       [&](const AddedPoint& point) { return cost_at(point.added_s, bound); });
  };
  return std::min(1., swept_bytes / sweeps.front().swept_bytes) *
         log_between(sweeps, swept_bytes, &SweptExchange::swept_bytes, added);
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
