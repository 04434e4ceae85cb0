// SPDX-License-Identifier: MIT
#include "results/reproduce/papers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/strict_json.hpp"

namespace bellwether {

std::vector<KnownPaper> known_papers() {
  return {
      {"shimokawabe", {"tsubame2.0", "cray-xk6m"}, reproduce_shimokawabe},
      {"hu2021", {"mi50-cluster"}, reproduce_hu2021},
      {"gahvari2012", {"grotius"}, reproduce_gahvari2012},
      {"mudalige2011", {"hector", "cx1", "c2070-cluster"}, reproduce_mudalige2011},
      {"orii", {"vpp500", "paragon"}, reproduce_orii},
      {"outside", {}, reproduce_outside},
  };
}

const nlohmann::json& published(const char* paper) {
  static const auto documents = [] {
    std::map<std::string, nlohmann::json> all;
    for (const EmbeddedFile& file : published_files()) {
      const std::string name = file.name;
      all[name.substr(0, name.rfind('.'))] = parse_json(file.text, name);
    }
    return all;
  }();
  return documents.at(paper);
}

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
