// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "models/hpl/hpl_network.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/network/paths.hpp"
#include "models/network/topology.hpp"
#include "models/roofline/kernel_time.hpp"

namespace bellwether {
namespace {

/// 0: the copies are left out.
double bandwidth(const LinkTiming* timing, Bound bound) {
  return timing == nullptr ? 0 : rate_at(timing->bandwidth_bytes_per_s, bound);
}

void set_simulated_rates(const Machine& machine, const HplSimulationParameters& simulation,
                         int ranks, Bound bound, HplCluster& cluster,
                         std::vector<std::string>& notes) {
  const double blas = rate_at(simulation.blas_efficiency, bound);
  cluster.rates.host_flops_per_s = cluster.nodes * blas *
                                   rate_at(simulation.host_efficiency, bound) *
                                   rate_at(simulation.host_peak_flops_per_s, bound);
  if (machine.device.kind == "gpu")
    cluster.rates.device_flops_per_s = ranks * blas * rate_at(simulation.device_efficiency, bound) *
                                       rate_at(peak_flops(machine.device, "f64", notes), bound);
  cluster.rates.matrix_on_device = simulation.matrix_memory == "device";
}

/// A GPU does the whole update, a CPU's ranks are their node's processors.
void derive_rates(const Machine& machine, int ranks, Bound bound, HplCluster& cluster,
                  std::vector<std::string>& notes) {
  const double rate = ranks * rate_at(device_gemm_flops(machine, notes), bound);
  if (machine.device.kind == "gpu") {
    notes.push_back(
        "not calibrated for HPL: no hpl.simulation; paper form with GPUs alone, whose rate and "
        "network come from device and links");
    cluster.rates.device_flops_per_s = rate;
  } else {
    notes.push_back(
        "not calibrated for HPL: no hpl.simulation; paper form with rate and network from device "
        "and links");
    cluster.rates.host_flops_per_s = rate;
  }
  cluster.rates.matrix_on_device = true;
}

double factor_of_topology(const Machine& machine, int nodes, std::vector<std::string>& notes) {
  if (!machine.topology) {
    notes.push_back("no topology: a star is assumed for the network's time");
    return topology_factor("star", nodes);
  }
  if (machine.topology->kind != "torus") return topology_factor(machine.topology->kind, nodes);
  notes.push_back("the paper has no factor for a torus: taken as fully connected");
  return topology_factor("mesh", nodes);
}

void set_network(const Machine& machine, Bound bound, HplCluster& cluster,
                 std::vector<std::string>& notes) {
  if (const auto* simulation = hpl_simulation(machine)) {
    const HplNetwork& network = simulation->network;
    cluster.network_factor = factor_of_topology(machine, cluster.nodes, notes) /
                             rate_at(simulation->network_efficiency, bound);
    if (network.kind == "ethernet") {
      cluster.ethernet_bits_per_s = rate_at(network.bandwidth_bits_per_s, bound);
      cluster.mtu_bytes = network.mtu_bytes;
    } else {
      cluster.network_bytes_per_s = infiniband_bandwidth(network.generation, network.links);
    }
    return;
  }
  // A measured link has its switches and its efficiency in it.
  const Path path = Paths(machine, {}).to(Across::other_node);
  cluster.network_bytes_per_s = rate_at(path.link->one_way.bandwidth_bytes_per_s, bound);
}

}  // namespace

HplCluster hpl_cluster(const Machine& machine, int ranks, int ranks_per_node, Bound bound,
                       std::vector<std::string>& notes) {
  HplCluster cluster;
  cluster.nodes = (ranks - 1) / ranks_per_node + 1;
  if (const auto* simulation = hpl_simulation(machine))
    set_simulated_rates(machine, *simulation, ranks, bound, cluster, notes);
  else
    derive_rates(machine, ranks, bound, cluster, notes);
  if (machine.device.kind == "gpu") {
    const Paths paths(machine, {ranks_per_node});
    cluster.rates.down_bytes_per_s = cluster.nodes * bandwidth(paths.to_device(), bound);
    cluster.rates.up_bytes_per_s = cluster.nodes * bandwidth(paths.to_host(), bound);
    paths.note_copies(notes);
  }
  if (cluster.nodes > 1) set_network(machine, bound, cluster, notes);
  return cluster;
}

}  // namespace bellwether
