// SPDX-License-Identifier: MIT
#include "models/network/halo_cost.hpp"

#include <cmath>

namespace bellwether {
namespace {

double all_bytes(const HaloExchange& halo) {
  double bytes = 0;
  for (const HaloMessages& some : halo.messages) bytes += some.count * some.bytes;
  return bytes;
}

}  // namespace

HaloCost::HaloCost(const Paths& paths, int ranks_on_node, int ranks_on_card)
    : paths_(paths),
      near_apart_(paths.has(Across::same_node) &&
                  paths.to(Across::same_node).name == "shared_memory") {
  if (near_apart_)
    timers_[static_cast<int>(Across::same_node)].emplace(paths.to(Across::same_node),
                                                         ranks_on_node);
  if (paths.has(Across::other_node))
    timers_[static_cast<int>(Across::other_node)].emplace(paths.to(Across::other_node),
                                                          ranks_on_card);
}

const ExchangeTimer& HaloCost::timer(Across across) const {
  const std::optional<ExchangeTimer>& timer = timers_[static_cast<int>(path_of(across))];
  if (!timer) (void)paths_.to(across);  // says what is missing
  return *timer;
}

void HaloCost::add_messages(const HaloExchange& halo, Across path, Bound bound,
                            HaloTimes& times) const {
  double count = 0, network = 0, hideable = 0;
  bool between_nodes = false;
  for (const HaloMessages& some : halo.messages)
    if (path_of(some.across) == path) {
      count += some.count;
      between_nodes |= some.across == Across::other_node && some.count > 0;
    }
  if (count <= 0) return;
  for (const HaloMessages& some : halo.messages) {
    if (path_of(some.across) != path || some.count <= 0) continue;
    const ExchangeTimer& exchange = timer(some.across);
    const double seconds =
        some.count * exchange.seconds(some.bytes, bound, static_cast<int>(std::lround(count)));
    network += seconds;
    hideable += paths_.hideable_share(exchange.path(), some.bytes, bound) * seconds;
  }
  const double added = between_nodes ? std::max(-network, halo.contention_s) : 0;
  times.network += network + added;
  times.hideable += hideable > 0 ? std::max(0., hideable + added) : hideable + std::max(0., added);
}

void HaloCost::add_copies(const HaloExchange& halo, Bound bound, HaloTimes& times) const {
  const double bytes = all_bytes(halo);
  const auto copied = [&](const LinkTiming* timing) {
    const double seconds = timing != nullptr ? link_time(*timing, bytes, bound) : 0;
    return paths_.of_gpu() ? seconds : std::min(seconds, halo.pack_s);
  };
  times.to_host = copied(paths_.to_host());
  times.to_device = copied(paths_.to_device());
  times.copies_beside = paths_.of_gpu() && halo.overlap;
  if (!times.copies_beside) return;
  times.network += times.to_host + times.to_device;
  times.hideable += times.to_host + times.to_device;
}

HaloTimes HaloCost::times(const HaloExchange& halo, Bound bound) const {
  HaloTimes times;
  double cold = 0;
  for (const Across path : {Across::same_node, Across::other_node}) {
    add_messages(halo, path, bound, times);
    double bytes = 0;
    for (const HaloMessages& some : halo.messages)
      if (path_of(some.across) == path) bytes += some.count * some.bytes;
    if (bytes <= 0) continue;
    const ExchangeTimer& exchange = timer(path);
    cold = std::max(cold, exchange.after_sweep(halo.swept_bytes, bytes, bound));
    if (halo.announced)
      times.wait = std::max(times.wait, exchange.after_sweep(halo.swept_bytes, 0, bound));
  }
  times.network += std::max(0., cold - times.wait);
  if (halo.staged && !halo.messages.empty()) add_copies(halo, bound, times);
  return times;
}

void HaloCost::note(const HaloExchange& halo, std::vector<std::string>& notes) const {
  for (const HaloMessages& some : halo.messages)
    if (some.count > 0) timer(some.across).note(some.bytes, notes);
  const double bytes = all_bytes(halo);
  if (!halo.staged || bytes <= 0) return;
  paths_.note_copies(notes);
  for (const auto& [timing, name] : {std::pair{paths_.to_host(), paths_.to_host_name()},
                                     std::pair{paths_.to_device(), paths_.to_device_name()}})
    if (timing != nullptr) note_beyond_samples(name, *timing, bytes, notes);
}

}  // namespace bellwether
