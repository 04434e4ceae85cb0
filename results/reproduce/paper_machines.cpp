// SPDX-License-Identifier: MIT
#include "results/reproduce/paper_machines.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"

namespace bellwether {

PaperMachines::PaperMachines() {
  for (Machine& machine : shipped_machines()) put(std::move(machine));
}

PaperMachines::PaperMachines(const std::string& folder, const std::vector<std::string>& names) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(folder, ignored))
    throw BadInput(
        fmt::format("--machine-dir: found \"{}\", which is no folder; expected one with {}.json",
                    folder, fmt::join(names, ".json, ")));
  for (const std::string& name : names) {
    const std::string file = (std::filesystem::path(folder) / (name + ".json")).string();
    if (!std::filesystem::exists(file, ignored))
      throw BadInput(fmt::format("--machine-dir: found no {}; expected {}.json in the folder", file,
                                 fmt::join(names, ".json, ")));
    Machine machine = read_machine(file);
    if (machine.name != name)
      throw BadInput(
          fmt::format("{}: name: found \"{}\", expected \"{}\"", file, machine.name, name));
    put(std::move(machine));
  }
}

void PaperMachines::put(Machine machine) {
  const std::string name = machine.name;
  machines_.insert_or_assign(name, std::move(machine));
}

void need(const Machine& machine, bool there, const char* key) {
  if (!there)
    throw BadInput(
        fmt::format("machine {}: {} is missing, which the paper's model needs", machine.name, key));
}

}  // namespace bellwether
