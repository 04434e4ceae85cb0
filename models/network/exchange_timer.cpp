// SPDX-License-Identifier: MIT
#include "models/network/exchange_timer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/network/link.hpp"

namespace bellwether {

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
  note_beyond_samples(path_.name, *timing_, bytes, notes);
}

}  // namespace bellwether
