// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_links.hpp"
#include "models/airfoil/airfoil_model.hpp"
#include "models/airfoil/airfoil_step.hpp"

namespace bellwether {
namespace {

/// Eq. 7 and, on a GPU, the copies; seconds of one call of res_calc.
AirfoilCommunication communication(const Machine& machine, const AirfoilWorkload& workload,
                                   const AirfoilConditions& conditions, Bound bound,
                                   std::vector<std::string>& notes) {
  AirfoilCommunication times;
  if (workload.neighbours == 0) return times;
  const LinkTiming& network = airfoil_network(machine, notes).one_way;
  const double value = conditions.precision == "f32" ? 4 : 8;
  const double bytes = workload.halo_cells() * value * (airfoil_q_values + airfoil_adt_values);
  times.network = bytes / rate_at(network.bandwidth_bytes_per_s, bound) +
                  2 * cost_at(network.latency_s, bound) * workload.neighbours;
  const int sharing = airfoil_ranks_per_nic(machine, conditions);
  if (const auto on_chip = machine.links.find("shared_memory");
      sharing > 1 && on_chip != machine.links.end())
    times.network +=
        cost_at(on_chip->second.one_way.latency_s, bound) * sharing * workload.neighbours;
  if (machine.device.kind != "gpu") return times;
  const auto copy = [&](const char* name) {
    const auto link = machine.links.find(name);
    if (link == machine.links.end()) return 0.0;
    const LinkTiming& timing = link->second.one_way;
    return 2 * cost_at(timing.latency_s, bound) +
           bytes / rate_at(timing.bandwidth_bytes_per_s, bound);
  };
  times.to_host = copy("device_to_host");
  times.to_device = copy("host_to_device");
  return times;
}

}  // namespace

Prediction predict_airfoil_paper(const Machine& machine, const AirfoilLoopCosts& costs,
                                 const std::vector<AirfoilWorkload>& workloads,
                                 const AirfoilConditions& conditions) {
  return slowest_workload("paper", workloads, [&](const AirfoilWorkload& work, Bound bound) {
    RankStep step;
    step.notes = costs.notes();
    // The launches of a loop are part of what the paper measured of it.
    const auto launches = [&](AirfoilLoop which, double elements) {
      return elements > 0 ? costs.launch(bound) * costs.launches(which, bound) : 0;
    };
    const auto call = [&](AirfoilLoop which, double elements) {
      return costs.paper_seconds(which, elements, bound) + launches(which, elements);
    };
    const double edges = work.core_edges + work.eeh_edges + work.ieh_edges;
    const double all_edges = costs.paper_seconds(AirfoilLoop::res_calc, edges, bound);
    const double core = edges > 0 ? all_edges * work.core_edges / edges : 0;
    const AirfoilCommunication halo = communication(machine, work, conditions, bound, step.notes);

    step.terms.add("compute.save_soln", call(AirfoilLoop::save_soln, work.cells));
    step.terms.add("compute.adt_calc", 2 * call(AirfoilLoop::adt_calc, work.cells));
    step.terms.add("compute.res_calc", 2 * (all_edges + launches(AirfoilLoop::res_calc, edges)));
    add_communication(halo, core, halo.total(), conditions.overlap, step);
    step.terms.add("compute.bres_calc",
                   2 * call(AirfoilLoop::bres_calc, work.bedges + work.ieh_bedges));
    step.terms.add("compute.update", 2 * call(AirfoilLoop::update, work.cells));
    if (conditions.ranks > 1) {
      const double message =
          link_time_paper(airfoil_network(machine, step.notes).one_way, 8, bound);
      step.terms.add("reduce", 2 * tree_levels(conditions.ranks) * message);
    }
    return step;
  });
}

}  // namespace bellwether
