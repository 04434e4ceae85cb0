// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_exchange.hpp"

#include <algorithm>
#include <cmath>

#include "models/network/exchange_timer.hpp"
#include "models/network/link.hpp"
#include "models/precision.hpp"

namespace bellwether {
namespace {

constexpr double cell_values = airfoil_q_values + airfoil_adt_values;

/// Gathering or scattering the cells of both arrays: each value read and written, its index read.
double reordering(const Machine& machine, const AirfoilLoopCosts& costs,
                  const AirfoilWorkload& work, double value, Bound bound) {
  const double bytes = work.halo_cells() * (2 * cell_values * value + 2 * 4);
  return bytes / rate_at(machine.device.memory_bandwidth_bytes_per_s, bound) +
         2 * costs.launch(bound);
}

/// One copy of all messages between two buffers; free where the machine has no link for it.
double copy(const LinkTiming* timing, double bytes, Bound bound) {
  return timing == nullptr ? 0 : link_time(*timing, bytes, bound);
}

/// Messages with `neighbours` over a path that `sharing` ranks of a node use at once, each of the
/// size of an average one's.
void add_messages(const Paths& paths, const Path& path, int sharing, double neighbours,
                  double all_bytes, Bound bound, AirfoilExchange& exchange,
                  std::vector<std::string>& notes) {
  const double bytes = all_bytes / neighbours;
  const ExchangeTimer timer(path, sharing);
  timer.note(bytes, notes);
  const double seconds =
      neighbours * timer.seconds(bytes, bound, static_cast<int>(std::lround(neighbours)));
  exchange.halo.network += seconds;
  exchange.hideable += seconds * paths.hideable_share(path, bytes, bound);
}

/// Neighbours on the node over shared memory, where the machine knows it apart from the network,
/// whose card Eq. 7's ranks share.
void add_all_messages(const Machine& machine, const Paths& paths, const AirfoilWorkload& work,
                      const AirfoilConditions& conditions, Bound bound, AirfoilExchange& exchange,
                      std::vector<std::string>& notes) {
  const double cell_bytes = cell_values * value_bytes(conditions.precision);
  const int on_node = paths.placement().on_node(conditions.ranks);
  const Path within = paths.to(Across::same_node);
  const bool apart = within.name == "shared_memory";
  const double near = apart ? work.near_neighbours : 0;
  const double near_cells = apart ? work.near_cells : 0;
  if (near > 0)
    add_messages(paths, within, on_node, near, near_cells * cell_bytes, bound, exchange, notes);
  if (work.neighbours > near)
    add_messages(paths, paths.to(Across::other_node), airfoil_ranks_per_nic(machine, on_node),
                 work.neighbours - near, (work.halo_cells() - near_cells) * cell_bytes, bound,
                 exchange, notes);
}

}  // namespace

AirfoilExchange airfoil_exchange(const Machine& machine, const Paths& paths,
                                 const AirfoilLoopCosts& costs, const AirfoilWorkload& work,
                                 const AirfoilConditions& conditions, Bound bound,
                                 std::vector<std::string>& notes) {
  AirfoilExchange exchange;
  if (work.neighbours == 0) return exchange;
  const double value = value_bytes(conditions.precision);
  exchange.pack = exchange.unpack = reordering(machine, costs, work, value, bound);
  add_all_messages(machine, paths, work, conditions, bound, exchange, notes);
  if (!conditions.staged) return exchange;
  paths.note_copies(notes);
  const double bytes = work.halo_cells() * cell_values * value;
  if (machine.device.kind != "gpu") {
    exchange.staging = copy(paths.to_host(), bytes, bound);
    return exchange;
  }
  const double to_host = copy(paths.to_host(), bytes, bound);
  const double to_device = copy(paths.to_device(), bytes, bound);
  exchange.hideable += to_host + to_device;
  // Beside the core edges the copies are part of what the mini-app measures as the network.
  if (conditions.overlap)
    exchange.halo.network += to_host + to_device;
  else
    exchange.halo = {exchange.halo.network, to_host, to_device};
  return exchange;
}

}  // namespace bellwether
