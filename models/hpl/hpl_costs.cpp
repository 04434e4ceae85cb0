// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/errors.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"
#include "models/roofline/roofline.hpp"

namespace bellwether {
namespace {

using Notes = std::vector<std::string>;

constexpr double value_size = sizeof(double);

HplPath copy_path(const Machine& machine, const LinkTiming* timing, const char* name, Bound bound) {
  if (timing == nullptr)
    throw BadInput(
        fmt::format("machine {}: links.{} is missing, expected where panels pass through the host",
                    machine.name, name));
  return {timing, bound, 1};
}

/// dgemm under the device's roofline: libraries load a tile while they multiply the one before.
void derive_gemm(const Machine& machine, Bound bound, HplCosts& costs, Notes& notes) {
  double rate = rate_at(device_gemm_flops(machine, notes), bound);
  const HplSimulationParameters* simulation = hpl_simulation(machine);
  if (simulation && machine.device.kind == "gpu")
    rate *=
        rate_at(simulation->device_efficiency, bound) * rate_at(simulation->blas_efficiency, bound);
  costs.gemm_flops_per_s = rate;
  costs.gemm_bytes_per_s = costs.memory_bytes_per_s;
  notes.emplace_back(
      "not calibrated: no hpl.kernels.gemm; dgemm's rate over sizes derived from the roofline of "
      "one rate and the memory bandwidth");
}

/// On the host its share of the simulation's rate; where it computes the update, the flops at
/// dgemm's rate after log2(NB) sweeps of a recursive factorization through memory.
void derive_panel(const Machine& machine, int ranks_on_node, Bound bound, HplCosts& costs,
                  Notes& notes) {
  const bool on_host = costs.panels_by == PanelsBy::host;
  if (const auto* simulation = hpl_simulation(machine); simulation && on_host) {
    const HplSimulationParameters& host = *simulation;
    costs.panel_flops_per_s = rate_at(host.host_peak_flops_per_s, bound) *
                              rate_at(host.host_efficiency, bound) *
                              rate_at(host.blas_efficiency, bound) / ranks_on_node;
    notes.push_back(
        "not calibrated: no hpl.kernels.panel; panels at the host's dgemm rate, which "
        "is optimistic");
    return;
  }
  costs.panel_flops_per_s = costs.gemm_flops_per_s;
  costs.panel_sweep_bytes_per_s = costs.memory_bytes_per_s;
  notes.push_back(fmt::format(
      "not calibrated: no hpl.kernels.{}; panels derived from dgemm's rate and "
      "log2(NB) sweeps at the device's memory bandwidth",
      costs.panels_by == PanelsBy::stream ? "device_panel (bellwether calibrate)" : "panel"));
}

HplCosts::Product product_at(const ProductRate& rate, Bound bound) {
  return {rate.k, rate_at(rate.flops_per_s, bound), cost_at(rate.half_m, bound),
          cost_at(rate.half_n, bound)};
}

void set_gemm(const GemmRamp& ramp, Bound bound, HplCosts& costs) {
  costs.gemm_flops_per_s = rate_at(ramp.flops_per_s, bound);
  costs.half_m = cost_at(ramp.half_m, bound);
  costs.half_n = cost_at(ramp.half_n, bound);
  costs.half_k = cost_at(ramp.half_k, bound);
  for (const ProductRate& rate : ramp.by_k) costs.gemm_by_k.push_back(product_at(rate, bound));
}

std::vector<HplCosts::PanelOf> panel_table(const std::vector<PanelWidth>& widths, Bound bound) {
  std::vector<HplCosts::PanelOf> panels;
  for (const PanelWidth& one : widths) {
    HplCosts::PanelOf panel{one.width, {}, cost_at(one.inverse_s, bound)};
    for (const PanelHeight& height : one.heights)
      panel.seconds_of_rows.emplace_back(height.rows, cost_at(height.seconds, bound));
    panels.push_back(std::move(panel));
  }
  return panels;
}

PanelsBy panels_by(const Machine& machine, const HplKernelParameters& kernels,
                   const std::string& panel) {
  if (machine.device.kind != "gpu") return PanelsBy::updater;
  if (panel == "device") return PanelsBy::stream;
  return panel == "host" || kernels.panel_on == "host" ? PanelsBy::host : PanelsBy::updater;
}

/// Of whoever factors, if that is known; else derived.
void set_panels(const Machine& machine, const HplKernelParameters& kernels, int ranks_on_node,
                Bound bound, HplCosts& costs, Notes& notes) {
  const bool table_is_of_others =
      machine.device.kind == "gpu" &&
      (kernels.panel_on == "host") != (costs.panels_by == PanelsBy::host);
  if (costs.panels_by == PanelsBy::stream && kernels.device_panel) {
    costs.panel_column_s = cost_at(kernels.device_panel->column_s, bound);
    costs.panel_flops_per_s = rate_at(kernels.device_panel->flops_per_s, bound);
  } else if (kernels.panel.empty() || table_is_of_others) {
    derive_panel(machine, ranks_on_node, bound, costs, notes);
  } else {
    costs.panels = panel_table(kernels.panel, bound);
  }
}

void set_triangles(const HplKernelParameters& kernels, Bound bound, HplCosts& costs, Notes& notes) {
  const std::vector<ProductRate>* rates = &kernels.triangle;
  if (!costs.has_inverse() && kernels.device_panel) {
    if (kernels.device_panel->triangle.empty())
      notes.push_back(
          "not calibrated: no hpl.kernels.device_panel.triangle; solving with L11 as inv(L11) W");
    else
      rates = &kernels.device_panel->triangle;
  }
  if (rates->empty())
    notes.push_back(
        "not calibrated: no hpl.kernels.triangle; inv(L11) W derived from dgemm in four strips");
  for (const ProductRate& rate : *rates) costs.triangles.push_back(product_at(rate, bound));
}

/// The two of a table that enclose x, and how far it lies from the first to the second; before the
/// first and beyond the last one that alone, twice.
template <class Point>
struct Between {
  const Point* first;
  const Point* second;
  double share;
};
template <class Point, class Place>
Between<Point> between(const std::vector<Point>& table, double x, const Place& place) {
  std::size_t next = 0;
  while (next < table.size() && place(table[next]) < x) ++next;
  if (next == 0) return {&table.front(), &table.front(), 0};
  if (next == table.size()) return {&table.back(), &table.back(), 0};
  const Point &before = table[next - 1], &after = table[next];
  return {&before, &after, (x - place(before)) / (place(after) - place(before))};
}
/// Seconds per flop are linear in 1/k; beyond the table's ends as there.
HplCosts::Product product_of(const std::vector<HplCosts::Product>& table, double k) {
  const auto [first, second, share] =
      between(table, k, [](const HplCosts::Product& one) { return one.k; });
  if (first == second) return *first;
  const double in_inverse = share * second->k / k;
  return {k, 1 / std::lerp(1 / first->flops_per_s, 1 / second->flops_per_s, in_inverse),
          std::lerp(first->half_m, second->half_m, in_inverse),
          std::lerp(first->half_n, second->half_n, in_inverse)};
}

/// Linear between two heights, in proportion below the first, along the last two beyond them.
double seconds_at(const std::vector<std::pair<double, double>>& seconds_of_rows, double rows) {
  const auto& table = seconds_of_rows;
  if (rows <= table.front().first || table.size() == 1)
    return table.front().second * rows / table.front().first;
  std::size_t next = 1;
  while (next + 1 < table.size() && table[next].first < rows) ++next;
  const auto &before = table[next - 1], &after = table[next];
  return std::lerp(before.second, after.second,
                   (rows - before.first) / (after.first - before.first));
}

}  // namespace

double HplPath::seconds(double count, double bytes) const {
  if (timing == nullptr || count <= 0) return 0;
  return count * link_time(*timing, bytes / count, bound, sharing);
}

HplPaths hpl_paths(const Machine& machine, const ProcessGrid& grid, int ranks_per_node, Bound bound,
                   const std::shared_ptr<const HplRoutes>& routes) {
  const Paths known(machine, {ranks_per_node});
  const bool one_node = grid.rows * grid.columns <= ranks_per_node;
  // Of the process rows, or columns, along which consecutive ranks lie.
  const int line = grid.column_major ? grid.rows : grid.columns;
  const bool lines_within = one_node || ranks_per_node % line == 0;
  HplPaths paths;
  paths.column_within = one_node || (grid.column_major && lines_within);
  // Where lines end amid nodes each hop is taken to be one between nodes.
  paths.columns_on_node =
      lines_within || line % ranks_per_node == 0 ? grid.columns_on_node(ranks_per_node) : 1;
  const auto path = [&](bool crosses, double sharing) {
    const Path found = known.to(crosses ? Across::other_node : Across::same_node);
    return HplPath{&found.link->one_way, bound, found.name == "network" ? sharing : 1};
  };
  if (paths.columns_on_node > 1) paths.row_within = path(false, 1);
  if (paths.columns_on_node < grid.columns) {
    paths.row_between = path(true, grid.rows_on_node(ranks_per_node));
    paths.between.emplace(known);
    paths.most_eager_bytes = eager_limit_bytes(*known.to(Across::other_node).link);
  }
  if (grid.rows > 1) {
    const bool within = paths.column_within;
    const int on_node = std::min(ranks_per_node, grid.rows * grid.columns);
    // Of a node's ranks, how many are in as many columns, or in one.
    const int at_once = grid.column_major ? on_node : std::min(ranks_per_node, grid.columns);
    const int in_one = grid.column_major ? std::min(on_node, grid.rows) : on_node / grid.columns;
    paths.column = path(!within, at_once);
    const Path along = known.to(within ? Across::same_node : Across::other_node);
    paths.exchange = {ExchangeTimer(along, on_node), bound};
    paths.pivot = {ExchangeTimer(along, std::max(1, in_one)), bound};
  }
  paths.routes = routes;
  if (!routes && ExchangeRoutes(machine, {ranks_per_node}, grid.rows * grid.columns).counts())
    paths.routes = std::make_shared<HplRoutes>(machine, grid, ranks_per_node);
  return paths;
}

double HplCosts::gemm(double m, double n, double k) const {
  if (m <= 0 || n <= 0) return 0;
  if (gemm_by_k.empty()) {
    const double bytes = gemm_bytes_per_s > 0 ? value_size * (2 * m * n + m * k + n * k) : 0;
    return launch_s + std::max(2 * (m * n * k + half_m * n * k + half_n * m * k + half_k * m * n) /
                                   gemm_flops_per_s,
                               bytes > 0 ? bytes / gemm_bytes_per_s : 0);
  }
  const Product rate = product_of(gemm_by_k, k);
  return launch_s + 2 * k * (m * n + rate.half_m * n + rate.half_n * m) / rate.flops_per_s;
}

double HplCosts::triangle(double w, double n) const {
  if (n <= 0) return 0;
  if (triangles.empty()) return launch_s + 5 * (gemm(w, n, w) - launch_s) / 8;
  const Product rate = product_of(triangles, w);
  return launch_s + w * w * (n + rate.half_n) / rate.flops_per_s;
}

double HplCosts::factor(double m, double w) const {
  if (panels.empty()) {
    const double sweeps = std::max(1., std::log2(w));
    const double bytes = panel_sweep_bytes_per_s > 0 ? 2 * value_size * m * w * sweeps : 0;
    return w * panel_column_s + w * w * (m - w / 3) / panel_flops_per_s +
           (bytes > 0 ? bytes / panel_sweep_bytes_per_s : 0);
  }
  const auto [first, second, share] =
      between(panels, w, [](const PanelOf& one) { return one.width; });
  const auto per_column = [m](const PanelOf& one) {
    return seconds_at(one.seconds_of_rows, m) / one.width;
  };
  // Beyond the table's ends with the square of the width.
  if (first == second) return w * per_column(*first) * w / first->width;
  return w * std::lerp(per_column(*first), per_column(*second), share);
}

double HplCosts::inverse(double w) const {
  if (!has_inverse()) return 0;
  if (panels.empty()) return gemm(w, w, w) / 6;  // w^3 / 3 flops
  const auto [first, second, share] =
      between(panels, w, [](const PanelOf& one) { return one.width; });
  const auto per_square = [](const PanelOf& one) { return one.inverse_s / one.width / one.width; };
  if (first == second) return w * w * per_square(*first) * w / first->width;
  return w * w * std::lerp(per_square(*first), per_square(*second), share);
}

double HplCosts::panel(double m, double w) const {
  return 2 * value_size * (m + w) * w / panel_copy_bytes_per_s + factor(m, w) + inverse(w);
}

double HplCosts::copy_rows(double doubles) const {
  return 2 * value_size * doubles / swap_bytes_per_s;
}

double HplCosts::sweep(double doubles) const { return value_size * doubles / solve_bytes_per_s; }

std::string predicted_panel(const Machine& machine, const std::string& asked,
                            const ProcessGrid& grid) {
  if (machine.device.kind != "gpu") return {};
  if (!asked.empty() || grid.rows > 1) return asked;
  return hpl_device_panel(machine) != nullptr ? "device" : "";
}

HplCosts hpl_costs(const Machine& machine, int ranks_on_node, Bound bound, Notes& notes,
                   const std::string& panel) {
  HplKernelParameters kernels;
  if (const auto* own = section<HplParameters>(machine); own && own->kernels)
    kernels = *own->kernels;
  HplCosts costs;
  costs.memory_bytes_per_s = memory_rate(machine, ranks_on_node, bound);
  costs.panels_by = panels_by(machine, kernels, panel);
  if (machine.device.launch_latency_s && machine.device.kind == "gpu")
    costs.launch_s = cost_at(*machine.device.launch_latency_s, bound);
  if (costs.panels_beside()) {
    const Paths paths(machine, {ranks_on_node});
    costs.to_host = copy_path(machine, paths.to_host(), paths.to_host_name(), bound);
    costs.to_device = copy_path(machine, paths.to_device(), paths.to_device_name(), bound);
  }
  if (kernels.gemm)
    set_gemm(*kernels.gemm, bound, costs);
  else
    derive_gemm(machine, bound, costs, notes);
  set_triangles(kernels, bound, costs, notes);
  set_panels(machine, kernels, ranks_on_node, bound, costs, notes);
  const auto bandwidth = [&](const std::optional<Quantity>& measured, const char* key,
                             const char* what) {
    if (measured) return rate_at(*measured, bound);
    notes.push_back(
        fmt::format("not calibrated: no hpl.kernels.{}; {} at the memory bandwidth", key, what));
    return costs.memory_bytes_per_s;
  };
  costs.panel_copy_bytes_per_s = bandwidth(kernels.panel_copy_bandwidth_bytes_per_s,
                                           "panel_copy_bandwidth_bytes_per_s", "panels are copied");
  costs.swap_bytes_per_s =
      bandwidth(kernels.swap_bandwidth_bytes_per_s, "swap_bandwidth_bytes_per_s", "row swaps");
  costs.solve_bytes_per_s =
      bandwidth(kernels.solve_bandwidth_bytes_per_s, "solve_bandwidth_bytes_per_s", "the solve");
  if (kernels.broadcast_bandwidth_bytes_per_s)
    costs.broadcast_bytes_per_s = rate_at(*kernels.broadcast_bandwidth_bytes_per_s, bound);
  if (kernels.pivot_s) costs.pivot_s = cost_at(*kernels.pivot_s, bound);
  return costs;
}

}  // namespace bellwether
