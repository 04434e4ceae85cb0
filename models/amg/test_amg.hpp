// SPDX-License-Identifier: MIT
#pragma once

#include "models/amg/amg_cycle.hpp"
#include "models/amg/amg_parameters.hpp"

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

inline double amg_term(const Prediction& prediction, const std::string& name) {
  for (const Term& term : prediction.terms)
    if (term.name == name) return term.seconds;
  return -1;
}

}  // namespace bellwether
