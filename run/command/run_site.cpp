// SPDX-License-Identifier: MIT
#include "run/command/run_site.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "models/machine/machine_file.hpp"
#include "models/machine/machine_json.hpp"
#include "results/provenance.hpp"

namespace bellwether {
namespace {

std::optional<Machine> machine_here(const std::string& name_or_file) {
  if (!name_or_file.empty()) return find_machine(name_or_file);
  if (std::filesystem::exists("machine.json")) return read_machine("machine.json");
  return {};
}

}  // namespace

std::string machine_label(const std::string& name_or_file) {
  return name_or_file.empty() ? "machine.json" : name_or_file;
}

std::optional<Machine> agreed_machine(const Session& session, const std::string& name_or_file) {
  std::string text;
  agree_on_errors(session.world(), [&] {
    if (session.rank() != 0) return;
    if (const auto found = machine_here(name_or_file)) text = to_json(*found).dump();
  });
  unsigned long long length = text.size();
  MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, session.world());
  text.resize(length);
  MPI_Bcast(text.data(), static_cast<int>(length), MPI_CHAR, 0, session.world());
  if (text.empty()) return {};
  return parse_machine(nlohmann::json::parse(text), machine_label(name_or_file));
}

std::unique_ptr<GpuMonitor> monitor_of(const Device& device) {
  if (device.is_host()) return nullptr;
  const auto [name, uuid, pci_bus_id, runtime] = device.gpu();
  return std::make_unique<GpuMonitor>(GpuNames{name, uuid, pci_bus_id, runtime});
}

nlohmann::json run_provenance(const Session& session, const Device& device,
                              const std::vector<std::string>& command_line) {
  nlohmann::json facts = collect_provenance(command_line);
  facts["mpi"] = mpi_version();
  facts["device"] = device.description();
  if (const std::string knobs = device.knobs(); !knobs.empty()) facts["cuda_knobs"] = knobs;
  facts["layout"] = {{"ranks", session.size()},
                     {"nodes", session.nodes()},
                     {"ranks_per_node", session.ranks_on_node()},
                     {"nodes_per_kernel", session.nodes_on_kernel()},
                     {"hosts", session.hosts()}};
  return facts;
}

}  // namespace bellwether
