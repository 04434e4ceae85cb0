// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "models/embedded_file.hpp"
#include "models/machine/machine.hpp"
#include "results/reproduce/reproduction.hpp"

namespace bellwether {

/// The machines that the papers are evaluated on, by name.
class PaperMachines {
 public:
  /// The shipped ones.
  PaperMachines();
  /// NAME.json of the folder for each of the names. Throws BadInput for a missing folder, a name
  /// without a file, what read_machine refuses, and a file whose machine bears another name.
  PaperMachines(const std::string& folder, const std::vector<std::string>& names);

  [[nodiscard]] const Machine& at(const std::string& name) const { return machines_.at(name); }
  /// Takes the place of the machine of that name.
  void put(Machine machine);

 private:
  std::map<std::string, Machine> machines_;
};

/// Throws BadInput naming machine and key unless the machine has what a paper needs of it.
void need(const Machine& machine, bool there, const char* key);

/// The machine's parameters of one model, which a paper needs.
template <class Parameters>
const Parameters& needed_section(const Machine& machine) {
  const Parameters* parameters = section<Parameters>(machine);
  need(machine, parameters != nullptr, Parameters::section_name);
  return *parameters;
}

/// Each throws BadInput where a machine lacks what the paper's model needs.
Reproduction reproduce_shimokawabe(const PaperMachines& machines);
Reproduction reproduce_hu2021(const PaperMachines& machines);
Reproduction reproduce_gahvari2012(const PaperMachines& machines);
Reproduction reproduce_mudalige2011(const PaperMachines& machines);
Reproduction reproduce_orii(const PaperMachines& machines);
/// No paper: measurements that others published of machines that nobody here calibrated.
Reproduction reproduce_outside(const PaperMachines& machines);

/// The document results/published/`paper`.json: what a paper ran and what it published, as data.
/// Part of the program. The keys are the paper's own quantities with their units; "comment" keys
/// say where a number stands and what is wrong with it. Throws std::out_of_range for an unknown
/// paper.
const nlohmann::json& published(const char* paper);

/// The files of results/published.
std::span<const EmbeddedFile> published_files();

}  // namespace bellwether
