// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "miniapps/mesh/block_mesh.hpp"

namespace bellwether {

/// How the elements of a set are dealt out to the ranks of a communicator.
enum class Partitioner {
  scotch,  ///< PT-Scotch's k-way partition of the graph of neighbours
  rcb,     ///< recursive coordinate bisection of their positions
  block,   ///< contiguous blocks in the mesh's own order
};

/// "scotch", "rcb" or "block"; anything else is BadInput that names --partitioner.
Partitioner partitioner_named(const std::string& name);
const char* name_of(Partitioner partitioner);

struct PartitionInput {
  int set = 0;            ///< that is dealt out
  int neighbour_map = 0;  ///< index of a map into it: what an element refers to are neighbours
  std::vector<double> positions{};  ///< x and y of this rank's block of the set; for rcb
};

/// Collective. The owning rank of each element of this rank's block. Throws BadEnvironment for
/// scotch in a build without PT-Scotch, and BadInput that names --ranks for fewer elements than
/// ranks.
std::vector<int> partition_set(MPI_Comm comm, const BlockMesh& mesh, const PartitionInput& input,
                               Partitioner partitioner);

/// Collective. Bisects the points (two coordinates each) where they spread most, in proportion to
/// the halves' ranks, until each rank has its own; of equals the earlier come first.
std::vector<int> partition_rcb(MPI_Comm comm, const std::vector<double>& positions);

/// Collective. PT-Scotch's partition with parts at most 0.2 % larger than their share, as far as it
/// can; the same every time.
std::vector<int> partition_scotch(MPI_Comm comm, const BlockMesh& mesh,
                                  const PartitionInput& input);

/// Whether this build has PT-Scotch.
bool has_scotch();

/// Collective. The mean position of each of this rank's elements of a map's set: of the `dim` = 2
/// coordinates of what it refers to.
std::vector<double> mean_positions(MPI_Comm comm, const BlockMesh& mesh, int map,
                                   const BlockData<double>& coordinates);

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
