// SPDX-License-Identifier: MIT
#include "microbench/driver/registry.hpp"
#include "models/hpl/hpl_parameters.hpp"

namespace bellwether {
namespace {

void hpl_table(const Machine& machine, ParameterTable& table) {
  const auto* const own = section<HplParameters>(machine);
  if (own == nullptr) return;
  table.heading("HPL");
  if (own->simulation) {
    const HplSimulationParameters& simulation = *own->simulation;
    table.row("host peak f64", simulation.host_peak_flops_per_s, 1e-9, "GFlop/s", "of a node");
    table.row("efficiency, host", simulation.host_efficiency, 100, "%", "of its peak");
    table.row("efficiency, device", simulation.device_efficiency, 100, "%", "of its peak");
    table.row("efficiency, BLAS", simulation.blas_efficiency, 100, "%", "of both");
    table.row("efficiency, network", simulation.network_efficiency, 100, "%", "of its bandwidth");
  }
  if (!own->kernels) return;
  const HplKernelParameters& kernels = *own->kernels;
  if (const auto& gemm = kernels.gemm) {
    table.row("dgemm", gemm->flops_per_s, 1e-9, "GFlop/s", "large matrices");
    table.row("  at half rate from k", gemm->half_k, 1, "", "with m and n large");
  }
  if (const auto& rate = kernels.trsm_flops_per_s)
    table.row("dtrsm", *rate, 1e-9, "GFlop/s", "of one rank");
  if (const auto& rate = kernels.panel_flops_per_s)
    table.row("panel", *rate, 1e-9, "GFlop/s", "factored on the " + kernels.panel_on);
  if (const auto& bandwidth = kernels.swap_bandwidth_bytes_per_s)
    table.row("row swaps", *bandwidth, 1e-9, "GB/s", "bytes read plus bytes written");
}

std::string hpl_line(const Machine& machine) {
  const auto* const own = section<HplParameters>(machine);
  if (own == nullptr) return {};
  std::string line = "HPL:";
  if (own->simulation) line += " efficiencies of the simulation";
  if (own->kernels) line += own->simulation ? " and its kernels" : " its kernels";
  return line;
}

}  // namespace

Folder hpl_folder() { return {{}, hpl_table, hpl_line}; }

}  // namespace bellwether
