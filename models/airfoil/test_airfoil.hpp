// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

#include "models/airfoil/airfoil_paper.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/airfoil/airfoil_refined.hpp"
#include "models/test_prediction.hpp"

namespace bellwether {

inline Link exact_link(double latency_s, double bandwidth) {
  Link link;
  link.one_way.latency_s = Quantity::exact(latency_s);
  link.one_way.bandwidth_bytes_per_s = Quantity::exact(bandwidth);
  return link;
}

inline std::vector<AirfoilLoopPoint>& curve(Machine& machine, AirfoilLoop loop,
                                            const char* precision = "f64") {
  return section<AirfoilParameters>(machine)->loops[precision][static_cast<std::size_t>(loop)];
}

/// Loops of 1, 2, 3, 4, 5, 6 and 7 ns per element; a network of 2 us and 1 GB/s, messages within a
/// node take 0.5 us; 12 ranks share a card.
inline Machine airfoil_machine() {
  Machine machine;
  machine.name = "example";
  machine.layout = {.ranks = 96, .ranks_per_node = 24};
  machine.device.kind = "cpu";
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e10);
  machine.links = {{"network", exact_link(2e-6, 1e9)}, {"shared_memory", exact_link(5e-7, 4e9)}};
  set_section(machine, AirfoilParameters{});
  double cost = 0;
  for (auto& points : section<AirfoilParameters>(machine)->loops["f64"])
    points = {{1e4, Quantity::exact(cost += 1e-9)}};
  section<AirfoilParameters>(machine)->ranks_per_nic = 12;
  return machine;
}

/// The same loops on a GPU with a card of its own: 10 us down at 3 GB/s, 20 us up at 2 GB/s,
/// launches of 5 us, 6 and 2 colours.
inline Machine airfoil_gpu() {
  Machine machine = airfoil_machine();
  machine.device.kind = "gpu";
  machine.device.launch_latency_s = Quantity::exact(5e-6);
  machine.layout = {.ranks = 96, .ranks_per_node = 1};
  machine.links.erase("shared_memory");
  machine.links["host_to_device"] = exact_link(1e-5, 3e9);
  machine.links["device_to_host"] = exact_link(2e-5, 2e9);
  section<AirfoilParameters>(machine)->ranks_per_nic = 1;
  section<AirfoilParameters>(machine)->res_calc_colours = Quantity::exact(6);
  section<AirfoilParameters>(machine)->bres_calc_colours = Quantity::exact(2);
  return machine;
}

inline AirfoilWorkload airfoil_example() {
  return {.cells = 10000,
          .core_edges = 19800,
          .eeh_edges = 150,
          .ieh_edges = 250,
          .bedges = 30,
          .ieh_bedges = 10,
          .ieh_cells = 40,
          .inh_cells = 360,
          .neighbours = 5,
          .near_cells = 100,
          .near_neighbours = 2};
}

inline Prediction paper_of(const Machine& machine, const AirfoilWorkload& work,
                           const AirfoilConditions& conditions) {
  return predict_airfoil_paper(machine, AirfoilLoopCosts(machine, conditions.precision), {work},
                               conditions);
}
inline Prediction refined_of(const Machine& machine, const AirfoilWorkload& work,
                             const AirfoilConditions& conditions) {
  return predict_airfoil_refined(machine, AirfoilLoopCosts(machine, conditions.precision), {work},
                                 conditions, NoiseWait(machine));
}

}  // namespace bellwether
