// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "microbench/driver/registry.hpp"
#include "models/drift/drift_parameters.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

void add_head(const Machine& machine, ParameterTable& table) {
  const std::string& what = machine.description;
  table.line(fmt::format("machine {}{}{}", machine.name, what.empty() ? "" : ": ", what));
  std::string made;
  for (const std::string& text : {machine.source, machine.date})
    if (!text.empty()) made += text + "; ";
  table.line(fmt::format("  {}{}, {} on each node", made, ranks_text(machine.layout.ranks),
                         machine.layout.ranks_per_node));
}

void add_limits(const Machine& machine, ParameterTable& table) {
  const DeviceParameters& device = machine.device;
  table.line(fmt::format("limits of a rank, all ranks at once: {}{}{}", device.name,
                         device.backend.empty() || device.backend == device.name ? "" : ", ",
                         device.backend == device.name ? "" : device.backend));
  table.row("memory bandwidth", device.memory_bandwidth_bytes_per_s, 1e-9, "GB/s",
            device.memory_bandwidth_bytes_per_s.source);
  if (device.memory_efficiency)
    table.row("  of it, kernels get", *device.memory_efficiency, 100, "%",
              device.memory_efficiency->source.substr(
                  0, device.memory_efficiency->source.find(": ")));  // --details has all of it
  for (const auto& [precision, rate] : device.peak_flops_per_s)
    table.row("peak " + precision, rate, 1e-9, "GFlop/s", "multiply-adds in registers");
  for (const auto& [precision, rate] : device.gemm_flops_per_s) {
    const auto peak = device.peak_flops_per_s.find(precision);
    table.row("matrix product " + precision, rate, 1e-9, "GFlop/s",
              peak == device.peak_flops_per_s.end()
                  ? ""
                  : fmt::format("{:.2f} of the peak", rate.value / peak->second.value));
    if (const auto sustained = device.gemm_sustained_flops_per_s.find(precision);
        sustained != device.gemm_sustained_flops_per_s.end())
      table.row("  sustained", sustained->second, 1e-9, "GFlop/s", "when it goes on for a second");
  }
  if (const auto library = machine.provenance.find("gemm_library");
      library != machine.provenance.end())
    table.line("  matrix products by " + library->second);
  if (device.launch_latency_s)
    table.row("kernel launch", *device.launch_latency_s, 1e6, "us", "an empty kernel");
}

/// How far one line of two numbers is from the samples, and how far the segments are.
std::string misses_text(const LinkTiming& timing) {
  if (timing.largest_bytes == 0) return "not measured here";
  std::string text =
      fmt::format("off by at most {:.0f} % up to {}", 100 * timing.largest_residual_paper,
                  size_text(timing.largest_bytes));
  if (timing.segments.size() > 1)
    text += fmt::format(" ({} segments: {:.0f} %)", timing.segments.size(),
                        100 * timing.largest_residual);
  return text;
}

void add_links(const Machine& machine, ParameterTable& table) {
  if (machine.links.empty()) return;
  table.line(fmt::format("{:<18}{:<25}{:<25} {}", "links, one way", "   t0, us [95 %]",
                         "   B0, GB/s [95 %]", "t0 + s/B0"));
  for (const auto& [name, link] : machine.links) {
    const Quantity& bandwidth = link.one_way.bandwidth_bytes_per_s;
    table.line(fmt::format(
        "  {:<16}{:<25}{:<25} {}", name, table_cell(link.one_way.latency_s, 1e6),
        is_resolved(bandwidth) ? table_cell(bandwidth, 1e-9) : unresolved_text(bandwidth),
        misses_text(link.one_way)));
  }
}

/// The most ranks that a collective was measured on.
std::string collective_text(const char* name, const std::vector<CollectiveTime>& times) {
  if (times.empty()) return {};
  return fmt::format(", {} of {} {} us", name, ranks_text(times.back().ranks),
                     number(times.back().time_s.value * 1e6));
}

void add_collectives(const Machine& machine, ParameterTable& table) {
  const std::string text =
      collective_text("barrier", machine.barrier) + collective_text("allreduce", machine.allreduce);
  if (!text.empty()) table.line("collectives: " + text.substr(2));
}

/// What else there is, by name.
void add_calibrated(const Machine& machine, ParameterTable& table) {
  std::string text;
  double largest = 0;
  for (const MemoryCurve& curve : machine.device.memory)
    largest = std::max(largest, curve.points.back().working_set_bytes);
  if (largest > 0)
    text += fmt::format(", {} memory curves up to {} a rank", machine.device.memory.size(),
                        size_text(largest));
  for (const Folder& folder : folders()) {
    if (folder.parameters == nullptr) continue;
    ParameterTable own;
    folder.table(machine, own);
    if (!own.text().empty()) text += fmt::format(", {}", folder.parameters);
  }
  if (!text.empty()) table.line("calibrated: " + text.substr(2));
}

/// How much longer than their median nine of ten probes took; and where the moment of a run and
/// that of the calibration may so differ by more than a factor of 2, which judges nothing.
void add_drift(const Machine& machine, ParameterTable& table) {
  const auto* drift = section<DriftParameters>(machine);
  if (drift == nullptr) return;
  constexpr double widest = 1.41;  // of the one as of the other
  std::string text, unsteady;
  for (const DriftSeries& series : drift->series) {
    const auto at = [&](double share) {
      return series.slowness[static_cast<std::size_t>(
          share * static_cast<double>(series.slowness.size() - 1) + 0.5)];
    };
    text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", series.of,
                        signed_percent(at(0.05) - 1), signed_percent(at(0.95) - 1));
    if (at(0.95) > widest * at(0.05)) unsteady += ", " + series.of;
  }
  if (!unsteady.empty())
    text += fmt::format("; !! too unsteady to judge runs by {}: calibrate while nothing else runs",
                        unsteady.substr(2));
  table.line(fmt::format("drift within {:.0f} s: 90 % of probes took {}", drift->span_s, text));
}

}  // namespace

std::string machine_summary(const Machine& machine) {
  ParameterTable table;
  add_head(machine, table);
  add_limits(machine, table);
  add_links(machine, table);
  add_collectives(machine, table);
  add_calibrated(machine, table);
  add_drift(machine, table);
  for (const std::string& warning : machine.warnings) table.line("!! " + warning);
  return table.text();
}

}  // namespace bellwether
