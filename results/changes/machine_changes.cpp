// SPDX-License-Identifier: MIT
#include "results/changes/change.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "models/machine/machine_json.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// What of a machine is no parameter of its own: fits' insides, what was asked, and who measured.
const std::set<std::string> passed_over{"segments", "provenance", "warnings", "largest_residual",
                                        "largest_residual_paper"};

/// What tells an element of a list from its neighbours: its words and counts.
std::string label(const json& element, std::size_t index) {
  if (!element.is_object()) return std::to_string(index);
  std::string text;
  for (const auto& item : element.items()) {
    const json& value = item.value();
    if (!value.is_string() && !value.is_number()) continue;
    if (passed_over.contains(item.key())) continue;
    text += text.empty() ? "" : ", ";
    text += value.is_string() ? value.get<std::string>()
                              : fmt::format("{} {:g}", item.key(), value.get<double>());
  }
  return text.empty() ? std::to_string(index) : text;
}

Better better_of(const std::string& key) {
  if (key.ends_with("_per_s") || key == "memory_bytes" || key == "fraction") return Better::more;
  if (key.ends_with("_s") || key == "seconds" || key.starts_with("seconds_per"))
    return Better::less;
  return Better::neither;
}

std::string unit_of(const std::string& key) {
  if (key.ends_with("flops_per_s")) return "flop/s";
  if (key.ends_with("bytes_per_s")) return "B/s";
  if (better_of(key) == Better::less) return "s";
  return key.ends_with("_bytes") ? "B" : "";
}

using Parameters = std::map<std::string, Parameter>;

void collect(const json& value, const std::string& path, const std::string& key,
             Parameters& parameters) {
  if (is_quantity(value)) {
    const double middle = value.at("value");
    Parameter one{{middle, middle, middle, 1}, false, better_of(key), unit_of(key)};
    if (value.contains("low") && value.contains("high")) {
      one.measured.low = value.at("low");
      one.measured.high = value.at("high");
      one.ranged = true;
    }
    parameters[path] = one;
  } else if (value.is_object()) {
    for (const auto& item : value.items())
      if (!passed_over.contains(item.key()))
        collect(item.value(), path.empty() ? item.key() : path + "." + item.key(), item.key(),
                parameters);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      collect(value[i], fmt::format("{}[{}]", path, label(value[i], i)), key, parameters);
  }
}

}  // namespace

Parameters parameters_of(const json& machine) {
  Parameters parameters;
  collect(machine, "", "", parameters);
  return parameters;
}

std::string part_of(const std::string& path) {
  std::string part = path.substr(0, path.find('['));
  if (part.size() == path.size()) part = part.substr(0, part.rfind('.'));
  std::size_t end = 0;
  for (int depth = 0; depth < 3 && end != std::string::npos; ++depth)
    end = part.find('.', depth == 0 ? 0 : end + 1);
  return part.substr(0, end);
}

double speed_of(const Change& change) {
  const double ratio = change.after.value / change.before.value;
  return change.better == Better::less ? 1 / ratio : ratio;
}

Changes changes_of_machines(const json& before, const json& after) {
  const Parameters first = parameters_of(before), second = parameters_of(after);
  Changes changes;
  changes.kind = "machine";
  for (const auto& [path, one] : first) {
    const auto other = second.find(path);
    if (other == second.end()) {
      changes.only_before.push_back(path);
      continue;
    }
    const Parameter& now = other->second;
    // Zero has no ratio to anything.
    if (!(one.measured.value > 0) || !(now.measured.value > 0)) continue;
    changes.changes.push_back(
        {.what = path,
         .unit = one.unit,
         .before = one.measured,
         .after = now.measured,
         .better = one.better,
         .judgement = judge(one.measured, now.measured, one.better, one.ranged && now.ranged),
         .because = {}});
  }
  for (const auto& [path, one] : second)
    if (!first.contains(path)) changes.only_after.push_back(path);
  if (std::any_of(changes.changes.begin(), changes.changes.end(),
                  [](const Change& one) { return one.judgement != Judgement::unknown; }))
    changes.remarks.emplace_back(
        "each side is one calibration: its intervals are of its samples and do not know how "
        "calibrations differ");
  sort_changes(changes.changes);
  const auto facts = [](const json& machine) {
    json all = machine.contains("provenance") ? machine.at("provenance") : json::object();
    for (const char* key : {"layout", "description"})
      if (machine.contains(key)) all[key] = machine.at(key);
    return all;
  };
  ProvenanceValues were, are;
  add_values(facts(before), were);
  add_values(facts(after), are);
  add_provenance(std::move(were), std::move(are), changes);
  return changes;
}

}  // namespace bellwether
