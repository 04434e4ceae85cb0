// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/errors.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

using Notes = std::vector<std::string>;

constexpr double value_size = sizeof(double);

HplPath copy_path(const Machine& machine, const LinkTiming* timing, const char* name, Bound bound) {
  if (timing == nullptr)
    throw BadInput(fmt::format(
        "machine {}: links.{} is missing, expected where panels are factored on the host",
        machine.name, name));
  return {timing, bound, 1};
}

/// dgemm as flops at the device's rate and then A, B, C (read and written) at the rate at which
/// square matrices fall behind it, or at the memory bandwidth.
void derive_gemm(const Machine& machine, Bound bound, HplCosts& costs, Notes& notes) {
  double rate = rate_at(device_gemm_flops(machine, notes), bound);
  const HplSimulationParameters* simulation = hpl_simulation(machine);
  if (simulation && machine.device.kind == "gpu")
    rate *=
        rate_at(simulation->device_efficiency, bound) * rate_at(simulation->blas_efficiency, bound);
  costs.gemm_flops_per_s = rate;
  const auto half = machine.device.gemm_half_size.find("f64");
  const bool known = half != machine.device.gemm_half_size.end();
  costs.half_k =
      known ? cost_at(half->second, bound) / 2 : value_size * rate / costs.memory_bytes_per_s;
  costs.half_m = costs.half_n = costs.half_k / 2;
  notes.push_back(
      fmt::format("not calibrated: no hpl.kernels.gemm; dgemm's rate over sizes derived from {}",
                  known ? "that of square matrices" : "one rate and the memory bandwidth"));
}

/// On the host its share of the simulation's rate; where it computes the update, the flops at
/// dgemm's rate after log2(NB) sweeps of a recursive factorization through memory.
void derive_panel(const Machine& machine, int ranks_per_node, Bound bound, HplCosts& costs,
                  Notes& notes) {
  if (const auto* simulation = hpl_simulation(machine); simulation && costs.panel_on_host) {
    const HplSimulationParameters& host = *simulation;
    costs.panel_flops_per_s = rate_at(host.host_peak_flops_per_s, bound) *
                              rate_at(host.host_efficiency, bound) *
                              rate_at(host.blas_efficiency, bound) / ranks_per_node;
    notes.push_back(
        "not calibrated: no hpl.kernels.panel_flops_per_s; panels at the host's dgemm rate, which "
        "is optimistic");
    return;
  }
  costs.panel_flops_per_s = costs.gemm_flops_per_s;
  costs.panel_sweep_bytes_per_s = costs.memory_bytes_per_s;
  notes.push_back(
      "not calibrated: no hpl.kernels.panel_flops_per_s; panels derived from dgemm's rate and "
      "log2(NB) sweeps at the device's memory bandwidth");
}

void set_gemm(const GemmRamp& ramp, Bound bound, HplCosts& costs) {
  costs.gemm_flops_per_s = rate_at(ramp.flops_per_s, bound);
  costs.half_m = cost_at(ramp.half_m, bound);
  costs.half_n = cost_at(ramp.half_n, bound);
  costs.half_k = cost_at(ramp.half_k, bound);
}

}  // namespace

double HplPath::seconds(double count, double bytes) const {
  if (timing == nullptr || count <= 0) return 0;
  return count * link_time(*timing, bytes / count, bound, sharing);
}

HplPaths hpl_paths(const Machine& machine, const ProcessGrid& grid, int ranks_per_node,
                   Bound bound) {
  const Paths known(machine, {ranks_per_node});
  const auto path = [&](bool crosses, double sharing) {
    const Path found = known.to(crosses ? Across::other_node : Across::same_node);
    return HplPath{&found.link->one_way, bound, found.name == "network" ? sharing : 1};
  };
  const bool one_node = grid.rows * grid.columns <= ranks_per_node;
  const bool rows_within_nodes = one_node || ranks_per_node % grid.columns == 0;
  const int rows_on_node = (ranks_per_node - 1) / grid.columns + 1;
  HplPaths paths;
  if (grid.columns > 1) paths.row = path(!rows_within_nodes, rows_on_node);
  if (grid.rows > 1) paths.column = path(!one_node, std::min(ranks_per_node, grid.columns));
  return paths;
}

double HplCosts::gemm(double m, double n, double k) const {
  if (m <= 0 || n <= 0) return 0;
  return launch_s +
         2 * (m * n * k + half_m * n * k + half_n * m * k + half_k * m * n) / gemm_flops_per_s;
}

double HplCosts::trsm(double w, double n) const {
  if (n <= 0) return 0;
  if (trsm_flops_per_s > 0) return launch_s + w * w * n / trsm_flops_per_s;
  return launch_s + (gemm(w, n, w) - launch_s) / 2;  // half the flops of the product
}

double HplCosts::panel(double m, double w) const {
  const double sweeps = std::max(1., std::log2(w));
  const double bytes = panel_sweep_bytes_per_s > 0 ? 2 * value_size * m * w * sweeps : 0;
  return w * w * (m - w / 3) / panel_flops_per_s +
         (bytes > 0 ? bytes / panel_sweep_bytes_per_s : 0);
}

double HplCosts::swap(double w, double n) const {
  return 4 * value_size * w * n / swap_bytes_per_s;
}

HplCosts hpl_costs(const Machine& machine, int ranks_per_node, Bound bound, Notes& notes) {
  const bool gpu = machine.device.kind == "gpu";
  HplKernelParameters kernels;
  if (const auto* own = section<HplParameters>(machine); own && own->kernels)
    kernels = *own->kernels;
  HplCosts costs;
  costs.memory_bytes_per_s = rate_at(machine.device.memory_bandwidth_bytes_per_s, bound);
  costs.panel_on_host = gpu && kernels.panel_on == "host";
  if (machine.device.launch_latency_s && gpu)
    costs.launch_s = cost_at(*machine.device.launch_latency_s, bound);
  if (costs.panel_on_host) {
    const Paths paths(machine, {ranks_per_node});
    costs.to_host = copy_path(machine, paths.to_host(), paths.to_host_name(), bound);
    costs.to_device = copy_path(machine, paths.to_device(), paths.to_device_name(), bound);
  }
  if (kernels.gemm)
    set_gemm(*kernels.gemm, bound, costs);
  else
    derive_gemm(machine, bound, costs, notes);
  if (kernels.trsm_flops_per_s)
    costs.trsm_flops_per_s = rate_at(*kernels.trsm_flops_per_s, bound);
  else
    notes.push_back("not calibrated: no hpl.kernels.trsm_flops_per_s; dtrsm derived from dgemm");
  if (kernels.panel_flops_per_s)
    costs.panel_flops_per_s = rate_at(*kernels.panel_flops_per_s, bound);
  else
    derive_panel(machine, ranks_per_node, bound, costs, notes);
  if (kernels.swap_bandwidth_bytes_per_s) {
    costs.swap_bytes_per_s = rate_at(*kernels.swap_bandwidth_bytes_per_s, bound);
  } else {
    costs.swap_bytes_per_s = costs.memory_bytes_per_s;
    notes.push_back(
        "not calibrated: no hpl.kernels.swap_bandwidth_bytes_per_s; row swaps at the memory "
        "bandwidth");
  }
  return costs;
}

}  // namespace bellwether
