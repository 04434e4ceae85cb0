// SPDX-License-Identifier: MIT
#pragma once

#include "models/hpl/hpl_problem.hpp"
#include "models/machine/quantity.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// Sums over the panels k = 1 .. floor(N/NB) of the trailing matrix's order m_k = N - k NB, and of
/// its square, in closed form.
struct PanelSums {
  double order = 0;   ///< sum m_k
  double square = 0;  ///< sum m_k^2
};
PanelSums panel_sums(double size, double block, double panels);

/// The order of a factorization: N, NB.
struct HplSize {
  double size = 0;
  double block = 0;
  [[nodiscard]] double panels() const;  ///< floor(N/NB)
};

/// Flops of the update: dgemm 2 NB m^2 and the triangular solves of A12 and of A21, NB^2 m each,
/// summed over the panels. They add up to nearly 2/3 N^3.
double gemm_flops(const HplSize& size);
double trsm_flops(const HplSize& size);

/// What a processor, a device and the path between them can do.
struct HplRates {
  double host_flops_per_s = 0;    ///< G_cpu; 0: no part of the update
  double device_flops_per_s = 0;  ///< G_gpu; 0: none
  double down_bytes_per_s = 0;    ///< host to device
  double up_bytes_per_s = 0;      ///< device to host
  bool matrix_on_device = false;  ///< A22 stays there: only L21 and U12 are sent
  bool operator==(const HplRates&) const = default;
};

/// Seconds of transfers (Eq. 6, 7) as a linear function of R: fixed_s + per_share_s R. With the
/// matrix on the device without the square term, which moves A22.
struct TransferTime {
  double fixed_s = 0;
  double per_share_s = 0;
};
TransferTime transfer_time(const HplSize& size, const HplRates& rates);

/// The device's share R of the update at which the host computes for as long as the device computes
/// and is sent to, t_cpu = t_gpu + t_x; from 0 to 1. From W = G_cpu (t_gpu + t_x) + G_gpu t_gpu,
/// R = G_gpu (W - G_cpu t_x) / (W (G_cpu + G_gpu)), where t_x depends on R. The paper's Eq. 5 lacks
/// the division by W, and its Eq. 8 has the ratio of the rates upside down. 0 where sending
/// takes longer than the host alone.
double device_share(double work_flops, const HplRates& rates, const TransferTime& transfer);

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
  bool operator==(const HplCluster&) const = default;
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
