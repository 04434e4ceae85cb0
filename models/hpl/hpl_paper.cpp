// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_paper.hpp"

#include <algorithm>
#include <cmath>

#include "models/hpl/hpl_network.hpp"
#include "models/scaling/rank_prediction.hpp"

namespace bellwether {
namespace {

/// Adds the update's dgemm: on each panel the later of the device, transfer_m m + device_m2 m^2
/// (+ a transfer that grows with m^2), and the host, host_m2 m^2. Large m favours the side of the
/// larger square, so that they change places once at most.
void add_gemm(const HplCluster& cluster, const HplSize& size, HplTimes& times) {
  const HplRates& rates = cluster.rates;
  const double share = times.device_share;
  const double panels = size.panels();
  const PanelSums all = panel_sums(size.size, size.block, panels);
  const double host = share < 1 ? 2 * size.block * (1 - share) / rates.host_flops_per_s : 0;
  const double device = share > 0 ? 2 * size.block * share / rates.device_flops_per_s : 0;
  double linear = 0, square = 0;  // the transfer's
  if (share > 0 && rates.matrix_on_device && rates.down_bytes_per_s > 0)
    linear = 8 * size.block * (1 + share) / rates.down_bytes_per_s;
  if (share > 0 && !rates.matrix_on_device && rates.up_bytes_per_s > 0)
    square = 8 * share / rates.up_bytes_per_s;
  // The host is the later one on the first panels, while m > linear / (host - device - square).
  double host_panels = 0;
  if (host > device + square) {
    const double order = linear / (host - device - square);
    host_panels = std::clamp(std::ceil((size.size - order) / size.block) - 1, 0., panels);
  }
  const PanelSums first = panel_sums(size.size, size.block, host_panels);
  const PanelSums rest{all.order - first.order, all.square - first.square};
  times.gemm_s = host * first.square + device * rest.square;
  times.copy_s = linear * rest.order + square * rest.square;
}

double network_time(const HplCluster& cluster, const HplSize& size) {
  if (cluster.nodes == 1) return 0;
  const double bytes_per_row = 8 * size.block / cluster.nodes;
  if (cluster.ethernet_bits_per_s <= 0)
    return cluster.network_factor * bytes_per_row *
           panel_sums(size.size, size.block, size.panels()).order / cluster.network_bytes_per_s;
  double seconds = 0;
  for (double order = size.size - size.block; order > 0; order -= size.block)
    seconds += ethernet_time(bytes_per_row * order, cluster.ethernet_bits_per_s, cluster.mtu_bytes);
  return cluster.network_factor * seconds;
}

}  // namespace

HplTimes simulate_hpl(const HplCluster& cluster, const HplSize& size) {
  const HplRates& rates = cluster.rates;
  const double trsm = trsm_flops(size);
  HplTimes times;
  times.device_share = device_share(gemm_flops(size) + trsm, rates, transfer_time(size, rates));
  const double share = times.device_share;
  add_gemm(cluster, size, times);
  times.trsm_s = trsm * std::max(share > 0 ? share / rates.device_flops_per_s : 0,
                                 share < 1 ? (1 - share) / rates.host_flops_per_s : 0);
  times.network_s = network_time(cluster, size);
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
    note_fit(machine, problem, step.notes);
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
