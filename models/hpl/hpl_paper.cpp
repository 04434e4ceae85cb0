// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_paper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "models/hpl/hpl_network.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/network/paths.hpp"
#include "models/network/topology.hpp"
#include "models/roofline/roofline.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {

PanelSums panel_sums(double size, double block, double panels) {
  const double pairs = panels * (panels + 1);  // 2 sum k
  return {panels * size - block * pairs / 2, panels * size * size - size * block * pairs +
                                                 block * block * pairs * (2 * panels + 1) / 6};
}

double HplSize::panels() const { return std::floor(size / block); }

double gemm_flops(const HplSize& size) {
  return 2 * size.block * panel_sums(size.size, size.block, size.panels()).square;
}

double trsm_flops(const HplSize& size) {
  return 2 * size.block * size.block * panel_sums(size.size, size.block, size.panels()).order;
}

TransferTime transfer_time(const HplSize& size, const HplRates& rates) {
  if (rates.device_flops_per_s <= 0 || rates.down_bytes_per_s <= 0) return {};
  const PanelSums sums = panel_sums(size.size, size.block, size.panels());
  const double panels_s = 8 * size.block * sums.order / rates.down_bytes_per_s;
  const double matrix_s = rates.matrix_on_device ? 0 : 8 * sums.square / rates.up_bytes_per_s;
  return {panels_s, panels_s + matrix_s};
}

double device_share(double work_flops, const HplRates& rates, const TransferTime& transfer) {
  const double host = rates.host_flops_per_s;
  const double device = rates.device_flops_per_s;
  if (work_flops <= 0 || device <= 0) return 0;
  const double share = device * (work_flops - host * transfer.fixed_s) /
                       (work_flops * (host + device) + device * host * transfer.per_share_s);
  return std::clamp(share, 0., 1.);
}

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
  const std::string& kind = machine.topology->kind;
  if (kind != "torus" && kind != "fat-tree" && kind != "dragonfly")
    return topology_factor(kind, nodes);
  notes.push_back(fmt::format("the paper has no factor for a {}: taken as fully connected", kind));
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

namespace {

/// t_network of one step (Section 4.3): the panel's share of a node, over Ethernet (Eq. 9-11) or at
/// InfiniBand's or a link's bandwidth (Eq. 12-14), times the topology's factor.
double network_time(const HplCluster& cluster, double block, double order) {
  if (cluster.nodes == 1) return 0;
  const double bytes = 8 * block * order / cluster.nodes;
  const double seconds = cluster.ethernet_bits_per_s > 0
                             ? ethernet_time(bytes, cluster.ethernet_bits_per_s, cluster.mtu_bytes)
                             : bytes / cluster.network_bytes_per_s;
  return cluster.network_factor * seconds;
}

/// The rate of who has no share of the work: none of it takes any time.
constexpr double any_rate = std::numeric_limits<double>::infinity();

}  // namespace

// T = sum over k = 1 .. N/NB of max(t_gpu_trsm, t_cpu_trsm) + max(t_gpu_gemm, t_cpu_gemm) +
// t_network, with m = N - k NB the order of the trailing matrix, R the device's share (Eq. 5-8),
//   t_gpu_gemm = t_x + R 2 NB m^2 / G_gpu,   t_cpu_gemm = (1 - R) 2 NB m^2 / G_cpu,
//   t_gpu_trsm = R 2 NB^2 m / G_gpu,         t_cpu_trsm = (1 - R) 2 NB^2 m / G_cpu.
HplTimes simulate_hpl(const HplCluster& cluster, const HplSize& size) {
  const HplRates& rates = cluster.rates;
  const double block = size.block;
  HplTimes times;
  times.device_share =
      device_share(gemm_flops(size) + trsm_flops(size), rates, transfer_time(size, rates));
  const double share = times.device_share;
  const double device = share > 0 ? rates.device_flops_per_s : any_rate;
  const double host = share < 1 ? rates.host_flops_per_s : any_rate;
  // t_x is of L21 and U12, or of A22 that comes back (Eq. 6, 7).
  const double to_device = share > 0 && rates.matrix_on_device && rates.down_bytes_per_s > 0
                               ? rates.down_bytes_per_s
                               : any_rate;
  const double to_host = share > 0 && !rates.matrix_on_device && rates.up_bytes_per_s > 0
                             ? rates.up_bytes_per_s
                             : any_rate;
  // Some panels at once, so that their divisions go side by side; N / NB may be a million.
  constexpr int at_once = 64;
  std::array<double, at_once> gpu{}, cpu{}, copy{}, trsm{};
  const double panels = size.panels();
  for (double first = 1; first <= panels; first += at_once) {
    const auto order = [&](int one) { return size.size - (first + one) * block; };
    const int count = static_cast<int>(std::min<double>(at_once, panels - first + 1));
    for (int one = 0; one < count; ++one) {
      const double m = order(one), gemm = 2 * block * m * m, solved = 2 * block * block * m;
      gpu[one] = share * gemm / device;
      cpu[one] = (1 - share) * gemm / host;
      copy[one] = 8 * block * m * (1 + share) / to_device + 8 * share * m * m / to_host;
      const double on_device = share * solved / device, on_host = (1 - share) * solved / host;
      trsm[one] = on_device < on_host ? on_host : on_device;
    }
    for (int one = 0; one < count; ++one) {
      const bool device_is_later = gpu[one] + copy[one] >= cpu[one];
      times.gemm_s += device_is_later ? gpu[one] : cpu[one];
      times.copy_s += device_is_later ? copy[one] : 0;
      times.trsm_s += trsm[one];
      times.network_s += network_time(cluster, block, order(one));
    }
  }
  return times;
}

Prediction predict_hpl_paper(const Machine& machine, const HplProblem& problem,
                             int ranks_per_node) {
  const HplSize size{static_cast<double>(problem.size), static_cast<double>(problem.block)};
  std::optional<std::pair<HplCluster, HplTimes>> known;  // of published rates all bounds are one
  return predict_with_bounds("paper", [&](Bound bound) {
    RankStep step;
    step.overlaps = false;
    const HplCluster cluster =
        hpl_cluster(machine, problem.ranks(), ranks_per_node, bound, step.notes);
    note_idle_ranks(problem, step.notes);
    if (!known || !(known->first == cluster)) known.emplace(cluster, simulate_hpl(cluster, size));
    const HplTimes& times = known->second;
    step.terms.add("compute.gemm", times.gemm_s);
    step.terms.add("compute.trsm", times.trsm_s);
    if (times.copy_s > 0) step.terms.add("copy", times.copy_s);
    if (times.network_s > 0) step.terms.add("network", times.network_s);
    step.communication_s = times.copy_s + times.network_s;
    step.hiding_s = times.gemm_s + times.trsm_s;
    return step;
  });
}

}  // namespace bellwether
