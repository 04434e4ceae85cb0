// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace bellwether
