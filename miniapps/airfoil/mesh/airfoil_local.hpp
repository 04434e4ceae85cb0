// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"
#include "miniapps/mesh/local_mesh.hpp"
#include "miniapps/mesh/partition.hpp"
#include "models/airfoil/airfoil_workload.hpp"

namespace bellwether {

/// One rank's part of an Airfoil mesh; sets and maps by AirfoilSet and AirfoilMap.
struct AirfoilLocal {
  LocalMesh mesh;
  std::vector<double> coordinates;   ///< x and y of every local node
  std::vector<std::int32_t> bounds;  ///< the flag of every local boundary edge
  /// Where stages gather: of every own cell the codes of its AirfoilSides (add_surroundings).
  std::vector<std::uint32_t> surroundings{};
};

/// Collective. Deals out the cells, lets nodes, edges and boundary edges follow, and numbers what
/// this rank has. Throws as partition_set does.
AirfoilLocal distribute_airfoil(MPI_Comm comm, const AirfoilBlocks& blocks,
                                Partitioner partitioner);

/// What the model takes of this rank's part. `node_of_rank`: of every rank.
AirfoilWorkload workload_of(const LocalMesh& mesh, int rank, const std::vector<int>& node_of_rank);

/// Collective. Makes the part one whose cells can gather their fluxes, in an order that does not
/// depend on the ranks. Throws the same BadInput on all where an edge is none of its cell's sides.
void add_surroundings(MPI_Comm comm, const AirfoilBlocks& blocks, AirfoilLocal& local);

}  // namespace bellwether
