// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "microbench/cholesky/cholesky.hpp"
#include "models/cholesky/cholesky_parameters.hpp"
#include "models/cholesky/start_up_parameters.hpp"

namespace bellwether {
namespace {

void start_up_table(const Machine& machine, ParameterTable& table) {
  const auto* const own = section<StartUpParameters>(machine);
  if (own == nullptr) return;
  const StartUpParameters& start_up = *own;
  table.heading(
      fmt::format("efficiency and start-up of column Cholesky, {}, summation over a {}: E "
                  "of the peak, t0",
                  start_up.precision, start_up.summation));
  const auto pair = [&](const std::string& name, const EfficiencyAndStartUp& value,
                        const std::string& meaning) {
    table.row(name + ", E", value.efficiency, 100, "%", meaning);
    table.row(name + ", t0", value.start_up_s, 1e6, "us", "");
  };
  table.row("peak", start_up.peak_flops_per_s, 1e-9, "GFlop/s", "R_a, of one processor");
  table.row("peak of communication", start_up.peak_bytes_per_s, 1e-9, "GB/s", "R_c");
  pair("update", start_up.update, "E_s, t_s0 of do 20");
  pair("update in parallel", start_up.parallel_update, "E_p, t_p0 of do 20: E_p of N processors");
  pair("scaling", start_up.scaling, "E_s, t_s0 of do 30");
  pair("transfer", start_up.transfer, "E_c, t_c0 of the summation");
  if (start_up.adding) pair("adding", *start_up.adding, "E_s, t_s0 of the summation's additions");
}

void kernels_table(const Machine& machine, ParameterTable& table) {
  const auto* const own = section<CholeskyParameters>(machine);
  if (own == nullptr) return;
  table.heading("column Cholesky: the mini-app's kernels, of one rank");
  for (const auto& [precision, rates] : own->kernels) {
    table.row(precision + " update by a column", rates.update_start_up_s, 1e6, "us", "start-up");
    table.row("  of each column", rates.column_start_up_s, 1e9, "ns", "start-up");
    for (const ColumnUpdateRate& rate : rates.update)
      table.row(fmt::format("  columns of {:.4g} MB", rate.bytes / 1e6), rate.bandwidth_bytes_per_s,
                1e-9, "GB/s", "bytes read plus bytes written");
    table.row(precision + " scaling of a column", rates.scale_start_up_s, 1e6, "us", "start-up");
    table.row("  bandwidth", rates.scale_bandwidth_bytes_per_s, 1e-9, "GB/s", "of the column");
    for (const CholeskyBlock& block : rates.blocks) {
      table.row(fmt::format("{} block {:g}, diagonal", precision, block.block), block.factor_s, 1e6,
                "us", "");
      table.row("  solve", block.solve_flops_per_s, 1e-9, "GFlop/s", "B^2 flops a row");
      table.row("  product", block.product_flops_per_s, 1e-9, "GFlop/s", "m and n large");
    }
  }
  if (own->broadcast_latency_s) {
    table.row("broadcast within a node", *own->broadcast_latency_s, 1e6, "us", "latency");
    table.row("  bandwidth", *own->broadcast_bandwidth_bytes_per_s, 1e-9, "GB/s", "of a column");
    if (own->broadcast_overhead_s)
      table.row("  overhead", *own->broadcast_overhead_s, 1e6, "us",
                "of that of the sender's own time, and as much of the receiver's");
  }
  if (own->message_added_s)
    table.row("message between nodes", *own->message_added_s, 1e6, "us",
              "beyond the link's, as both have just updated columns");
}

}  // namespace

void cholesky_table(const Machine& machine, ParameterTable& table) {
  start_up_table(machine, table);
  kernels_table(machine, table);
}

Folder cholesky_folder() {
  return {.plan = measured(plan_cholesky, cholesky_from_samples),
          .table = cholesky_table,
          .parameters = "column Cholesky",
          .is_of_a_miniapp = true};
}

}  // namespace bellwether
