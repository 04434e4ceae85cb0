// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_links.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "models/errors.hpp"

namespace bellwether {

const Link& airfoil_network(const Machine& machine, std::vector<std::string>& notes) {
  if (const auto network = machine.links.find("network"); network != machine.links.end())
    return network->second;
  const auto shared_memory = machine.links.find("shared_memory");
  if (shared_memory == machine.links.end())
    throw BadInput(fmt::format(
        "machine {}: links.network: missing, expected for more than one rank", machine.name));
  notes.push_back("network: not calibrated: shared_memory stands for it");
  return shared_memory->second;
}

int airfoil_ranks_per_nic(const Machine& machine, const AirfoilConditions& conditions) {
  const int on_node = std::min(conditions.ranks_per_node, conditions.ranks);
  const auto* known = section<AirfoilParameters>(machine);
  return known && known->ranks_per_nic ? std::min(*known->ranks_per_nic, on_node) : on_node;
}

int tree_levels(int ranks) { return std::bit_width(static_cast<unsigned>(ranks) - 1); }

double airfoil_reduction(const Machine& machine, const AirfoilConditions& conditions, Bound bound,
                         std::vector<std::string>& notes) {
  const int ranks = conditions.ranks;
  if (ranks == 1) return 0;
  const std::vector<CollectiveTime>& times = machine.allreduce;
  const auto next =
      std::lower_bound(times.begin(), times.end(), ranks,
                       [](const CollectiveTime& time, int size) { return time.ranks < size; });
  if (next != times.end()) {
    if (next == times.begin() || next->ranks == ranks) return cost_at(next->time_s, bound);
    const CollectiveTime& below = *(next - 1);
    const double share = std::log2(static_cast<double>(ranks) / below.ranks) /
                         std::log2(static_cast<double>(next->ranks) / below.ranks);
    return (1 - share) * cost_at(below.time_s, bound) + share * cost_at(next->time_s, bound);
  }
  if (!times.empty() && times.back().ranks > 1) {
    notes.push_back(fmt::format("allreduce: calibrated up to {} ranks; grown with their logarithm",
                                times.back().ranks));
    return cost_at(times.back().time_s, bound) * std::log2(ranks) / std::log2(times.back().ranks);
  }
  const int on_node = std::min(conditions.ranks_per_node, ranks);
  const auto shared_memory = machine.links.find("shared_memory");
  if (shared_memory == machine.links.end())
    return tree_levels(ranks) * link_time(airfoil_network(machine, notes).one_way, 8, bound);
  double seconds = tree_levels(on_node) * link_time(shared_memory->second.one_way, 8, bound);
  const int nodes = (ranks + on_node - 1) / on_node;
  if (nodes > 1)
    seconds += tree_levels(nodes) * link_time(airfoil_network(machine, notes).one_way, 8, bound);
  return seconds;
}

}  // namespace bellwether
