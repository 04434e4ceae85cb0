// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

/// collect_provenance with what MPI and the device add: MPI library, rank layout, hosts, device.
nlohmann::json run_provenance(const Session& session, const Device& device,
                              const std::vector<std::string>& command_line);

}  // namespace bellwether
