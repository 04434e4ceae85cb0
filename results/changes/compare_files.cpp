// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <filesystem>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "results/changes/change.hpp"
#include "results/record.hpp"
#include "results/record_lines.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

Changes compare_machines(const std::string& before, const std::string& after) {
  return changes_of_machines(to_json(read_machine(before)), to_json(read_machine(after)));
}

}  // namespace

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
