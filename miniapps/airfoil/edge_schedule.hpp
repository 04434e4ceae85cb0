// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/airfoil/mesh_ranges.hpp"
#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// In which order and in which parts a loop goes over the edges that this rank executes.
struct EdgeSchedule {
  std::vector<int> order;         ///< the local numbers of the edges, as they are executed
  std::vector<EdgeRange> pieces;  ///< of core, before halos have arrived; between them MPI may work
  EdgeRange rest;                 ///< own edges that need halos
  EdgeRange redundant;            ///< other ranks', executed because they add to own cells
  std::vector<std::vector<std::int32_t>> colours;  ///< what the ranges' colours refer to

  EdgeSchedule() = default;
  EdgeSchedule(EdgeSchedule&&) = default;
  EdgeSchedule& operator=(EdgeSchedule&&) = default;
  EdgeSchedule(const EdgeSchedule&) = delete;
  EdgeSchedule& operator=(const EdgeSchedule&) = delete;
};

/// Who executes the edges: one thread in their order; several, in coloured blocks; or a GPU, all at
/// once with atomics, in as few launches as can be.
enum class EdgeWorkers { one_thread, threads, gpu };

/// `map`: from the edges, through which they add to their targets.
EdgeSchedule schedule_edges(const LocalMesh& mesh, const LocalMap& map, EdgeWorkers workers);

}  // namespace bellwether
