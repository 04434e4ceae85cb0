// SPDX-License-Identifier: MIT
#include "models/exchange_time.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "models/link.hpp"

namespace bellwether {

double exchange_time(const Path& path, int ranks_on_node, double bytes, Bound bound,
                     std::vector<std::string>& notes) {
  const Link& link = *path.link;
  const int pairs = path.name == "network" ? ranks_on_node : std::max(1, ranks_on_node / 2);
  const LinkTiming* timing = link.exchange ? &*link.exchange : &link.one_way;
  double times = link.exchange ? 1 : 2;
  int calibrated = 1;
  for (const ConcurrentTiming& concurrent : link.concurrent) {
    if (concurrent.pairs > pairs) break;
    timing = &concurrent.timing;
    times = 1;
    calibrated = concurrent.pairs;
  }
  const int most = link.concurrent.empty() ? 1 : std::max(1, link.concurrent.back().pairs);
  double sharing = 1;
  if (pairs > most) {
    sharing = static_cast<double>(pairs) / calibrated;
    notes.push_back(
        fmt::format("{}: {} pairs at once asked, calibrated up to {}; taken to share "
                    "the bandwidth",
                    path.name, pairs, most));
  }
  if (beyond_samples(*timing, bytes))
    notes.push_back(fmt::format("{}: message of {:.0f} bytes, calibrated up to {:.0f}", path.name,
                                bytes, timing->samples.back().bytes));
  return times * link_time(*timing, bytes, bound, sharing);
}

}  // namespace bellwether
