// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_paper.hpp"

#include <algorithm>

#include "models/hpl/hpl_network.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
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

/// Seconds of flops at a rate; 0 of none, whatever the rate.
double seconds_of(double flops, double flops_per_s) { return flops > 0 ? flops / flops_per_s : 0; }

/// t_x of one step: what of L21, U12 and A22 goes to the device or comes back (Eq. 6, 7), where the
/// device does a share R of the update.
double step_transfer_time(const HplRates& rates, double block, double order, double share) {
  if (share <= 0) return 0;
  if (!rates.matrix_on_device)
    return rates.up_bytes_per_s > 0 ? 8 * share * order * order / rates.up_bytes_per_s : 0;
  return rates.down_bytes_per_s > 0 ? 8 * block * order * (1 + share) / rates.down_bytes_per_s : 0;
}

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
  const double panels = size.panels();
  for (double k = 1; k <= panels; ++k) {
    const double m = size.size - k * block;
    const double gemm = 2 * block * m * m;
    const double trsm = 2 * block * block * m;
    const double t_x = step_transfer_time(rates, block, m, share);
    const double t_gpu = seconds_of(share * gemm, rates.device_flops_per_s);
    const double t_cpu = seconds_of((1 - share) * gemm, rates.host_flops_per_s);
    const bool device_is_later = t_gpu + t_x >= t_cpu;
    times.gemm_s += device_is_later ? t_gpu : t_cpu;
    times.copy_s += device_is_later ? t_x : 0;
    times.trsm_s += std::max(seconds_of(share * trsm, rates.device_flops_per_s),
                             seconds_of((1 - share) * trsm, rates.host_flops_per_s));
    times.network_s += network_time(cluster, block, m);
  }
  return times;
}

Prediction predict_hpl_paper(const Machine& machine, const HplProblem& problem,
                             int ranks_per_node) {
  const HplSize size{static_cast<double>(problem.size), static_cast<double>(problem.block)};
  return predict_with_bounds("paper", [&](Bound bound) {
    RankStep step;
    step.overlaps = false;
    const HplCluster cluster =
        hpl_cluster(machine, problem.ranks(), ranks_per_node, bound, step.notes);
    note_idle_ranks(problem, step.notes);
    const HplTimes times = simulate_hpl(cluster, size);
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
