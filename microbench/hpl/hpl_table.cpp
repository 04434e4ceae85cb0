// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "microbench/hpl/hpl.hpp"
#include "models/hpl/hpl_parameters.hpp"

namespace bellwether {

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
    for (const ProductRate& rate : gemm->by_k)
      table.row(fmt::format("  k = {:g}", rate.k), rate.flops_per_s, 1e-9, "GFlop/s",
                "m and n large");
  }
  const auto triangles = [&table](const char* name, const std::vector<ProductRate>& rates) {
    for (const ProductRate& rate : rates)
      table.row(fmt::format("{}, {:g}", name, rate.k), rate.flops_per_s, 1e-9, "GFlop/s",
                "w^2 n flops");
  };
  triangles("inv(L11) W", kernels.triangle);
  for (const PanelWidth& panel : kernels.panel) {  // the tallest that was measured
    const PanelHeight& height = panel.heights.back();
    table.row(fmt::format("panel, {:g} x {:g}", height.rows, panel.width), height.seconds, 1e3,
              "ms", "factored on the " + kernels.panel_on);
  }
  if (const auto& panel = kernels.device_panel) {
    table.row("panels on the device", panel->flops_per_s, 1e-9, "GFlop/s", "and of each column");
    table.row("  a column", panel->column_s, 1e6, "us", "launches");
    triangles("  U = L11^-1 W", panel->triangle);
  }
  const auto bandwidth = [&table](const char* name, const std::optional<Quantity>& measured,
                                  const char* of) {
    if (measured) table.row(name, *measured, 1e-9, "GB/s", of);
  };
  bandwidth("panel copies", kernels.panel_copy_bandwidth_bytes_per_s,
            "bytes read plus bytes written");
  bandwidth("row swaps", kernels.swap_bandwidth_bytes_per_s, "bytes read plus bytes written");
  bandwidth("solve", kernels.solve_bandwidth_bytes_per_s, "of U");
  bandwidth("panels within a node", kernels.broadcast_bandwidth_bytes_per_s, "of a panel");
  if (kernels.pivot_s)
    table.row("pivot exchange", *kernels.pivot_s, 1e6, "us", "a round within a node");
}

Folder hpl_folder() {
  return {.plan = measured(plan_hpl, hpl_from_samples),
          .table = hpl_table,
          .parameters = "HPL",
          .is_of_a_miniapp = true};
}

}  // namespace bellwether
