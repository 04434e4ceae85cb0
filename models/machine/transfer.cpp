// SPDX-License-Identifier: MIT
#include "models/machine/transfer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/device_classes.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "models/roofline/roofline.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

[[noreturn]] void refuse_transfer(const Machine& machine, const char* key, const std::string& found,
                                  const std::string& expected) {
  throw BadInput(fmt::format("transfer: machine {}: key {}: found {}, expected {}", machine.name,
                             key, found, expected));
}

/// A number's `source` is here what it is the ratio of.
Quantity ratio(const Quantity& now, const Quantity& then, const std::string& of) {
  if (!(now.value > 0 && then.value > 0)) return Quantity::exact(1);
  Quantity factor = independent_product(now, inverse(then));
  factor.source = of;
  return factor;
}

bool moves(const Quantity& factor) { return factor.low != 1 || factor.high != 1; }

/// Seconds per unit of work, which were `now`, where memory and core are so many times as fast:
/// `largest` of the largest size is memory's, and what is above it is not; down to `least` caches
/// hold ever more of the work.
double moved(double now, double least, double largest, double memory, double core) {
  const double from_memory = largest / memory;
  if (now >= largest) return from_memory + now - largest;
  const double share = (largest - now) / (largest - least);
  return share * std::min(least / core, from_memory) + (1 - share) * from_memory;
}

/// Numbers over sizes, by their keys.
struct CurveKeys {
  const char *size, *cost;
};
constexpr CurveKeys curve_keys[] = {{"working_set_bytes", "bandwidth_bytes_per_s"},
                                    {"bytes", "bandwidth_bytes_per_s"},
                                    {"elements", "seconds_per_element"},
                                    {"rows", "cold_s"},
                                    {"rows", "again_s"}};

class Mover {
 public:
  Mover(const Machine& reference, const Machine& then, const Machine& now)
      : reference_(reference), then_(then), now_(now) {
    alike_ = now.device.memory_bandwidth_bytes_per_s.value ==
             then.device.memory_bandwidth_bytes_per_s.value;
    for (const auto& [precision, known] : reference.device.peak_flops_per_s)
      alike_ = alike_ && peak_of(now, precision).value == peak_of(then, precision).value;
    all_ = memory(reference.layout.ranks_per_node);
    for (const auto& [precision, known] : reference.device.peak_flops_per_s) {
      const Quantity peak = peak_of(now, precision), before = peak_of(then, precision);
      products_[precision] = core_[precision] = Quantity::exact(1);
      if (alike_) continue;
      const Quantity product = ratio(products_of(now, precision), products_of(then, precision),
                                     "matrix products, " + precision);
      const double faster = peak.value / before.value;
      products_[precision] = product;
      core_[precision] = {faster, product.low * faster / product.value,  // as little known
                          product.high * faster / product.value, "peak flop rate, " + precision};
    }
    note(all_);
    for (const auto* factors : {&core_, &products_})
      for (const auto& [precision, factor] : *factors) note(factor);
  }

  Transfer run() && {
    json document = to_json(reference_);
    const json sheet = to_json(now_);
    device(document["device"]);
    for (const char* section : {"stencils", "airfoil", "amg", "hpl", "cholesky"})
      if (document.contains(section)) walk(document[section], section, "f64");
    links(document["links"], sheet["links"]);
    if (now_.links.contains("network")) {
      document.erase("topology");
      if (sheet.contains("topology")) document["topology"] = sheet["topology"];
      const json::json_pointer wait("/amg/wait_per_diameter_s");  // its class's, of data sheets
      if (!reference_.links.contains("network") && sheet.contains(wait))
        document[wait] = sheet[wait];
    }
    for (const char* key : {"launch_latency_s", "between_kernels_s"})
      if (document["device"].contains(key)) done_.stayed.push_back(std::string("device.") + key);
    for (const char* key : {"allreduce", "collective_times", "noise", "drift", "start_up"})
      if (document.contains(key)) done_.stayed.emplace_back(key);
    document["name"] = now_.name;
    document["description"] = fmt::format("{}, transferred from {}", now_.device.name, from());
    document["source"] =
        fmt::format("transferred from {} ({}) by the ratios of data sheets {} and {}; else as {}",
                    from(), reference_.source, then_.name, now_.name, from());
    document["layout"] = sheet["layout"];
    document["layout"]["ranks"] =
        now_.layout.ranks_per_node *
        std::max(1, reference_.layout.ranks / reference_.layout.ranks_per_node);
    document["device"]["name"] = now_.device.name;
    document["device"]["memory_bytes"] = now_.device.memory_bytes;
    document["provenance"] = now_.provenance;
    done_.machine = parse_machine(document, "transfer");
    return std::move(done_);
  }

 private:
  [[nodiscard]] const std::string& from() const { return reference_.name; }

  static Quantity peak_of(const Machine& sheet, const std::string& precision) {
    const auto found = sheet.device.peak_flops_per_s.find(precision);
    if (found == sheet.device.peak_flops_per_s.end())
      refuse_transfer(sheet, ("/device/peak_flops_per_s/" + precision).c_str(), "nothing",
                      "the data sheet's, as the reference has one");
    return found->second;
  }
  static Quantity products_of(const Machine& sheet, const std::string& precision) {
    const auto& known = sheet.device.gemm_flops_per_s;
    if (const auto found = known.find(precision); found != known.end()) return found->second;
    const Quantity share = class_of(sheet.device).matrix_efficiency;
    const double peak = peak_of(sheet, precision).value;
    return {share.value * peak, share.low * peak, share.high * peak, {}};
  }

  /// The ranks of a new node that stand for so many of the reference's: all for all.
  [[nodiscard]] int ranks_now(int ranks) const {
    return ranks == reference_.layout.ranks_per_node ? now_.layout.ranks_per_node : ranks;
  }
  /// Of the memory that so many of the reference's ranks on a node share.
  [[nodiscard]] Quantity memory(int ranks) const {
    if (alike_) return Quantity::exact(1);
    const auto rate = [](const Machine& sheet, int sharing) {
      return Quantity{memory_rate(sheet, sharing, Bound::value),
                      memory_rate(sheet, sharing, Bound::slowest),
                      memory_rate(sheet, sharing, Bound::fastest),
                      {}};
    };
    return ratio(rate(now_, ranks_now(ranks)), rate(then_, ranks), "memory bandwidth");
  }

  void note(const Quantity& factor) {
    if (!moves(factor)) return;
    done_.ratios.push_back(fmt::format("{}: {:.3g} ({:.3g} to {:.3g})", factor.source, factor.value,
                                       factor.low, factor.high));
  }

  void multiply(json& node, const Quantity& factor) const {
    const double value = node.at("value");
    if (!moves(factor) || !(value > 0)) return;
    const Quantity after = independent_product(
        {value, node.value("low", value), node.value("high", value), {}}, factor);
    node["value"] = after.value;
    node["low"] = after.low;
    node["high"] = after.high;
    node["source"] = fmt::format("transferred from {} by the ratio of {}, times {:.4g}", from(),
                                 factor.source, factor.value);
  }

  /// Every number `name` below the node.
  void multiply_all(json& node, const std::string& name, const Quantity& factor) const {
    for (auto& item : node.items()) {
      if (node.is_object() && item.key() == name)
        multiply(item.value(), factor);
      else if (item.value().is_structured())
        multiply_all(item.value(), name, factor);
    }
  }

  void curve(json& points, const CurveKeys& keys, const Quantity& memory,
             const Quantity& core) const {
    if (!moves(memory)) return;
    const std::string cost = keys.cost;
    const auto seconds = [&](const json& point) {
      const double number = point.at(cost).at("value");
      if (cost == "bandwidth_bytes_per_s") return 1 / number;
      return cost == "seconds_per_element" ? number : number / point.at(keys.size).get<double>();
    };
    std::vector<double> all;
    for (const json& point : points)
      if (point.contains(cost)) all.push_back(seconds(point));
    const double least = *std::min_element(all.begin(), all.end()), largest = all.back();
    for (json& point : points) {
      if (!point.contains(cost)) continue;
      const double now = seconds(point);
      if (!(now > 0)) continue;
      const auto slower = [&](double of_memory, double of_core) {
        return moved(now, least, largest, of_memory, of_core) / now;
      };
      Quantity factor{slower(memory.value, core.value), slower(memory.high, core.high),
                      slower(memory.low, core.low), memory.source};
      if (cost == "bandwidth_bytes_per_s") factor = inverse(factor);
      multiply(point[cost], factor);
    }
  }

  /// Whether they were a list of numbers over sizes.
  bool curves(json& points, const Quantity& memory, const std::string& precision) const {
    bool any = false;
    for (const CurveKeys& keys : curve_keys) {
      if (points.empty() || !points.front().is_object() || !points.front().contains(keys.size) ||
          !points.front().contains(keys.cost))
        continue;
      curve(points, keys, memory, of_precision(core_, precision));
      any = true;
    }
    return any;
  }

  using Factors = std::map<std::string, Quantity>;
  static Quantity of_precision(const Factors& factors, const std::string& precision) {
    const auto found = factors.find(precision);
    return found != factors.end() ? found->second : factors.begin()->second;
  }

  void number(json& node, const std::string& key, const std::string& precision) const {
    const auto has = [&key](const char* part) { return key.find(part) != std::string::npos; };
    const Quantity core = of_precision(core_, precision);
    if (has("bandwidth_bytes_per_s")) return multiply(node, all_);
    if (has("flops_per_s")) return multiply(node, of_precision(products_, precision));
    if (has("cells_per_s")) return multiply(node, core);
    for (const char* of_core : {"cell_s", "row_s", "broken_row_s", "seconds", "inverse_s"})
      if (key == of_core) return multiply(node, inverse(core));
  }

  void walk(json& node, const std::string& key, const std::string& precision) const {
    if (is_quantity(node)) return number(node, key, precision);
    if (node.is_array() && curves(node, all_, precision)) return;
    const bool object = node.is_object();
    const std::string here = object ? node.value("precision", precision) : precision;
    const bool of_host = object && node.value("panel_on", "") == "host";
    for (auto& item : node.items()) {
      if (!item.value().is_structured() || (of_host && item.key() == "panel")) continue;
      walk(item.value(), object ? item.key() : key,
           object && core_.contains(item.key()) ? item.key() : here);
    }
  }

  /// Measured on numbers of ranks that a new node has, or on all.
  void of_ranks(json& list) const {
    json kept = json::array();
    for (json& one : list) {
      const int ranks = one.at("ranks");
      if (ranks != reference_.layout.ranks_per_node && ranks >= now_.layout.ranks_per_node)
        continue;
      const Quantity factor = memory(ranks);
      if (one.contains("points"))
        curves(one["points"], factor, one.at("precision"));
      else
        multiply(one["bandwidth_bytes_per_s"], factor);
      one["ranks"] = ranks_now(ranks);
      kept.push_back(std::move(one));
    }
    list = std::move(kept);
  }

  void device(json& device) {
    multiply(device["memory_bandwidth_bytes_per_s"], all_);
    for (auto& peak : device["peak_flops_per_s"].items()) multiply(peak.value(), core_[peak.key()]);
    for (const char* key : {"gemm_flops_per_s", "gemm_sustained_flops_per_s"})
      if (device.contains(key))
        for (auto& rate : device[key].items())
          multiply(rate.value(), of_precision(products_, rate.key()));
    for (const char* key : {"memory", "stream"})
      if (device.contains(key)) of_ranks(device[key]);
  }

  void links(json& links, const json& sheet) {
    for (auto& link : links.items()) {
      const auto now = now_.links.find(link.key()), then = then_.links.find(link.key());
      const auto of = [&](Quantity LinkTiming::*member, const char* what) {
        if (now == now_.links.end() || then == then_.links.end()) return Quantity::exact(1);
        const Quantity &after = now->second.one_way.*member, &before = then->second.one_way.*member;
        return after.value == before.value
                   ? Quantity::exact(1)
                   : ratio(after, before, fmt::format("links.{}'s {}", link.key(), what));
      };
      const Quantity latency = of(&LinkTiming::latency_s, "latency"),
                     bandwidth = of(&LinkTiming::bandwidth_bytes_per_s, "bandwidth");
      for (const char* key : {"latency_s", "overhead_s"}) multiply_all(link.value(), key, latency);
      multiply_all(link.value(), "bandwidth_bytes_per_s", bandwidth);
      note(latency);
      note(bandwidth);
      if (!moves(latency) && !moves(bandwidth)) done_.stayed.push_back("links." + link.key());
    }
    for (const auto& link : sheet.items()) {
      if (links.contains(link.key())) continue;
      links[link.key()] = link.value();
      done_.added.push_back("links." + link.key());
    }
  }

  const Machine &reference_, &then_, &now_;
  bool alike_;
  Quantity all_;
  Factors core_, products_;
  Transfer done_;
};

}  // namespace

Machine sheet_of(const Machine& reference) {
  std::string word;
  std::vector<std::string> words;
  for (const char letter : reference.device.name + " ") {
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    } else {
      words.push_back(std::exchange(word, {}));
    }
  }
  for (Machine& machine : shipped_machines())
    if (machine.device.kind == "gpu" &&
        std::find(words.begin(), words.end(), machine.name) != words.end())
      return std::move(machine);
  refuse_transfer(reference, "/device/name", fmt::format("\"{}\"", reference.device.name),
                  "a GPU of which a data sheet is shipped; else give it with --reference-spec "
                  "(bellwether machines --template gpu, cpu or cluster writes one)");
}

Transfer transfer(const Machine& reference, const Machine& reference_sheet, const Machine& sheet) {
  if (reference.device.backend.empty())
    refuse_transfer(reference, "/device/backend", "nothing",
                    "a calibrated machine to transfer from (bellwether calibrate)");
  for (const Machine* one : {&reference_sheet, &sheet}) {
    if (!one->device.backend.empty())
      refuse_transfer(*one, "/device/backend", fmt::format("\"{}\"", one->device.backend),
                      "a data sheet, which nothing measured");
    if (one->device.kind != reference.device.kind)
      refuse_transfer(*one, "/device/kind", one->device.kind,
                      reference.device.kind + ", as the reference");
  }
  if (const int ranks = reference.layout.ranks_per_node;
      reference.device.kind == "cpu" && reference_sheet.layout.ranks_per_node != ranks)
    refuse_transfer(
        reference_sheet, "/layout/ranks_per_node",
        std::to_string(reference_sheet.layout.ranks_per_node),
        fmt::format("{}, as the reference was calibrated, and the rates of one of them", ranks));
  return Mover(reference, reference_sheet, sheet).run();
}

}  // namespace bellwether
