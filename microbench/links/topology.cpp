// SPDX-License-Identifier: MIT
#include "microbench/links/topology.hpp"

#include <hwloc.h>

#include <array>

namespace bellwether {
namespace {

std::size_t bytes_of_all(hwloc_topology_t topology, hwloc_obj_type_t type) {
  std::size_t bytes = 0;
  for (hwloc_obj_t cache = nullptr;
       (cache = hwloc_get_next_obj_by_type(topology, type, cache)) != nullptr;)
    bytes += cache->attr->cache.size;
  return bytes;
}

}  // namespace

Topology read_topology() {
  hwloc_topology_t topology = nullptr;
  if (hwloc_topology_init(&topology) != 0) return {};
  Topology found;
  if (hwloc_topology_load(topology) == 0) {
    const int cores = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
    found.cores = cores > 0 ? cores : 0;
    found.memory_bytes = hwloc_get_root_obj(topology)->total_memory;
    for (const auto level :
         std::array{HWLOC_OBJ_L4CACHE, HWLOC_OBJ_L3CACHE, HWLOC_OBJ_L2CACHE, HWLOC_OBJ_L1CACHE}) {
      found.last_level_cache_bytes = bytes_of_all(topology, level);
      if (found.last_level_cache_bytes > 0) break;
    }
  }
  hwloc_topology_destroy(topology);
  return found;
}

}  // namespace bellwether
