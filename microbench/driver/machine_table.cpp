// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "microbench/driver/registry.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/network/collectives.hpp"
#include "models/network/link.hpp"

namespace bellwether {
namespace {

void add_device(const DeviceParameters& device, ParameterTable& table) {
  table.heading(fmt::format("device: {}{}{}", device.name, device.backend.empty() ? "" : ", ",
                            device.backend));
  const std::string& limit = device.memory_bandwidth_bytes_per_s.source;
  table.row("memory bandwidth", device.memory_bandwidth_bytes_per_s, 1e-9, "GB/s",
            "per rank, all ranks at once: the limit of memory-bound kernels" +
                (limit.empty() ? "" : " (" + limit + ")"));
  if (device.memory_efficiency)
    table.row("  of it, kernels get", *device.memory_efficiency, 100, "%",
              device.memory_efficiency->source);
  for (const auto& [precision, rate] : device.peak_flops_per_s)
    table.row("peak " + precision, rate, 1e-9, "GFlop/s",
              "multiply-adds in registers, per rank, all ranks at once");
  for (const auto& [precision, rate] : device.gemm_flops_per_s)
    table.row("matrix product " + precision, rate, 1e-9, "GFlop/s",
              "library call, per rank, all ranks at once" +
                  (rate.source.empty() ? "" : " (" + rate.source + ")"));
  for (const auto& [precision, rate] : device.gemm_sustained_flops_per_s)
    table.row("  sustained " + precision, rate, 1e-9, "GFlop/s", "for a second: " + rate.source);
  for (const auto& [precision, size] : device.gemm_half_size)
    table.row("  at half rate " + precision, size, 1, "", "n of n x n matrices");
  if (device.launch_latency_s)
    table.row("kernel launch", *device.launch_latency_s, 1e6, "us",
              "an empty kernel, of many launched one after another");
  if (device.between_kernels_s)
    table.row("between kernels", *device.between_kernels_s, 1e6, "us", "that are each timed");
  if (device.memory_bytes > 0)
    table.row("memory", Quantity::exact(device.memory_bytes), 1e-9, "GB", "capacity per rank");
}

void add_stream(const std::vector<StreamResult>& results, ParameterTable& table) {
  if (results.empty()) return;
  table.heading("STREAM, GB/s per rank [95 %]: large arrays, write-allocate not counted");
  const std::vector<std::string> kernels{"copy", "scale", "add", "triad"};
  table.line(fmt::format("  {:<26}   {:<23}{:<23}{:<23}{}", "", "copy", "scale", "add", "triad"));
  using Variant = std::tuple<std::string, std::string, int>;
  std::map<Variant, std::map<std::string, Quantity>> by_variant;
  for (const StreamResult& result : results)
    by_variant[{result.precision, result.stores, result.ranks}][result.kernel] =
        result.bandwidth_bytes_per_s;
  for (const auto& [variant, rates] : by_variant) {
    const auto& [precision, stores, ranks] = variant;
    std::string line =
        fmt::format("  {:<26}", fmt::format("{}, {}, {}", precision, stores, ranks_text(ranks)));
    for (const std::string& kernel : kernels) {
      const auto rate = rates.find(kernel);
      line += rate == rates.end() ? std::string(23, ' ') : table_cell(rate->second, 1e-9);
    }
    table.line(line);
  }
}

void add_curves(const std::vector<MemoryCurve>& curves, ParameterTable& table) {
  if (curves.empty()) return;
  table.heading(
      "memory curves, GB/s per rank: row kernels on cubes, against the bytes that a "
      "rank touches;\nrereads 0 is a copy (in_place: an update of one array or of several at "
      "once), 4 reads\neach value as often as a 7-point stencil");
  table.line(fmt::format("  {:<38}   {:<23}{:<23}{}", "", "smallest", "best", "largest"));
  for (const MemoryCurve& curve : curves) {
    const auto best = std::max_element(
        curve.points.begin(), curve.points.end(), [](const auto& a, const auto& b) {
          return a.bandwidth_bytes_per_s.value < b.bandwidth_bytes_per_s.value;
        });
    std::string line = fmt::format(
        "  {:<38}",
        fmt::format("{}, {}, {}, {}", curve.precision, curve.stores, ranks_text(curve.ranks),
                    curve.arrays == 1 ? fmt::format("rereads {}", curve.rereads)
                                      : fmt::format("{} arrays", curve.arrays)));
    for (const BandwidthPoint& point : {curve.points.front(), *best, curve.points.back()})
      line += fmt::format("{:>6} {:<16}", number(point.bandwidth_bytes_per_s.value * 1e-9),
                          "at " + size_text(point.working_set_bytes));
    table.line(line);
  }
}

/// How well the one latency and bandwidth fit, and the segments.
std::string fit_text(const LinkTiming& timing) {
  if (timing.largest_bytes == 0) return {};
  const std::string range = "fit up to " + size_text(timing.largest_bytes);
  if (timing.segments.size() < 2)
    return fmt::format("{}: misses at most {:.0f} %", range, 100 * timing.largest_residual_paper);
  return fmt::format("{}: misses at most {:.0f} %; in {} segments {:.0f} %", range,
                     100 * timing.largest_residual_paper, timing.segments.size(),
                     100 * timing.largest_residual);
}

/// What of a segment's messages passes ahead of its bandwidth.
std::string burst_text(const LinkSegment& segment) {
  if (segment.burst_bytes.value <= 0) return "";
  return fmt::format(" after the first {} KB", number(segment.burst_bytes.value * 1e-3));
}

std::string bandwidth_text(const Quantity& bandwidth) {
  if (!is_resolved(bandwidth)) return unresolved_text(bandwidth);
  const std::string known = interval(bandwidth, 1e-9);
  return number(bandwidth.value * 1e-9) + (known.empty() ? "" : " ") + known;
}

void add_timing(const std::string& name, const LinkTiming& timing, const std::string& meaning,
                ParameterTable& table) {
  table.row(name + ", latency", timing.latency_s, 1e6, "us", meaning);
  const Quantity& bandwidth = timing.bandwidth_bytes_per_s;
  if (is_resolved(bandwidth))
    table.row(name + ", bandwidth", bandwidth, 1e-9, "GB/s", fit_text(timing));
  else
    table.line(fmt::format("  {:<26} {} GB/s; {}", name + ", bandwidth", unresolved_text(bandwidth),
                           fit_text(timing)));
  if (timing.segments.size() < 2) return;
  for (const LinkSegment& segment : timing.segments)
    table.row("  from " + size_text(segment.from_bytes), segment.latency_s, 1e6, "us",
              fmt::format("and {} GB/s{}", bandwidth_text(segment.bandwidth_bytes_per_s),
                          burst_text(segment)));
}

void add_link(const std::string& name, const Link& link, ParameterTable& table) {
  table.heading(fmt::format("link {}{}{}", name, link.source.empty() ? "" : ": ", link.source));
  add_timing("one way", link.one_way, "t0 of t(s) = t0 + s / B0", table);
  if (const std::optional<Quantity>& overhead = link.one_way.overhead_s) {
    table.row("overhead o", *overhead, 1e6, "us",
              "that a message costs each CPU" +
                  (overhead->source.empty() ? "" : ", " + overhead->source));
    table.row("wire latency L", wire_latency(link.one_way), 1e6, "us",
              "of the smallest message, without both overheads: overlaps");
  }
  if (link.unaligned)
    add_timing("unaligned", *link.unaligned, "the same, buffers off the page", table);
  if (link.exchange)
    add_timing("exchange", *link.exchange, "both ways at once, until both have arrived", table);
  for (const ConcurrentTiming& concurrent : link.concurrent)
    add_timing(fmt::format("exchange {} pairs", concurrent.pairs), concurrent.timing,
               "the same of each of so many pairs", table);
  if (link.ring)
    add_timing("ring", *link.ring, "exchanges with both neighbours of a ring at once", table);
  if (link.gap) add_timing("gap", *link.gap, "g + G s that each further exchange adds", table);
  for (const ConcurrentTiming& gap : link.concurrent_gap)
    add_timing(fmt::format("gap, {} ranks", gap.pairs), gap.timing,
               "the same while so many ranks of a node send to another", table);
  for (const ExposedExchange& one : link.exposed_exchange)
    table.row("exposed, " + size_text(one.bytes), one.share, 100, "%",
              "of an exchange that a step keeps with overlap");
  for (const SweptExchange& sweep : link.after_sweep) {
    std::string all;
    for (const AddedPoint& point : sweep.added)
      all += fmt::format("{}{} +{}", all.empty() ? "" : ", ", size_text(point.bytes),
                         number(point.added_s.value * 1e6));
    table.line(fmt::format("  {:<30} {} us an exchange",
                           "after " + size_text(sweep.swept_bytes) + " swept", all));
  }
  if (const std::optional<Quantity>& limit = link.eager_limit_bytes)
    table.line(fmt::format("  {:<30} {}", "sent before asked for",
                           limit->value > 0 ? "up to " + size_text(limit->value) : "none") +
               (limit->source.empty() ? "" : ": " + limit->source));
  for (const HopLatency& hop : link.latency_by_hop)
    table.row(fmt::format("latency, {} hop{}", hop.hops, hop.hops == 1 ? "" : "s"),
              Quantity::exact(hop.seconds), 1e6, "us", "smallest message");
}

void add_fit(const CollectiveFit& fit, ParameterTable& table) {
  for (const CollectiveSegment& one : fit.segments) {
    const std::string what =
        fmt::format("allreduce, {} from {}", one.form, size_text(one.from_bytes));
    table.row(what, one.round_s, 1e6, "us", "a round within a node");
    if (one.node_round_s) table.row(what, *one.node_round_s, 1e6, "us", "a round between nodes");
  }
}

void add_collectives(const Machine& machine, ParameterTable& table) {
  if (machine.barrier.empty() && machine.allreduce.empty()) return;
  table.heading("collectives");
  for (const CollectiveTime& time : machine.barrier)
    table.row("barrier, " + ranks_text(time.ranks), time.time_s, 1e6, "us", "");
  for (const CollectiveTime& time : machine.allreduce)
    table.row("allreduce, " + ranks_text(time.ranks), time.time_s, 1e6, "us", "of one double");
  if (const auto* const fits = section<CollectiveParameters>(machine); fits && fits->allreduce)
    add_fit(*fits->allreduce, table);
}

}  // namespace

std::string number(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  if (value >= 0.0995 || value == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

std::string interval(const Quantity& quantity, double scale) {
  if (quantity.low == quantity.high) return {};
  return fmt::format("[{}, {}]", number(quantity.low * scale), number(quantity.high * scale));
}

std::string table_cell(const Quantity& quantity, double scale) {
  return fmt::format("{:>6} {:<16}", number(quantity.value * scale), interval(quantity, scale));
}

bool is_resolved(const Quantity& bandwidth) { return bandwidth.high <= 10 * bandwidth.low; }

std::string unresolved_text(const Quantity& bandwidth) {
  return "not resolved, above " + number(bandwidth.low * 1e-9);
}

std::string size_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 3; ++unit) bytes /= 1024;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string ranks_text(int ranks) { return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks); }

void ParameterTable::line(const std::string& text) {
  text_ += text;
  text_.erase(text_.find_last_not_of(' ') + 1);
  text_ += '\n';
}

void ParameterTable::heading(const std::string& text) { text_ += '\n' + text + '\n'; }

void ParameterTable::row(const std::string& name, const Quantity& quantity, double scale,
                         const char* unit, const std::string& meaning) {
  line(fmt::format("  {:<26}{:>9} {:<20} {:<8} {}", name, number(quantity.value * scale),
                   interval(quantity, scale), unit, meaning));
}

std::string machine_table(const Machine& machine) {
  ParameterTable table;
  table.line(fmt::format("machine {}", machine.name));
  for (const std::string& text : {machine.description, machine.source, machine.date})
    if (!text.empty()) table.line("  " + text);
  table.line(fmt::format("  {}, {} on each node", ranks_text(machine.layout.ranks),
                         machine.layout.ranks_per_node));
  add_device(machine.device, table);
  add_stream(machine.device.stream, table);
  add_curves(machine.device.memory, table);
  for (const auto& [name, link] : machine.links) add_link(name, link, table);
  add_collectives(machine, table);
  for (const Folder& folder : folders())
    if (folder.table != nullptr) folder.table(machine, table);
  if (!machine.warnings.empty()) table.heading("WARNINGS");
  for (const std::string& warning : machine.warnings) table.line("  !! " + warning);
  return table.text();
}

}  // namespace bellwether
