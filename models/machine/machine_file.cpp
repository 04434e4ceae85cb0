// SPDX-License-Identifier: MIT
#include "models/machine/machine_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/strict_json.hpp"
#include "models/replace_file.hpp"

namespace bellwether {

Machine read_machine(const std::string& path) { return parse_machine(read_json_file(path), path); }

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
