// SPDX-License-Identifier: MIT
#include "models/machine/machine_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/strict_json.hpp"
#include "models/replace_file.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// What a number whose unit its key tells may be, 0 apart.
struct PhysicalRange {
  const char* unit;  ///< the key's end
  double least, most;
};
/// The first that fits: beyond any chip, and within a processor's cycle or some months.
constexpr PhysicalRange physical_ranges[] = {{"bytes_per_s", 1e-3, 1e17},
                                             {"flops_per_s", 1e-3, 1e19},
                                             {"_per_s", 0, 1e19},
                                             {"latency_s", 1e-10, 1e7},
                                             {"_s", 1e-19, 1e7}};

/// Says on stderr which numbers no machine can have; `unit` is the nearest key that tells one.
void say_impossible(const json& node, const json::json_pointer& place, const std::string& unit,
                    const std::string& file) {
  if (node.is_structured()) {
    for (const auto& item : node.items()) {
      const bool names_unit = node.is_object() && item.key().ends_with("_s");
      say_impossible(item.value(),
                     node.is_object() ? place / item.key()
                                      : place / static_cast<std::size_t>(std::stoul(item.key())),
                     names_unit ? item.key() : unit, file);
    }
    return;
  }
  const auto* const range =
      std::find_if(std::begin(physical_ranges), std::end(physical_ranges),
                   [&](const PhysicalRange& one) { return unit.ends_with(one.unit); });
  const double number = node.is_number() ? node.get<double>() : 0;
  if (range == std::end(physical_ranges) || number == 0) return;
  if (number < range->least || number > range->most)
    std::cerr << fmt::format(
        "bellwether: {}: key {}: found {:g}, which no machine has (from {:g} to {:g})\n", file,
        place.to_string(), number, range->least, range->most);
}

}  // namespace

Machine read_machine(const std::string& path) {
  const json document = read_json_file(path);
  Machine machine = parse_machine(document, path);
  for (const auto& part : document.items())
    if (part.key() != "provenance")
      say_impossible(part.value(), json::json_pointer() / part.key(), part.key(), path);
  return machine;
}

void write_machine(const std::string& path, const Machine& machine) {
  // Read back first: a fault of the calibration must not replace a good file by an unreadable one.
  const std::string content = to_json(machine).dump(1) + "\n";
  parse_machine(parse_json(content, path), path);
  replace_file(path, content);
}

std::vector<Machine> shipped_machines() {
  std::vector<Machine> machines;
  for (const EmbeddedFile& file : shipped_files())
    machines.push_back(parse_machine(parse_json(file.text, file.name), file.name));
  return machines;
}

Machine find_machine(const std::string& name_or_file) {
  std::error_code ignored;
  if (std::filesystem::exists(name_or_file, ignored)) return read_machine(name_or_file);
  std::vector<std::string> names;
  for (Machine& machine : shipped_machines()) {
    if (machine.name == name_or_file) return std::move(machine);
    names.push_back(machine.name);
  }
  throw BadInput(
      fmt::format("machine: found \"{}\", which is neither a file nor a shipped machine; expected "
                  "a path or one of: {}",
                  name_or_file, fmt::join(names, ", ")));
}

}  // namespace bellwether
