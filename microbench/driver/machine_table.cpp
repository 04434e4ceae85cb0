// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/drift/drift_parameters.hpp"
#include "models/machine/machine_json.hpp"
#include "models/network/paths.hpp"
#include "models/network/textbook.hpp"
#include "results/statistics.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Three significant digits, without exponents where people would not write them.
std::string number(double value) {
  if (value >= 99.95) return fmt::format("{:.0f}", value);
  if (value >= 9.995) return fmt::format("{:.1f}", value);
  if (value >= 0.0995 || value == 0) return fmt::format("{:.2f}", value);
  return fmt::format("{:.2g}", value);
}

/// "[low, high]" times scale; empty where the two are one.
std::string interval(const Quantity& quantity, double scale) {
  if (quantity.low == quantity.high) return {};
  return fmt::format("[{}, {}]", number(quantity.low * scale), number(quantity.high * scale));
}

std::string table_cell(const Quantity& quantity, double scale) {
  return fmt::format("{:>6} {:<16}", number(quantity.value * scale), interval(quantity, scale));
}

/// Where times hardly grow with size, samples do not tell a bandwidth.
std::string bandwidth_cell(const Quantity& bandwidth) {
  const bool resolved = bandwidth.high <= 10 * bandwidth.low;
  return resolved ? table_cell(bandwidth, 1e-9)
                  : "not resolved, above " + number(bandwidth.low * 1e-9);
}

/// In binary units: "64 KiB".
std::string size_text(double bytes) {
  const char* units[] = {"B", "KiB", "MiB", "GiB"};
  int unit = 0;
  for (; bytes >= 1024 && unit < 3; ++unit) bytes /= 1024;
  return fmt::format("{:.3g} {}", bytes, units[unit]);
}

std::string ranks_text(int ranks) { return ranks == 1 ? "1 rank" : fmt::format("{} ranks", ranks); }

/// Parameters for people, one to a line.
class ParameterTable {
 public:
  /// Names take so many columns.
  explicit ParameterTable(int width = 26) : width_(width) {}
  void line(const std::string& text) {
    text_ += text;
    text_.erase(text_.find_last_not_of(' ') + 1);
    text_ += '\n';
  }
  void words(const std::string& name, const std::string& text) {
    line(fmt::format("  {:<{}}   {}", name, width_, text));
  }
  /// Name, value and 95 % interval times scale, unit and meaning.
  void row(const std::string& name, const Quantity& quantity, double scale, const char* unit,
           const std::string& meaning) {
    line(fmt::format("  {:<{}}{:>9} {:<20} {:<8} {}", name, width_, number(quantity.value * scale),
                     interval(quantity, scale), unit, meaning));
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  int width_;
  std::string text_;
};

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
    table.row("peak " + precision, rate, 1e-9, "Gflop/s", "multiply-adds in registers");
  for (const auto& [precision, rate] : device.gemm_flops_per_s) {
    const auto peak = device.peak_flops_per_s.find(precision);
    table.row("matrix product " + precision, rate, 1e-9, "Gflop/s",
              peak == device.peak_flops_per_s.end()
                  ? ""
                  : fmt::format("{:.2f} of the peak", rate.value / peak->second.value));
    if (const auto sustained = device.gemm_sustained_flops_per_s.find(precision);
        sustained != device.gemm_sustained_flops_per_s.end())
      table.row("  sustained", sustained->second, 1e-9, "Gflop/s", "when it goes on for a second");
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
    table.line(fmt::format("  {:<16}{:<25}{:<25} {}", name, table_cell(link.one_way.latency_s, 1e6),
                           bandwidth_cell(bandwidth), misses_text(link.one_way)));
  }
}

void add_collectives(const Machine& machine, ParameterTable& table) {
  if (machine.allreduce.empty()) return;
  const auto& [ranks, time_s] = machine.allreduce.back();  // the most
  table.line(fmt::format("collectives: allreduce of {} {} us", ranks_text(ranks),
                         number(time_s.value * 1e6)));
}

/// A row for each collective: medians by the bytes of a block, and a textbook's over these links.
void add_block_collectives(const Machine& machine, ParameterTable& table) {
  const auto& [all, per_node, cores] = machine.layout;
  const Paths hosts(machine, {per_node}), devices(machine, {per_node}, MessageMemory::device);
  const bool known = hosts.has(per_node < all ? Across::other_node : Across::same_node) &&
                     (per_node == 1 || hosts.has(Across::same_node));
  std::string head;
  std::vector<std::string> rows;
  for (const auto& [name, times] : machine.collective_times) {
    std::string columns, row;
    for (const auto& [bytes, time_s] : times) {
      const double textbook_s =
          known ? textbook_time(name.substr(0, name.find("_direct")),
                                name.ends_with("_direct") ? devices : hosts, all, bytes)
                : 0;
      columns += fmt::format("{:>18}", size_text(bytes));
      row += fmt::format("{:>18}", fmt::format("{} ({})", number(1e6 * time_s.value),
                                               known ? number(1e6 * textbook_s) : "-"));
    }
    if (columns.size() > head.size()) head = columns;
    rows.push_back(fmt::format("  {:<22}{}", name, row));
  }
  if (rows.empty()) return;
  table.line(fmt::format("{:<24}{}  us (textbook over these links)",
                         ranks_text(all) + ", blocks of", head));
  for (const std::string& row : rows) table.line(row);
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
  for (const auto& [name, parameters] : machine.sections) text += ", " + name;
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

/// A unit in which people read numbers, and what a number in the key's own is multiplied by.
struct Unit {
  double scale = 1;
  const char* name = "";
};

/// By the key's end; where that tells none, the unit of the object around.
Unit unit_of(const std::string& key, const Unit& around) {
  if (key.ends_with("flops_per_s")) return {1e-9, "Gflop/s"};
  if (key.ends_with("bytes_per_s")) return {1e-9, "GB/s"};
  if (key.ends_with("_per_s")) return {1, "1/s"};
  if (key.starts_with("seconds_per_")) return {1e9, "ns"};
  if (key.ends_with("_s") || key == "seconds") return {1e6, "us"};
  if (key.ends_with("_w")) return {1, "W"};
  if (key.ends_with("bytes")) return {1, "B"};
  return key.ends_with("fraction") || key.ends_with("efficiency") ? Unit{100, "%"} : around;
}

/// What tells an element of a list from its neighbours: its words and plain numbers.
std::string words_of(const json& element) {
  std::string words;
  for (const auto& [key, value] : element.items())
    if (value.is_string())
      words += ", " + value.get<std::string>();
    else if (value.is_number())
      words += fmt::format(", {} {:.4g}", key, value.get<double>());
  return words;
}

/// All numbers and words below a node of the machine's document by their keys, which `--what-if`
/// takes too; `of`: the words of the lists' elements around, each after a comma.
void add_parameters(const json& node, const std::string& key, const Unit& unit,
                    const std::string& of, ParameterTable& table) {
  if (node.is_number()) return table.row(key, Quantity::exact(node), unit.scale, unit.name, "");
  if (node.is_primitive())
    return table.words(key, node.is_string() ? node.get<std::string>() : node.dump());
  if (node.contains("value")) {
    const double value = node.at("value");
    const std::string source = node.value("source", "");
    const std::string meaning = of + (source.empty() ? "" : ", " + source);
    return table.row(key, {value, node.value("low", value), node.value("high", value), {}},
                     unit.scale, unit.name, meaning.empty() ? "" : meaning.substr(2));
  }
  for (const auto& [name, item] : node.items()) {
    const std::string below = key + "." + name;
    if (node.is_object() && (item.is_structured() || of.empty()))
      add_parameters(item, below, unit_of(name, unit), of, table);
    if (!node.is_array() || !item.is_object()) continue;
    const std::string words = of + words_of(item);
    if (std::all_of(item.begin(), item.end(), [](const json& one) { return one.is_primitive(); }))
      table.words(below, words.empty() ? words : words.substr(2));
    else
      add_parameters(item, below, unit, words, table);
  }
}

}  // namespace

std::string machine_summary(const Machine& machine) {
  ParameterTable table;
  add_head(machine, table);
  add_limits(machine, table);
  add_links(machine, table);
  add_collectives(machine, table);
  add_block_collectives(machine, table);
  add_calibrated(machine, table);
  add_drift(machine, table);
  for (const std::string& warning : machine.warnings) table.line("!! " + warning);
  return table.text();
}

std::string machine_table(const Machine& machine) {
  ParameterTable table(58);
  const json document = to_json(machine);
  for (const auto& [key, node] : document.items())
    if (node.is_structured()) add_parameters(node, key, {}, "", table);
  return machine_summary(machine) + "\n" + table.text();
}

}  // namespace bellwether
