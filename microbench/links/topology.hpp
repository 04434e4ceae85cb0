// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace bellwether {

/// What hwloc sees of this node; 0 where it sees nothing.
struct Topology {
  int cores = 0;
  std::size_t last_level_cache_bytes = 0;  ///< of all caches of the last level together
  std::size_t memory_bytes = 0;
};
Topology read_topology();

}  // namespace bellwether
