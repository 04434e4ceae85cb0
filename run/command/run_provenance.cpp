// SPDX-License-Identifier: MIT
#include "run/command/run_provenance.hpp"

#include <nlohmann/json.hpp>

#include "results/provenance.hpp"

namespace bellwether {

nlohmann::json run_provenance(const Session& session, const Device& device,
                              const std::vector<std::string>& command_line) {
  nlohmann::json facts = collect_provenance(command_line);
  facts["mpi"] = mpi_version();
  facts["device"] = device.description();
  facts["layout"] = {{"ranks", session.size()},
                     {"nodes", session.nodes()},
                     {"ranks_per_node", session.ranks_on_node()},
                     {"nodes_per_kernel", session.nodes_on_kernel()},
                     {"hosts", session.hosts()}};
  return facts;
}

}  // namespace bellwether
