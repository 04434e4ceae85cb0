// SPDX-License-Identifier: MIT
#include "models/airfoil/airfoil_paper.hpp"

#include <algorithm>

#include "models/airfoil/airfoil_workload.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/workload.hpp"

namespace bellwether {
namespace {

/// Seconds of one exchange of the halo, for one call of res_calc.
struct AirfoilCommunication {
  double network = 0;
  double to_host = 0;
  double to_device = 0;
};

/// Adds what is exposed of both calls' communication (Eq. 4: max(core, T_comm) = core + the part of
/// T_comm beyond it), shared out over its terms; without overlap all of it. `core` is the seconds
/// that one call computes before it needs the halo.
void add_communication(const AirfoilCommunication& halo, double core, bool overlap,
                       RankStep& step) {
  const double all = halo.network + halo.to_host + halo.to_device;
  if (all <= 0) return;
  step.hidden_fraction = overlap ? std::min(core, all) / all : 0;
  step.communication_s = 2 * all;
  step.hiding_s = 2 * core;
  const double exposed = 2 * (1 - step.hidden_fraction);
  step.terms.add("network", exposed * halo.network);
  if (halo.to_host > 0) step.terms.add("copy.to_host", exposed * halo.to_host);
  if (halo.to_device > 0) step.terms.add("copy.to_device", exposed * halo.to_device);
}

/// Eq. 7 and, on a GPU, the copies of staged halos; seconds of one call of res_calc.
AirfoilCommunication communication(const Machine& machine, const Paths& paths,
                                   const AirfoilWorkload& workload,
                                   const AirfoilConditions& conditions, Bound bound,
                                   std::vector<std::string>& notes) {
  AirfoilCommunication times;
  if (workload.neighbours == 0) return times;
  const Path path = paths.network(conditions.ranks, notes);
  Paths::note_path(path, notes);
  const LinkTiming& network = path.link->one_way;
  const double bytes = workload.halo_cells() * value_bytes(conditions.precision) *
                       (airfoil_q_values + airfoil_adt_values);
  times.network = bytes / rate_at(network.bandwidth_bytes_per_s, bound) +
                  2 * cost_at(network.latency_s, bound) * workload.neighbours;
  const int sharing = airfoil_ranks_per_nic(machine, paths.placement().on_node(conditions.ranks));
  if (const Path on_chip = paths.to(Across::same_node);
      sharing > 1 && on_chip.name == "shared_memory")
    times.network +=
        cost_at(on_chip.link->one_way.latency_s, bound) * sharing * workload.neighbours;
  if (machine.device.kind != "gpu" || !conditions.staged) return times;
  paths.note_copies(notes);
  const auto copy = [&](const LinkTiming* timing) {
    return timing == nullptr ? 0
                             : 2 * cost_at(timing->latency_s, bound) +
                                   bytes / rate_at(timing->bandwidth_bytes_per_s, bound);
  };
  times.to_host = copy(paths.to_host());
  times.to_device = copy(paths.to_device());
  return times;
}

}  // namespace

Prediction predict_airfoil_paper(const Machine& machine, const AirfoilLoopCosts& costs,
                                 const std::vector<AirfoilWorkload>& workloads,
                                 const AirfoilConditions& conditions) {
  const Paths paths(machine, {conditions.ranks_per_node},
                    conditions.staged ? MessageMemory::host : MessageMemory::device);
  const Paths host_paths(machine, {conditions.ranks_per_node});
  const auto step_of = [&](const AirfoilWorkload& work, Bound bound) {
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
    const AirfoilCommunication halo =
        communication(machine, paths, work, conditions, bound, step.notes);

    step.terms.add("compute.save_soln", call(AirfoilLoop::save_soln, work.cells));
    step.terms.add("compute.adt_calc", 2 * call(AirfoilLoop::adt_calc, work.cells));
    step.terms.add("compute.res_calc", 2 * (all_edges + launches(AirfoilLoop::res_calc, edges)));
    add_communication(halo, core, conditions.overlap, step);
    step.terms.add("compute.bres_calc",
                   2 * call(AirfoilLoop::bres_calc, work.bedges + work.ieh_bedges));
    step.terms.add("compute.update", 2 * call(AirfoilLoop::update, work.cells));
    if (conditions.ranks > 1) {
      const double message =
          link_time_paper(host_paths.network(conditions.ranks, step.notes).link->one_way, 8, bound);
      step.terms.add("reduce", 2 * tree_stages(conditions.ranks) * message);
    }
    return step;
  };
  return slowest_workload("paper", workloads, conditions.mean_cells, step_of);
}

}  // namespace bellwether
