// SPDX-License-Identifier: MIT
#include "run/command/subcommand.hpp"

#include <cstdlib>
#include <filesystem>

#include "models/machine/machine_file.hpp"

namespace bellwether {

int launched_rank() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* rank = std::getenv(variable)) return std::atoi(rank);
  }
  return 0;
}

void add_progress_option(Options& options, std::string& mode) {
  options.add_choice("--progress", mode, {"auto", "on", "off"},
                     "What is being done, and the time left, on stderr: auto where that is a "
                     "terminal, the launcher's too; on: lines without a terminal as well");
}

std::optional<Machine> machine_for_run(const std::string& name_or_file) {
  if (!name_or_file.empty()) return find_machine(name_or_file);
  if (std::filesystem::exists("machine.json")) return read_machine("machine.json");
  return {};
}

}  // namespace bellwether
