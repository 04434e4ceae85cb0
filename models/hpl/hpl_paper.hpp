// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_problem.hpp"
#include "models/hpl/hpl_split.hpp"
#include "models/machine/bound.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// All nodes together as the simulation of Hu and Lu sees them. Each node does its share of the
/// update with its own processors, devices and host-device path; then panels are sent.
struct HplCluster {
  HplRates rates;  ///< of all nodes together
  int nodes = 1;
  /// The network as InfiniBand or a link; or, if a bandwidth in bit/s is given, as Ethernet.
  double network_bytes_per_s = 0;
  double ethernet_bits_per_s = 0;
  int mtu_bytes = 1500;
  double network_factor = 1;  ///< topology factor / network efficiency
};

/// The cluster that `ranks` ranks of the machine make, `ranks_per_node` to a node, a rank to a
/// device. Without `hpl.simulation` in the machine rates are derived from the device and links and
/// noted. Throws BadInput if several nodes have no network.
HplCluster hpl_cluster(const Machine& machine, int ranks, int ranks_per_node, Bound bound,
                       std::vector<std::string>& notes);

/// Seconds of the parts of a factorization; they add up.
struct HplTimes {
  double gemm_s = 0;
  double trsm_s = 0;
  double copy_s = 0;  ///< host-device, on the panels that the device is the last to finish
  double network_s = 0;
  double device_share = 0;  ///< R
  [[nodiscard]] double total_s() const { return gemm_s + trsm_s + copy_s + network_s; }
};

/// The sum over the panels of max(t_gpu_trsm, t_cpu_trsm) + max(t_gpu_gemm, t_cpu_gemm) + network,
/// with t_gpu_gemm = transfer + compute (Section 4.2, 4.3).
HplTimes simulate_hpl(const HplCluster& cluster, const HplSize& size);

/// The paper's form: terms compute.gemm, compute.trsm, copy, network. It knows neither P x Q nor
/// look-ahead.
Prediction predict_hpl_paper(const Machine& machine, const HplProblem& problem, int ranks_per_node);

}  // namespace bellwether
