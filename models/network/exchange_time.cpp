// SPDX-License-Identifier: MIT
#include "models/network/exchange_time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/network/link.hpp"

namespace bellwether {

double hideable_share(const Path& path, const DeviceParameters& device, double bytes, Bound bound) {
  const std::vector<HideablePoint>& points = path.link->hideable_by_size;
  if (!points.empty()) {
    const auto above =
        std::find_if(points.begin(), points.end(),
                     [bytes](const HideablePoint& point) { return point.bytes >= bytes; });
    if (above == points.begin()) return rate_at(points.front().fraction, bound);
    if (above == points.end()) return rate_at(points.back().fraction, bound);
    const HideablePoint& below = *(above - 1);
    const double way = std::log(bytes / below.bytes) / std::log(above->bytes / below.bytes);
    return (1 - way) * rate_at(below.fraction, bound) + way * rate_at(above->fraction, bound);
  }
  if (path.link->hideable_fraction) return rate_at(*path.link->hideable_fraction, bound);
  return device.kind == "gpu" || path.name == "network" ? 1 : 0;
}

double exchange_time(const Path& path, int ranks_on_node, double bytes, Bound bound,
                     std::vector<std::string>& notes) {
  const ExchangeTimer timer(path, ranks_on_node);
  timer.note(bytes, notes);
  return timer.seconds(bytes, bound);
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
  if (pairs_ > most_pairs_)
    notes.push_back(
        fmt::format("{}: {} pairs at once asked, calibrated up to {}; taken to share "
                    "the bandwidth",
                    path_.name, pairs_, most_pairs_));
  if (beyond_samples(*timing_, bytes))
    notes.push_back(fmt::format("{}: message of {:.0f} bytes, calibrated up to {:.0f}", path_.name,
                                bytes, timing_->samples.back().bytes));
}

}  // namespace bellwether
