// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "models/decomposition.hpp"
#include "models/machine.hpp"
#include "models/stencil.hpp"

namespace bellwether {

/// Ranks that stand together on a full node: no more than there are.
int ranks_on_node(const Decomposition& decomposition, const RankPlacement& placement);

/// What a message between two ranks passes over.
struct Path {
  std::string name;  ///< shared_memory or network
  const Link* link;
};

/// Ranks on one node use the machine's shared_memory link; where it has none, its network, as the
/// paper's machines do. Throws BadInput naming machine and link if it has neither.
Path path_between(const Machine& machine, const RankPlacement& placement, int rank, int neighbour);

/// One rank for each distinct combination of shape, neighbours and neighbours' paths: as
/// Decomposition::representatives, which does not know where nodes end. Among them is a slowest
/// rank.
std::vector<int> distinct_ranks(const Decomposition& decomposition, const RankPlacement& placement);

}  // namespace bellwether
