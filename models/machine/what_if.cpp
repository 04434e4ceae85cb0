// SPDX-License-Identifier: MIT
#include "models/machine/what_if.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/text_lines.hpp"

namespace bellwether {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

[[noreturn]] void refuse(const std::string& key, const std::string& found,
                         const std::string& expected) {
  throw BadInput(fmt::format("--what-if {}: found {}, expected {}", key, found, expected));
}

std::string keys_of(const json& node) {
  if (node.is_array())
    return node.empty() ? "nothing, the list is empty"
                        : fmt::format("an index from 0 to {}", node.size() - 1);
  Words keys;
  for (const auto& item : node.items()) keys.push_back(item.key());
  return fmt::format("one of: {}", fmt::join(keys, ", "));
}

json& step_into(json& node, const std::string& word, const std::string& key,
                const std::string& place) {
  if (node.is_object()) {
    if (const auto found = node.find(word); found != node.end()) return *found;
  } else if (node.is_array()) {
    const auto index = parse_number<std::size_t>(word);
    if (index && *index < node.size()) return node[*index];
  } else {
    refuse(key, fmt::format("\"{}\" below {}, which is no object", word, place),
           "the key to end there");
  }
  refuse(key, fmt::format("\"{}\" in {}", word, place.empty() ? "the machine" : place),
         keys_of(node));
}

json& find(json& document, const std::string& key, const std::string& asked) {
  json* node = &document;
  std::string place;
  for (const std::string& word : split(key, '.')) {
    node = &step_into(*node, word, asked, place);
    place += (place.empty() ? "" : ".") + word;
  }
  return *node;
}

json& find_number(json& document, const std::string& key) {
  json* node = &find(document, key, key);
  if (node->is_number() || is_quantity(*node)) return *node;
  if (node->is_structured()) refuse(key, node->is_array() ? "a list" : "an object", keys_of(*node));
  refuse(key, node->dump(), "the key of a number");
}

/// A count stays a count where it can; where it cannot, the machine's reader says so.
void set_number(json& node, double number) {
  if (node.is_number_integer() && number == std::floor(number) && std::abs(number) < 1e15)
    node = static_cast<std::int64_t>(number);
  else
    node = number;
}

void multiply(json& node, double factor) {
  if (factor == 1) return;
  if (!is_quantity(node)) return set_number(node, node.get<double>() * factor);
  for (const char* end : {"value", "low", "high"})
    if (node.contains(end)) set_number(node[end], node[end].get<double>() * factor);
  node["source"] = fmt::format("assumed: what if, {:g} times as large", factor);
}

/// Gives a number a value, and where that is a multiple of the old one its interval the same.
void replace(json& node, double number, std::optional<double> factor) {
  if (!is_quantity(node)) return set_number(node, number);
  json changed = {{"value", number}, {"source", "assumed: what if"}};
  if (factor && node.contains("low")) {
    changed["low"] = std::min(number, *factor * node["low"].get<double>());
    changed["high"] = std::max(number, *factor * node["high"].get<double>());
  }
  node = std::move(changed);
}

/// Multiplies every `name` below the node, and notes their keys.
void multiply_below(json& node, const std::string& name, double factor, const std::string& place,
                    Words& noted) {
  const auto into = [&](json& child, const std::string& key, const std::string& shown) {
    const std::string there = place + "." + shown;
    if (key != name) {
      if (child.is_structured()) multiply_below(child, name, factor, there, noted);
      return;
    }
    multiply(child, factor);
    if (std::find(noted.begin(), noted.end(), there) == noted.end()) noted.push_back(there);
  };
  if (node.is_object())
    for (auto& item : node.items()) into(item.value(), item.key(), item.key());
  if (node.is_array())
    for (json& child : node) into(child, "*", "*");
}

/// A matrix product's rates, as HPL knows them: all that there are, or those beside the one given.
void scale_products(json& document, const std::string& key, double factor, Words& noted) {
  const json::json_pointer place("/hpl/kernels/gemm");
  if (!document.contains(place)) return;
  json& gemm = document[place];
  if (key.starts_with("device"))
    multiply_below(gemm, "flops_per_s", factor, "hpl.kernels.gemm", noted);
  else if (gemm.contains("by_k"))
    multiply_below(gemm["by_k"], "flops_per_s", factor, "hpl.kernels.gemm.by_k", noted);
}

void scale_along(json& document, const std::string& key, double factor, Words& noted) {
  if (key == "device.memory_bandwidth_bytes_per_s") {
    for (const char* finer : {"memory", "stream"})
      if (document["device"].contains(finer))
        multiply_below(document["device"][finer], "bandwidth_bytes_per_s", factor,
                       std::string("device.") + finer, noted);
    return;
  }
  if (const std::string peak = "device.peak_flops_per_s."; key.starts_with(peak)) {
    const std::string precision = key.substr(peak.size());
    const json::json_pointer product("/device/gemm_flops_per_s/" + precision);
    if (document.value(product / "source", "").starts_with("assumed: ")) {  // a share of the peak
      multiply(document[product], factor);
      noted.push_back("device.gemm_flops_per_s." + precision);
    }
    return;
  }
  if (key == "device.gemm_flops_per_s.f64" || key == "hpl.kernels.gemm.flops_per_s")
    return scale_products(document, key, factor, noted);
  const std::size_t dot = key.rfind('.');
  const std::string name = key.substr(dot + 1);
  if (!key.starts_with("links.")) return;
  const std::string place = key.substr(0, dot);
  json& holder = find(document, place, key);
  if (name == "overhead_s" && holder.contains("gap"))
    multiply_below(holder["gap"], "latency_s", factor, place + ".gap", noted);
  if (name != "latency_s" && name != "bandwidth_bytes_per_s") return;
  json own = std::move(holder[name]);
  holder.erase(name);
  multiply_below(holder, name, factor, place, noted);
  holder[name] = std::move(own);
  if (name == "latency_s")
    multiply_below(holder, "overhead_s", factor, place, noted);  // a part of it
}

/// Whether a number with this word in its key makes a time shorter when it grows.
bool is_rate(const std::string& word) {
  if (word == "detours_per_s") return false;
  const auto has = [&word](const char* part) { return word.find(part) != std::string::npos; };
  return has("per_s") || has("efficiency");
}

/// Multiplies all quantities below the node, the rates among them (or with `rate` all) by
/// `of_rates`. Returns whether there is one.
bool multiply_quantities(json& node, double factor, double of_rates, bool rate) {
  if (is_quantity(node)) {
    // Without its ends: no machine may have an efficiency whose end is above 1.
    replace(node, node.at("value").get<double>() * (rate ? of_rates : factor), {});
    return true;
  }
  bool any = false;
  if (node.is_object())
    for (auto& item : node.items())
      any = multiply_quantities(item.value(), factor, of_rates, rate || is_rate(item.key())) || any;
  if (node.is_array())
    for (json& child : node) any = multiply_quantities(child, factor, of_rates, rate) || any;
  return any;
}

class Bisection {
 public:
  using ValuesOf = std::function<std::vector<double>(const Machine&)>;

  Bisection(const Machine& machine, const ValuesOf& values_of, double least)
      : document_(bellwether::to_json(machine)),
        values_of_(values_of),
        least_(least),
        values_(values_of(machine)) {}

  std::vector<Sensitivity> run() && {
    look_into(document_, {}, false, {});
    return std::move(found_);
  }

 private:
  using Values = std::vector<double>;
  // So much that drawn delays, which jump, show little.
  static constexpr double less = 0.97, more = 1.03;

  void look_into(json& node, const std::string& key, bool rate, std::string source) {
    if (node.is_object() && node.contains("source")) source = node.at("source");
    if (is_quantity(node)) return note(node, key, source);
    if (!node.is_structured() || !may_move(node, rate)) return;
    const std::string before = key.empty() ? "" : key + ".";
    if (node.is_object())
      for (auto& item : node.items())
        look_into(item.value(), before + item.key(), rate || is_rate(item.key()), source);
    if (node.is_array())
      for (std::size_t n = 0; n < node.size(); ++n)
        look_into(node[n], before + std::to_string(n), rate, source);
  }

  /// The mean of both sides' slopes, or that of the side on which a machine may be.
  void note(json& node, const std::string& key, const std::string& source) {
    const std::optional<Values> below = with(node, less, less, false),
                                above = with(node, more, more, false);
    if (!below && !above) return;
    const Values &from = below ? *below : values_, &to = above ? *above : values_;
    const double change = std::log((above ? more : 1) / (below ? less : 1));
    Values slopes;
    for (std::size_t n = 0; n < values_.size(); ++n) slopes.push_back((to[n] - from[n]) / change);
    if (std::any_of(slopes.begin(), slopes.end(),
                    [this](double slope) { return std::abs(slope) >= least_; }))
      found_.push_back({key, node.at("value"), source, spread_of(node), slopes});
  }

  static double spread_of(const json& quantity) {
    const double value = quantity.at("value");
    const double low = quantity.value("low", value), high = quantity.value("high", value);
    return low > 0 ? std::log(high / low) / 2 : 0;
  }

  /// Whether a value changes when everything below the node gets faster, slower, or its times and
  /// rates less, of which one may cancel what another does not. True where no machine may be so.
  bool may_move(json& node, bool rate) {
    for (const auto& [of_times, of_rates] :
         {std::pair(less, 1 / less), std::pair(more, 1 / more), std::pair(less, less)}) {
      const std::optional<Values> values = with(node, of_times, of_rates, rate);
      if (!values) return true;
      for (std::size_t n = 0; n < values->size(); ++n)
        if (std::abs((*values)[n] - values_[n]) >= least_ * -std::log(less)) return true;
    }
    return false;
  }

  /// The values with the quantities below the node changed; absent where no machine may be so.
  std::optional<Values> with(json& node, double factor, double of_rates, bool rate) {
    const json as_it_is = node;
    std::optional<Values> values;
    if (!multiply_quantities(node, factor, of_rates, rate)) return values_;
    try {
      values = values_of_(parse_machine(document_, "the machine"));
    } catch (const BadInput&) {
      values.reset();
    }
    node = as_it_is;
    return values;
  }

  json document_;
  const ValuesOf& values_of_;
  double least_;
  std::vector<double> values_;
  std::vector<Sensitivity> found_;
};

}  // namespace

std::vector<Sensitivity> sensitivities(const Machine& machine, const Bisection::ValuesOf& values_of,
                                       double least) {
  return Bisection(machine, values_of, least).run();
}

WhatIf parse_what_if(const std::string& text) {
  const auto unfit = [&text] {
    throw BadInput(
        fmt::format("--what-if: found '{}', expected KEY=2x (a factor) or KEY=1e-6 (a value in the "
                    "key's unit), KEY as in device.memory_bandwidth_bytes_per_s",
                    text));
  };
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) unfit();
  WhatIf what_if{text.substr(0, equals), 0, text.back() == 'x'};
  std::string_view word = std::string_view(text).substr(equals + 1);
  if (what_if.is_factor) word.remove_suffix(1);
  what_if.number = parse_number<double>(word).value_or(NAN);
  if (!std::isfinite(what_if.number)) unfit();
  if (what_if.is_factor && what_if.number < 0) unfit();
  return what_if;
}

WhatIfChange change(Machine& machine, const WhatIf& what_if) {
  json document = to_json(machine);
  // A quantity and its value are the same number; its ends are numbers of their own.
  std::string key = what_if.key;
  json* node = &find_number(document, key);
  if (key.ends_with(".value")) {
    key.resize(key.size() - std::string(".value").size());
    node = &find_number(document, key);
  }
  WhatIfChange done;
  done.key = key;
  done.before = (is_quantity(*node) ? node->at("value") : *node).get<double>();
  done.after = what_if.is_factor ? done.before * what_if.number : what_if.number;
  std::optional<double> factor;  // absent: a multiple of nothing
  if (what_if.is_factor)
    factor = what_if.number;
  else if (done.before != 0)
    factor = done.after / done.before;
  if (what_if.is_factor)
    multiply(*node, what_if.number);
  else
    replace(*node, done.after, factor);
  if (factor) scale_along(document, key, *factor, done.scaled_along);
  machine = parse_machine(document, "--what-if " + what_if.key);
  return done;
}

json to_json(const WhatIfChange& change) {
  return {{"key", change.key},
          {"before", change.before},
          {"after", change.after},
          {"scaled_along", change.scaled_along}};
}

}  // namespace bellwether
