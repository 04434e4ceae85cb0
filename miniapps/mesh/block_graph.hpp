// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "miniapps/mesh/block_mesh.hpp"

namespace bellwether {

/// The neighbours of each element of this rank's block of a set, by global indices: those of the
/// e-th stand from offsets[e] to offsets[e + 1], ascending.
struct BlockGraph {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int64_t> neighbours;
};

/// Collective. The graph of a map's target set: what one element refers to are neighbours of each
/// other.
BlockGraph graph_of_map(MPI_Comm comm, const BlockMesh& mesh, int map);

}  // namespace bellwether
