// SPDX-License-Identifier: MIT
#include "models/network/placement.hpp"

#include <fmt/format.h>

#include "models/errors.hpp"

namespace bellwether {

Path path_between(const Machine& machine, const RankPlacement& placement, int rank, int neighbour) {
  const bool near = rank / placement.ranks_per_node == neighbour / placement.ranks_per_node;
  return path_to(machine, near ? Across::same_node : Across::other_node);
}

Path path_to(const Machine& machine, Across across) {
  const bool near = across == Across::same_node;
  const auto shared_memory = machine.links.find("shared_memory");
  if (near && shared_memory != machine.links.end())
    return {"shared_memory", &shared_memory->second};
  const auto network = machine.links.find("network");
  if (network != machine.links.end()) return {"network", &network->second};
  throw BadInput(fmt::format(
      "machine {}: the link \"{}\" is missing, expected between ranks {}; calibrate with that "
      "layout (--ranks-per-node says which ranks share a node)",
      machine.name, near ? "shared_memory" : "network",
      near ? "of one node" : "on different nodes"));
}

bool has_path(const Machine& machine, Across across) {
  return machine.links.contains("network") ||
         (across == Across::same_node && machine.links.contains("shared_memory"));
}

}  // namespace bellwether
