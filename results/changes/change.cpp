// SPDX-License-Identifier: MIT
#include "results/changes/change.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "models/errors.hpp"
#include "models/machine/json_text.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

Changes compare_machines(const std::string& before, const std::string& after) {
  return changes_of_machines(to_json(read_machine(before)), to_json(read_machine(after)));
}

/// What differs between any two runs.
const std::set<std::string> of_the_moment{"time", "command_line", "request", "samples"};

/// Facts by their names; those of an object within by both, "environment.OMP_NUM_THREADS".
std::map<std::string, std::string> facts_of(const nlohmann::json& provenance) {
  std::map<std::string, std::string> facts;
  if (!provenance.is_object()) return facts;
  const auto text = [](const nlohmann::json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const auto& item : provenance.items()) {
    if (of_the_moment.contains(item.key())) continue;
    // A machine file's environment is an object in a text.
    const nlohmann::json value = item.value().is_string() && text(item.value()).starts_with('{')
                                     ? try_json(text(item.value()))
                                     : item.value();
    if (!value.is_object()) {
      facts[item.key()] = text(item.value());
      continue;
    }
    for (const auto& inner : value.items())
      facts[item.key() + "." + inner.key()] = text(inner.value());
  }
  return facts;
}

}  // namespace

Judgement judge(const Measured& before, const Measured& after, Better better, bool ranged) {
  if (!ranged) return Judgement::unknown;
  const bool more = after.low > before.high, less = after.high < before.low;
  if (!more && !less) return Judgement::noise;
  if (better == Better::neither) return Judgement::different;
  return more == (better == Better::more) ? Judgement::better : Judgement::worse;
}

void sort_changes(std::vector<Change>& changes) {
  const auto size = [](const Change& change) {
    const double ratio = std::abs(std::log(change.after.value / change.before.value));
    return std::isfinite(ratio) ? ratio : HUGE_VAL;
  };
  std::stable_sort(changes.begin(), changes.end(), [&](const Change& a, const Change& b) {
    return a.judgement != b.judgement ? a.judgement < b.judgement : size(a) > size(b);
  });
}

void add_values(const nlohmann::json& provenance, ProvenanceValues& values) {
  for (const auto& [key, value] : facts_of(provenance)) values[key].insert(value);
}

void add_provenance(ProvenanceValues before, ProvenanceValues after, Changes& changes) {
  const auto joined = [](const std::set<std::string>& values) {
    return values.empty() ? "-" : fmt::format("{}", fmt::join(values, " | "));
  };
  for (const auto& side : {before, after})
    for (const auto& [key, values] : side)
      if (before[key] != after[key])
        changes.provenance[key] = {joined(before[key]), joined(after[key])};
  const auto &first = before["kernel_sources"], &second = after["kernel_sources"];
  if (!first.empty() && !second.empty() && first != second)
    changes.remarks.emplace_back(
        "the two sides were measured with other kernels: what changed may be the program, not the "
        "machine (CHANGELOG.md)");
}

bool is_machine_file(const std::string& file) {
  const nlohmann::json schema = value_or_null(json_document(file), "schema");
  return schema.is_string() && schema.get<std::string>().starts_with("bellwether.machine/");
}

std::vector<Changes> compare_files(const std::string& before, const std::string& after) {
  for (const std::string* path : {&before, &after})
    if (!fs::exists(*path))
      throw BadInput(fmt::format(
          "compare: '{}' is not there, expected a results file, a machine file, or a folder with "
          "results.jsonl or machine.json",
          *path));
  if (fs::is_directory(before) != fs::is_directory(after))
    throw BadInput(
        fmt::format("compare: of {} and {} one is a folder and one a file", before, after));
  std::vector<Changes> all;
  const auto add = [&](Changes changes, const std::string& first, const std::string& second) {
    changes.before = first;
    changes.after = second;
    all.push_back(std::move(changes));
  };
  if (fs::is_directory(before)) {
    const auto both = [&](const char* name, auto&& compare) {
      const std::string first = fs::path(before) / name, second = fs::path(after) / name;
      if (fs::exists(first) && fs::exists(second)) add(compare(first, second), first, second);
    };
    both("machine.json", compare_machines);
    both("results.jsonl", changes_of_results);
    if (all.empty())
      throw BadInput(fmt::format(
          "compare: {} and {} have neither results.jsonl nor machine.json both", before, after));
    return all;
  }
  const bool machine = is_machine_file(before);
  if (machine != is_machine_file(after))
    throw BadInput(fmt::format("compare: of {} and {} one is a machine file and the other is not",
                               before, after));
  add(machine ? compare_machines(before, after) : changes_of_results(before, after), before, after);
  return all;
}

}  // namespace bellwether
