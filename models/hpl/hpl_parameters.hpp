// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

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

/// How a product's rate depends on m and n at one k; n alone where it is a triangle's.
struct ProductRate {
  double k = 0;  ///< depth of the product, or order of the triangle
  Quantity flops_per_s;
  Quantity half_m, half_n;
};

/// dgemm on one rank: 2 m n k / F (1 + half_m/m + half_n/n + half_k/k) seconds. With the other two
/// large, the rate is half of F at m = half_m, and so on. Where the rates at several k are known,
/// they stand for F and half_k.
struct GemmRamp {
  Quantity flops_per_s;
  Quantity half_m, half_n, half_k;
  std::vector<ProductRate> by_k;  ///< ascending k; may be empty
};

/// Seconds of factoring a panel of so many rows.
struct PanelHeight {
  double rows;
  Quantity seconds;
};
/// The same of one width, by ascending rows, and of inverting its triangle.
struct PanelWidth {
  double width = 0;
  std::vector<PanelHeight> heights;
  Quantity inverse_s;
};

/// Panels that a GPU factors where they lie, on a stream of their own: of M rows and w columns in
/// w column_s + w^2 (M - w/3) / flops_per_s seconds, the lists of interchanges included.
struct DevicePanel {
  Quantity column_s;
  Quantity flops_per_s;
  std::vector<ProductRate> triangle;  ///< U = L11^-1 W in place, as HplKernelParameters::triangle
};

/// What the refined form asks of one rank, with all ranks at work. What is absent is derived from
/// the device and the links.
struct HplKernelParameters {
  std::string panel_on = "device";  ///< or "host": where panels are factored, those of `panel`
  std::optional<GemmRamp> gemm;
  std::vector<ProductRate> triangle;  ///< U = inv(L11) W, w^2 n flops, ascending k = w
  std::vector<PanelWidth> panel;      ///< ascending width
  std::optional<DevicePanel> device_panel;
  /// Of rows into or out of a panel's column-major copy; bytes read plus bytes written.
  std::optional<Quantity> panel_copy_bandwidth_bytes_per_s;
  std::optional<Quantity> swap_bandwidth_bytes_per_s;   ///< bytes read plus bytes written
  std::optional<Quantity> solve_bandwidth_bytes_per_s;  ///< U read once
  /// A panel's bytes from a neighbour's shared window, by the ranks that receive it.
  std::optional<Quantity> broadcast_bandwidth_bytes_per_s;
  std::optional<Quantity> pivot_s;  ///< a round of the pivot's exchange within a node
};

/// What the HPL models need of a node beyond its device and links.
struct HplParameters {
  static constexpr const char* section_name = "hpl";
  std::optional<HplSimulationParameters> simulation;
  std::optional<HplKernelParameters> kernels;
};

/// The section's part for the paper's simulation; null without it.
const HplSimulationParameters* hpl_simulation(const Machine& machine);

/// How the machine's GPU factors panels; null where that was not calibrated.
const DevicePanel* hpl_device_panel(const Machine& machine);

/// How the section stands in a machine file.
JsonType<HplParameters> hpl_parameters_type();

}  // namespace bellwether
