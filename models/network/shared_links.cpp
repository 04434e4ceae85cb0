// SPDX-License-Identifier: MIT
#include "models/network/shared_links.hpp"

#include <algorithm>

namespace bellwether {

SharedLinks::SharedLinks(const ExchangeRoutes& routes, int others)
    : routes_(routes),
      routed_(routes.links()),
      busy_(static_cast<std::size_t>(routed_ + others)),
      weights_(busy_.size()) {}

void SharedLinks::flow(std::vector<Flow>& flows, double now) {
  for (const Flow& one : flows)
    for (const int link : one.links)
      std::erase_if(on(link), [now](const Sent& other) { return other.end_s <= now; });
  now = never;
  for (const Flow& one : flows) now = std::min(now, one.start_s);
  for (std::size_t left = flows.size(); left > 0;) {
    const double next = set_rates(flows, now);
    for (Flow& one : flows) {
      if (one.end_s >= 0 || one.start_s > now) continue;
      const bool is_there = one.rate > 0 && now + one.left_s / one.rate <= next;
      one.left_s = std::max(0., one.left_s - (next - now) * one.rate);
      if (!is_there) continue;
      one.end_s = next;
      --left;
    }
    now = next;
  }
  for (const Flow& one : flows) {
    const double rate = one.end_s > one.start_s ? one.bytes_s / (one.end_s - one.start_s) : 0;
    for (const int link : one.links) on(link).push_back({one.start_s, one.end_s, rate});
  }
}

double SharedLinks::set_rates(std::vector<Flow>& flows, double now) {
  const auto under_way = [now](const Flow& one) { return one.end_s < 0 && one.start_s <= now; };
  double next = never;
  for (const Flow& one : flows) {
    if (one.start_s > now) next = std::min(next, one.start_s);
    if (!under_way(one)) continue;
    for (const int link : one.links) weights_[static_cast<std::size_t>(link)] += one.weight;
  }
  for (Flow& one : flows) {
    if (!under_way(one)) continue;
    one.rate = 1;
    for (const int link : one.links) {
      double free = link < routed_ ? routes_.link_width(link) : 1;
      for (const Sent& other : on(link)) {
        for (const double change : {other.start_s, other.end_s})
          if (change > now) next = std::min(next, change);
        if (other.start_s <= now && now < other.end_s) free -= other.rate;
      }
      one.rate = std::min(
          one.rate, std::max(0., free) * one.weight / weights_[static_cast<std::size_t>(link)]);
    }
    if (one.rate > 0) next = std::min(next, now + one.left_s / one.rate);
  }
  for (const Flow& one : flows)
    for (const int link : one.links) weights_[static_cast<std::size_t>(link)] = 0;
  return next;
}

}  // namespace bellwether
