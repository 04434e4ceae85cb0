// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_exchange.hpp"

#include <algorithm>
#include <cmath>

#include "models/airfoil/airfoil_links.hpp"
#include "models/network/exchange_time.hpp"

namespace bellwether {
namespace {

constexpr double cell_values = airfoil_q_values + airfoil_adt_values;

double value_bytes_of(const AirfoilConditions& conditions) {
  return conditions.precision == "f32" ? 4 : 8;
}

/// Gathering or scattering the cells of both arrays: each value read and written, its index read.
double reordering(const Machine& machine, const AirfoilLoopCosts& costs,
                  const AirfoilWorkload& work, double value_bytes, Bound bound) {
  const double bytes = work.halo_cells() * (2 * cell_values * value_bytes + 2 * 4);
  return bytes / rate_at(machine.device.memory_bandwidth_bytes_per_s, bound) +
         2 * costs.launch(bound);
}

/// One copy of all messages over a link between two buffers; free where the machine has none.
double copy(const Machine& machine, const char* name, double bytes, Bound bound) {
  const auto link = machine.links.find(name);
  return link == machine.links.end() ? 0 : link_time(link->second.one_way, bytes, bound);
}

/// Messages with some of the neighbours over a link, each of the size of an average one's.
struct Group {
  Path path;
  int sharing;  ///< ranks of a node that use the link at once
  double neighbours;
  double cells;

  void add_to(AirfoilExchange& exchange, const DeviceParameters& device, double value_bytes,
              Bound bound, std::vector<std::string>& notes) const {
    const double bytes = cells / neighbours * cell_values * value_bytes;
    const ExchangeTimer timer(path, sharing);
    timer.note(bytes, notes);
    const double seconds =
        neighbours * timer.seconds(bytes, bound, static_cast<int>(std::lround(neighbours)));
    exchange.halo.network += seconds;
    exchange.hideable += seconds * hideable_share(path, device, bytes, bound);
  }
};

void add_messages(const Machine& machine, const AirfoilWorkload& work,
                  const AirfoilConditions& conditions, Bound bound, AirfoilExchange& exchange,
                  std::vector<std::string>& notes) {
  const double value_bytes = value_bytes_of(conditions);
  const int on_node = std::min(conditions.ranks_per_node, conditions.ranks);
  const auto shared_memory = machine.links.find("shared_memory");
  const bool apart = shared_memory != machine.links.end();
  const double near = apart ? work.near_neighbours : 0;
  const double near_cells = apart ? work.near_cells : 0;
  const auto add = [&](const Group& group) {
    group.add_to(exchange, machine.device, value_bytes, bound, notes);
  };
  if (near > 0) add({{"shared_memory", &shared_memory->second}, on_node, near, near_cells});
  if (work.neighbours <= near) return;
  const Link& link = airfoil_network(machine, notes);
  const bool memory = apart && &link == &shared_memory->second;
  // Eq. 7's ranks on a card, or half of a node's where it is memory they share.
  const int sharing = memory ? on_node : airfoil_ranks_per_nic(machine, conditions);
  add({{memory ? "shared_memory" : "network", &link},
       sharing,
       work.neighbours - near,
       work.halo_cells() - near_cells});
}

}  // namespace

AirfoilExchange airfoil_exchange(const Machine& machine, const AirfoilLoopCosts& costs,
                                 const AirfoilWorkload& work, const AirfoilConditions& conditions,
                                 Bound bound, std::vector<std::string>& notes) {
  AirfoilExchange exchange;
  if (work.neighbours == 0) return exchange;
  const double value_bytes = value_bytes_of(conditions);
  exchange.pack = exchange.unpack = reordering(machine, costs, work, value_bytes, bound);
  add_messages(machine, work, conditions, bound, exchange, notes);
  if (!conditions.staged) return exchange;
  const double bytes = work.halo_cells() * cell_values * value_bytes;
  if (machine.device.kind != "gpu") {
    exchange.staging = copy(machine, "staging", bytes, bound);
    return exchange;
  }
  const double to_host = copy(machine, "device_to_host", bytes, bound);
  const double to_device = copy(machine, "host_to_device", bytes, bound);
  exchange.hideable += to_host + to_device;
  // Beside the core edges the copies are part of what the mini-app measures as the network.
  if (conditions.overlap)
    exchange.halo.network += to_host + to_device;
  else
    exchange.halo = {exchange.halo.network, to_host, to_device};
  return exchange;
}

}  // namespace bellwether
