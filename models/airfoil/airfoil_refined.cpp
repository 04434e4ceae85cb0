// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "models/airfoil/airfoil_links.hpp"
#include "models/airfoil/airfoil_model.hpp"
#include "models/airfoil/airfoil_step.hpp"
#include "models/exchange_time.hpp"

namespace bellwether {
namespace {

struct Exchange {
  AirfoilCommunication halo;
  double hideable_s = 0;  ///< of one exchange
};

/// Seconds of the messages with some neighbours over one link: each exchanges two arrays, of the
/// size that an average neighbour's have.
double messages(const Path& path, int on_node, double neighbours, double cells, double value_bytes,
                Bound bound, std::vector<std::string>& notes) {
  if (neighbours <= 0) return 0;
  const double cell = cells / neighbours * value_bytes;
  return neighbours * (exchange_time(path, on_node, cell * airfoil_q_values, bound, notes) +
                       exchange_time(path, on_node, cell * airfoil_adt_values, bound, notes));
}

Exchange exchange(const Machine& machine, const AirfoilWorkload& work,
                  const AirfoilConditions& conditions, Bound bound,
                  std::vector<std::string>& notes) {
  Exchange result;
  if (work.neighbours == 0) return result;
  const double value = conditions.precision == "f32" ? 4 : 8;
  const int on_node = std::min(conditions.ranks_per_node, conditions.ranks);
  const auto shared_memory = machine.links.find("shared_memory");
  const bool apart = shared_memory != machine.links.end();
  const double near = apart ? work.near_neighbours : 0;
  const double near_cells = apart ? work.near_cells : 0;
  double hidden = 0;
  const auto hideable = [&](const Path& path, double cells) {
    return hideable_share(path, machine.device, cells * airfoil_q_values * value, bound);
  };
  if (near > 0) {
    const Path path{"shared_memory", &shared_memory->second};
    const double seconds = messages(path, on_node, near, near_cells, value, bound, notes);
    result.halo.network += seconds;
    hidden += seconds * hideable(path, near_cells / near);
  }
  if (work.neighbours > near) {
    const Link& link = airfoil_network(machine, notes);
    const bool memory = apart && &link == &shared_memory->second;
    const Path path{memory ? "shared_memory" : "network", &link};
    // Eq. 7's ranks on a card, or half of a node's where it is memory they share.
    const int sharing = memory ? on_node : airfoil_ranks_per_nic(machine, conditions);
    const double seconds = messages(path, sharing, work.neighbours - near,
                                    work.halo_cells() - near_cells, value, bound, notes);
    result.halo.network += seconds;
    hidden += seconds * hideable(path, (work.halo_cells() - near_cells) / (work.neighbours - near));
  }
  if (machine.device.kind == "gpu") {
    const auto copies = [&](const char* name) {
      const auto link = machine.links.find(name);
      if (link == machine.links.end()) return 0.0;
      const double cells = work.halo_cells() * value;
      return link_time(link->second.one_way, cells * airfoil_q_values, bound) +
             link_time(link->second.one_way, cells * airfoil_adt_values, bound);
    };
    result.halo.to_host = copies("device_to_host");
    result.halo.to_device = copies("host_to_device");
    hidden += result.halo.to_host + result.halo.to_device;
  }
  result.hideable_s = hidden;
  return result;
}

/// Gathering both arrays' exported cells into message buffers: each value read and written, its
/// index read.
double pack(const Machine& machine, const AirfoilLoopCosts& costs, const AirfoilWorkload& work,
            double value_bytes, Bound bound) {
  const double bytes =
      work.halo_cells() * (2 * (airfoil_q_values + airfoil_adt_values) * value_bytes + 2 * 4);
  return bytes / rate_at(machine.device.memory_bandwidth_bytes_per_s, bound) +
         2 * costs.launch(bound);
}

}  // namespace

Prediction predict_airfoil_refined(const Machine& machine, const AirfoilLoopCosts& costs,
                                   const std::vector<AirfoilWorkload>& workloads,
                                   const AirfoilConditions& conditions) {
  return slowest_workload("refined", workloads, [&](const AirfoilWorkload& work, Bound bound) {
    RankStep step;
    step.notes = costs.notes();
    const double launch = costs.launch(bound);
    std::vector<const char*> outside;
    const auto loop = [&](AirfoilLoop which, double elements) {
      if (costs.outside(which, elements))
        outside.push_back(airfoil_loop_names[static_cast<std::size_t>(which)]);
      return costs.seconds(which, elements, bound) + (elements > 0 ? launch : 0);
    };
    const double edges = work.core_edges + work.eeh_edges + work.ieh_edges;
    const double bedges = work.bedges + work.ieh_bedges;
    const double all_edges = loop(AirfoilLoop::res_calc, edges);
    // Launches are not counted as time to hide behind.
    const double core =
        edges > 0 ? costs.seconds(AirfoilLoop::res_calc, edges, bound) * work.core_edges / edges
                  : 0;
    const auto colours = [&](AirfoilLoop which, double elements) {
      return elements > 0 ? launch * (costs.launches(which, bound) - 1) : 0;
    };
    const double colouring =
        colours(AirfoilLoop::res_calc, edges) + colours(AirfoilLoop::bres_calc, bedges);
    const Exchange both = exchange(machine, work, conditions, bound, step.notes);

    step.terms.add("compute.save_soln", loop(AirfoilLoop::save_soln, work.cells));
    step.terms.add("compute.adt_calc", 2 * loop(AirfoilLoop::adt_calc, work.cells));
    if (work.neighbours > 0) {
      const double value = conditions.precision == "f32" ? 4 : 8;
      step.terms.add("pack", 2 * pack(machine, costs, work, value, bound));
    }
    step.terms.add("compute.res_calc", 2 * all_edges);
    add_communication(both.halo, core, both.hideable_s, conditions.overlap, step);
    step.terms.add("compute.bres_calc", 2 * loop(AirfoilLoop::bres_calc, bedges));
    if (colouring > 0) step.terms.add("compute.colouring", 2 * colouring);
    step.terms.add("compute.update", 2 * loop(AirfoilLoop::update, work.cells));
    if (conditions.ranks > 1)
      step.terms.add("reduce", 2 * airfoil_reduction(machine, conditions, bound, step.notes));
    if (!outside.empty())
      step.notes.push_back(
          fmt::format("airfoil.loops: sets of other sizes than calibrated, at the nearest's cost "
                      "per element: {}",
                      fmt::join(outside, ", ")));
    return step;
  });
}

}  // namespace bellwether
