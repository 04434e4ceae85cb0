// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"
#include "models/machine/machine.hpp"
#include "results/gpu_monitor.hpp"

namespace bellwether {

/// --machine's value as messages and records name it: without one it is machine.json.
std::string machine_label(const std::string& name_or_file);

/// --machine's: a file or a shipped machine; without one machine.json in the working directory, if
/// it is there; else nothing, and the run goes unpredicted. Collective: rank 0's on every rank, as
/// machine.json need not lie on every node.
std::optional<Machine> agreed_machine(const Session& session, const std::string& name_or_file);

/// What tells of the device's state; null where it is no GPU.
std::unique_ptr<GpuMonitor> monitor_of(const Device& device);

/// collect_provenance with what MPI and the device add: MPI library, rank layout, hosts, device.
nlohmann::json run_provenance(const Session& session, const Device& device,
                              const std::vector<std::string>& command_line);

}  // namespace bellwether
