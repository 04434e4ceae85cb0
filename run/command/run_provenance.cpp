// SPDX-License-Identifier: MIT
#include "run/command/run_provenance.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "results/provenance.hpp"

namespace bellwether {

nlohmann::json run_provenance(const Session& session, const Device& device,
                              const std::vector<std::string>& command_line) {
  nlohmann::json facts = collect_provenance(command_line);
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
  int length = 0;
  MPI_Get_library_version(library.data(), &length);
  const std::string version(library.data(), static_cast<std::size_t>(std::max(0, length)));
  facts["mpi"] = version.substr(0, version.find_first_of(",\n"));
  facts["device"] = device.description();
  facts["layout"] = {{"ranks", session.size()},
                     {"nodes", session.nodes()},
                     {"ranks_per_node", session.ranks_on_node()},
                     {"nodes_per_kernel", session.nodes_on_kernel()},
                     {"hosts", session.hosts()}};
  return facts;
}

}  // namespace bellwether
