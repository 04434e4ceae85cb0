// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "models/machine/machine.hpp"

namespace bellwether {

template <class T>
struct JsonType;

/// The network between nodes as the simulation sees it (Hu and Lu, Section 4.3).
struct HplNetwork {
  std::string kind;               ///< "ethernet" or "infiniband"
  std::string generation;         ///< infiniband: SDR, DDR, QDR, FDR, EDR, HDR or NDR
  int links = 1;                  ///< infiniband: lanes that act as one
  Quantity bandwidth_bits_per_s;  ///< ethernet
  int mtu_bytes = 1500;           ///< ethernet: largest payload of a frame with its overheads
};

/// What the paper's simulation asks of a node. Each efficiency is above 0 and at most 1.
struct HplSimulationParameters {
  Quantity host_peak_flops_per_s;  ///< of a node's processors, f64
  Quantity host_efficiency;        ///< parallel efficiency, of the peak
  Quantity device_efficiency;
  Quantity blas_efficiency;     ///< of both
  Quantity network_efficiency;  ///< of the network's bandwidth
  std::string matrix_memory;    ///< "host" (Section 4) or "device" (Section 5.1): where A stays
  HplNetwork network;
};

/// dgemm on one rank: 2 m n k / F (1 + half_m/m + half_n/n + half_k/k) seconds. With the other two
/// large, the rate is half of F at m = half_m, and so on.
struct GemmRamp {
  Quantity flops_per_s;
  Quantity half_m, half_n, half_k;
};

/// What the refined form asks of one rank. An absent rate is derived from the device.
struct HplKernelParameters {
  std::string panel_on = "device";  ///< or "host": where panels are factored
  std::optional<GemmRamp> gemm;
  std::optional<Quantity> trsm_flops_per_s;
  std::optional<Quantity> panel_flops_per_s;
  std::optional<Quantity> swap_bandwidth_bytes_per_s;  ///< bytes read plus bytes written
};

/// What the HPL models need of a node beyond its device and links.
struct HplParameters {
  static constexpr const char* section_name = "hpl";
  std::optional<HplSimulationParameters> simulation;
  std::optional<HplKernelParameters> kernels;
};

/// The section's part for the paper's simulation; null without it.
const HplSimulationParameters* hpl_simulation(const Machine& machine);

/// How the section stands in a machine file.
JsonType<HplParameters> hpl_parameters_type();

}  // namespace bellwether
