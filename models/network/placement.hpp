// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "models/machine/machine.hpp"
#include "models/stencil/rank_kind.hpp"

namespace bellwether {

/// What a message between two ranks passes over.
struct Path {
  std::string name;  ///< shared_memory or network
  const Link* link;
};

/// Ranks on one node use the machine's shared_memory link; where it has none, its network, as the
/// paper's machines do. Throws BadInput naming machine and link if it has neither.
Path path_between(const Machine& machine, const RankPlacement& placement, int rank, int neighbour);

/// The same for whoever is across a face. Not for Across::nobody.
Path path_to(const Machine& machine, Across across);
/// Whether it has either.
bool has_path(const Machine& machine, Across across);

}  // namespace bellwether
