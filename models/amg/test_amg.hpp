// SPDX-License-Identifier: MIT
#pragma once

#include "models/amg/amg_cycle.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/amg/amg_run.hpp"

namespace bellwether {

/// For tests: three levels on 8 processes, in round numbers.
inline AmgHierarchy small_hierarchy() {
  return {8,
          {{1000, 8, {3, 4, 100, 7}, {2, 5, 50, 2}},
           {100, 8, {5, 7, 20, 20}, {1, 3, 10, 3}},
           {5, 4, {3, 3, 2, 5}, {}}}};
}

/// 8 processes of 2 threads on 4 nodes.
inline AmgPlacement small_placement() {
  return {.nodes = 4, .processes = 8, .ranks_per_node = 2, .threads_per_rank = 2};
}

/// Nodes of 2 cores in a ring of 4: 2 us and 1 GB/s, 100 ns a further hop, 3 links and 5 GB/s a
/// node; 1, 2 and then 3 ns a flop; two threads get half the bandwidth each and lose 1 us a loop.
inline Machine small_machine() {
  const auto exact = [](double value) { return Quantity::exact(value); };
  Machine machine;
  machine.name = "small";
  machine.source = "made up for tests";
  machine.layout = {.ranks = 16, .ranks_per_node = 4, .cores_per_node = 2};
  machine.device.name = "thread";
  machine.device.kind = "cpu";
  machine.device.memory_bandwidth_bytes_per_s = exact(1e9);
  Link network;
  network.one_way.latency_s = exact(2e-6);
  network.one_way.bandwidth_bytes_per_s = exact(1e9);
  machine.links = {{"network", network}};
  machine.topology = Topology{.kind = "torus",
                              .dimensions = {4},
                              .links_per_node = exact(3),
                              .hop_latency_s = exact(1e-7),
                              .node_bandwidth_bytes_per_s = exact(5e9)};
  set_section(machine, AmgParameters{.flop_time_s = {exact(1e-9), exact(2e-9), exact(3e-9)},
                                     .threads = {{1, exact(4e9), exact(0)},
                                                 {2, exact(2e9), exact(1e-6)},
                                                 {4, exact(1e9), exact(3e-6)}},
                                     .core_sharing = {{1, exact(1)}, {2, exact(1.25)}},
                                     .ranks_per_node = {1, 2, 4}});
  return machine;
}

/// Of calls of `call_s` and entries of `entry_s` between 5 and 50 a row; called again in turn they
/// take such a share of it.
inline AmgKernelTable linear_kernel(double call_s, double entry_s, double again = 1) {
  AmgKernelTable table;
  for (const double entries : {5., 50.}) {
    AmgKernelCurve curve{entries, {}};
    for (const double rows : {1., 1e6}) {
      const double seconds = call_s + entry_s * rows * entries;
      curve.times.push_back({rows, Quantity::exact(seconds), Quantity::exact(again * seconds)});
    }
    table.push_back(curve);
  }
  return table;
}

/// The small machine as calibration knows it: shared memory of 0.5 us and 4 GB/s beside the
/// network, and operations of 1 us and 1, 2, 4 and 5 ns an entry.
inline Machine calibrated_machine(double again = 1) {
  Machine machine = small_machine();
  machine.topology.reset();
  Link shared;
  shared.one_way.latency_s = Quantity::exact(5e-7);
  shared.one_way.bandwidth_bytes_per_s = Quantity::exact(4e9);
  machine.links["shared_memory"] = shared;
  AmgKernelParameters kernels;
  kernels.spmv = linear_kernel(1e-6, 1e-9, again);
  kernels.gauss_seidel = linear_kernel(1e-6, 2e-9, again);
  kernels.interpolate = linear_kernel(1e-6, 4e-9, again);
  kernels.restriction = linear_kernel(1e-6, 5e-9, again);
  AmgParameters parameters;
  parameters.kernels = kernels;
  set_section(machine, parameters);
  return machine;
}

/// As a run on 2 nodes of 2 ranks tells it.
inline AmgHierarchy told_hierarchy() {
  AmgHierarchy hierarchy{4, {{4000, 4, {2, 2, 100, 7}, {2, 2, 40, 5}}, {8, 4, {3, 3, 6, 8}, {}}}};
  hierarchy.ranks_per_node = 2;
  AmgLevel& finest = hierarchy.levels[0];
  finest.solve.busiest_rows = finest.interpolation.busiest_rows = 1100;
  finest.solve.busiest_nonzeros = 7700;
  finest.interpolation.busiest_nonzeros = 5500;
  finest.solve.offd_share = 0.1;
  finest.interpolation.offd_share = 0.2;
  finest.solve.own_node_share = finest.interpolation.own_node_share = 0.5;
  finest.restriction = finest.interpolation;
  finest.restriction->max_elements = 60;
  return hierarchy;
}

inline std::vector<AmgRunLevel> levels_of(const Machine& machine, const AmgHierarchy& hierarchy,
                                          const AmgPlacement& placement, const AmgVariant& variant,
                                          bool overlap, std::vector<std::string>* notes = nullptr) {
  return amg_run_levels(amg_step(machine, hierarchy, placement, variant, notes),
                        hierarchy.levels.size(), overlap);
}

/// A level's operations as the paper has them, seconds.
struct PaperLevel {
  AmgWork smooth;  ///< the sweeps on both sides and the residual
  AmgWork restriction, interpolation, coarse_solve;
  double fork_join_s = 0;
};
inline std::vector<PaperLevel> paper_levels(const AmgStep& step, std::size_t count) {
  std::vector<PaperLevel> levels(count);
  for (const AmgStepOperation& one : step.operations) {
    PaperLevel& level = levels[one.paper_level()];
    AmgWork& work = one.stage == AmgStage::restriction     ? level.restriction
                    : one.stage == AmgStage::interpolation ? level.interpolation
                    : one.stage == AmgStage::coarse_solve  ? level.coarse_solve
                                                           : level.smooth;
    work.compute_s += one.compute_s;
    work.network_s += one.network_s(false);
    level.fork_join_s += one.fork_join_s;
  }
  return levels;
}

inline double amg_term(const Prediction& prediction, const std::string& name) {
  for (const Term& term : prediction.terms)
    if (term.name == name) return term.seconds;
  return -1;
}

}  // namespace bellwether
