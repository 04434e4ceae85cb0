// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_table.hpp"
#include "models/airfoil/airfoil_parameters.hpp"
#include "models/amg/amg_parameters.hpp"
#include "models/cholesky/start_up_parameters.hpp"
#include "models/hpl/hpl_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "microbench/driver/parameter_table.hpp"

namespace bellwether {
namespace {

std::string cell(const Quantity& quantity, double scale) {
  return fmt::format("{:>6} {:<16}", number(quantity.value * scale), interval(quantity, scale));
}

void add_device(const DeviceParameters& device, ParameterTable& table) {
  table.heading(fmt::format("device: {}{}{}", device.name, device.backend.empty() ? "" : ", ",
                            device.backend));
  const std::string& limit = device.memory_bandwidth_bytes_per_s.source;
  table.row("memory bandwidth", device.memory_bandwidth_bytes_per_s, 1e-9, "GB/s",
            "per rank, all ranks at once: the limit of memory-bound kernels" +
                (limit.empty() ? "" : " (" + limit + ")"));
  for (const auto& [precision, rate] : device.peak_flops_per_s)
    table.row("peak " + precision, rate, 1e-9, "GFlop/s",
              "multiply-adds in registers, per rank, all ranks at once");
  for (const auto& [precision, rate] : device.gemm_flops_per_s)
    table.row("matrix product " + precision, rate, 1e-9, "GFlop/s",
              "library call, per rank, all ranks at once");
  if (device.launch_latency_s)
    table.row("kernel launch", *device.launch_latency_s, 1e6, "us",
              "an empty kernel, of many launched one after another");
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
      line += rate == rates.end() ? std::string(23, ' ') : cell(rate->second, 1e-9);
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
  if (timing.samples.empty()) return {};
  const std::string range =
      fmt::format("fit over {} to {}", size_text(timing.samples.front().bytes),
                  size_text(timing.samples.back().bytes));
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

void add_timing(const std::string& name, const LinkTiming& timing, const std::string& meaning,
                ParameterTable& table) {
  table.row(name + ", latency", timing.latency_s, 1e6, "us", meaning);
  table.row(name + ", bandwidth", timing.bandwidth_bytes_per_s, 1e-9, "GB/s", fit_text(timing));
  if (timing.segments.size() < 2) return;
  for (const LinkSegment& segment : timing.segments) {
    const Quantity& bandwidth = segment.bandwidth_bytes_per_s;
    const std::string known = interval(bandwidth, 1e-9);
    table.row("  from " + size_text(segment.from_bytes), segment.latency_s, 1e6, "us",
              fmt::format("and {}{}{} GB/s{}", number(bandwidth.value * 1e-9),
                          known.empty() ? "" : " ", known, burst_text(segment)));
  }
}

void add_link(const std::string& name, const Link& link, ParameterTable& table) {
  table.heading(fmt::format("link {}{}{}", name, link.source.empty() ? "" : ": ", link.source));
  add_timing("one way", link.one_way, "t0 of t(s) = t0 + s / B0", table);
  if (link.unaligned)
    add_timing("unaligned", *link.unaligned, "the same, buffers off the page", table);
  for (const ConcurrentTiming& concurrent : link.concurrent)
    add_timing(
        fmt::format("exchange {} pair{}", concurrent.pairs, concurrent.pairs == 1 ? "" : "s"),
        concurrent.timing, "both ways at once, until both have arrived", table);
  if (link.concurrent.empty() && link.exchange)
    add_timing("exchange", *link.exchange, "both ways at once, until both have arrived", table);
  if (link.ring)
    add_timing("ring", *link.ring, "exchanges with both neighbours of a ring at once", table);
  for (const HideablePoint& point : link.hideable_by_size)
    table.row("hideable, " + size_text(point.bytes), point.fraction, 100, "%",
              "of an exchange in which the rank can compute");
  if (link.hideable_fraction)
    table.row(
        "hideable", *link.hideable_fraction, 100, "%",
        "of an exchange in which the rank can compute (" + link.hideable_fraction->source + ")");
  for (const LinkSample& hop : link.latency_by_hop)
    table.row(fmt::format("latency, {} hop{}", hop.bytes, hop.bytes == 1 ? "" : "s"),
              Quantity::exact(hop.seconds), 1e6, "us", "smallest message");
}

void add_amg(const AmgParameters& amg, ParameterTable& table) {
  table.heading("AMG solve cycle");
  for (std::size_t level = 0; level < amg.flop_time_s.size(); ++level)
    table.row(fmt::format("time per flop, level {}{}", level,
                          level + 1 == amg.flop_time_s.size() ? "+" : ""),
              amg.flop_time_s[level], 1e9, "ns", "sparse product, one thread on every core");
  for (const AmgThreads& one : amg.threads) {
    table.row(fmt::format("bandwidth, {} thread{}", one.threads, one.threads == 1 ? "" : "s"),
              one.bandwidth_bytes_per_s, 1e-9, "GB/s", "STREAM Triad, of each thread");
    table.row("  fork and join", one.fork_join_s, 1e6, "us", "of a parallel loop");
  }
  for (const AmgCoreSharing& one : amg.core_sharing)
    table.row(fmt::format("penalty, {} per core", one.threads_per_core), one.penalty, 1, "",
              "on the time per flop");
}

void add_collectives(const Machine& machine, ParameterTable& table) {
  if (machine.barrier.empty() && machine.allreduce.empty()) return;
  table.heading("collectives");
  for (const CollectiveTime& time : machine.barrier)
    table.row("barrier, " + ranks_text(time.ranks), time.time_s, 1e6, "us", "");
  for (const CollectiveTime& time : machine.allreduce)
    table.row("allreduce, " + ranks_text(time.ranks), time.time_s, 1e6, "us", "of one double");
}

void add_start_up(const StartUpParameters& start_up, ParameterTable& table) {
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

/// The points at the fewest elements, of the least cost, and at the most elements.
void add_airfoil_curve(const char* loop, const std::vector<AirfoilLoopPoint>& points,
                       ParameterTable& table) {
  const auto least =
      std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
        return a.seconds_per_element.value < b.seconds_per_element.value;
      });
  std::string line = fmt::format("  {:<14}", loop);
  for (const AirfoilLoopPoint& point : {points.front(), *least, points.back()})
    line += cell(point.seconds_per_element, 1e9) + fmt::format("over {:<12.0f}", point.elements);
  table.line(line);
}

void add_airfoil(const AirfoilParameters& airfoil, ParameterTable& table) {
  for (const auto& [precision, curves] : airfoil.loops) {
    table.heading(
        fmt::format("airfoil loops, {}: ns [95 %] for one of a call's elements", precision));
    const bool measured = curves.front().size() > 1;
    if (measured)
      table.line(fmt::format("  {:<14}   {:<37}{:<37}{}", "", "fewest", "least", "most"));
    for (std::size_t loop = 0; loop < curves.size(); ++loop) {
      if (measured && !curves[loop].empty())
        add_airfoil_curve(airfoil_loop_names[loop], curves[loop], table);
      else
        for (const AirfoilLoopPoint& point : curves[loop])
          table.row(
              airfoil_loop_names[loop], point.seconds_per_element, 1e9, "ns",
              fmt::format("over {:.0f} ({})", point.elements, point.seconds_per_element.source));
    }
  }
  if (airfoil.ranks_per_nic)
    table.line(fmt::format("  {} through one network card", ranks_text(*airfoil.ranks_per_nic)));
}

void add_hpl(const HplParameters& hpl, ParameterTable& table) {
  table.heading("HPL");
  if (hpl.simulation) {
    const HplSimulationParameters& simulation = *hpl.simulation;
    table.row("host peak f64", simulation.host_peak_flops_per_s, 1e-9, "GFlop/s", "of a node");
    table.row("efficiency, host", simulation.host_efficiency, 100, "%", "of its peak");
    table.row("efficiency, device", simulation.device_efficiency, 100, "%", "of its peak");
    table.row("efficiency, BLAS", simulation.blas_efficiency, 100, "%", "of both");
    table.row("efficiency, network", simulation.network_efficiency, 100, "%", "of its bandwidth");
  }
  if (!hpl.kernels) return;
  if (const auto& gemm = hpl.kernels->gemm) {
    table.row("dgemm", gemm->flops_per_s, 1e-9, "GFlop/s", "large matrices");
    table.row("  at half rate from k", gemm->half_k, 1, "", "with m and n large");
  }
  if (const auto& rate = hpl.kernels->trsm_flops_per_s)
    table.row("dtrsm", *rate, 1e-9, "GFlop/s", "of one rank");
  if (const auto& rate = hpl.kernels->panel_flops_per_s)
    table.row("panel", *rate, 1e-9, "GFlop/s", "factored on the " + hpl.kernels->panel_on);
  if (const auto& bandwidth = hpl.kernels->swap_bandwidth_bytes_per_s)
    table.row("row swaps", *bandwidth, 1e-9, "GB/s", "bytes read plus bytes written");
}

}  // namespace

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
  if (const auto* own = section<StartUpParameters>(machine)) add_start_up(*own, table);
  if (const auto* own = section<AirfoilParameters>(machine)) add_airfoil(*own, table);
  if (const auto* own = section<HplParameters>(machine)) add_hpl(*own, table);
  if (const auto* own = section<AmgParameters>(machine)) add_amg(*own, table);
  if (!machine.warnings.empty()) table.heading("WARNINGS");
  for (const std::string& warning : machine.warnings) table.line("  !! " + warning);
  return table.text();
}

}  // namespace bellwether
