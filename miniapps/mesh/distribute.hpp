// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/local_mesh.hpp"
#include "miniapps/mesh/mesh_parts.hpp"
#include "miniapps/mesh/parcels.hpp"

namespace bellwether {

/// Collective. This rank's part of the mesh, renumbered by order_keys of `set`, with its halos.
/// Every rank may own nothing of any set.
LocalMesh distribute(MPI_Comm comm, const BlockMesh& mesh, const Ownership& owners, int set);

/// Collective. The values of all elements of a rank's part of a set, halos too, from the blocks.
template <class T>
std::vector<T> local_values(MPI_Comm comm, const LocalSet& set, const BlockData<T>& data) {
  return fetch(comm, Blocks(set.total, ranks_in(comm)), set.global, data.values, data.dim);
}

/// Collective. The reverse, from the ranks' own elements: `values` has `dim` for each local
/// element, of which those of halos do not count.
template <class T>
std::vector<T> block_values(MPI_Comm comm, const LocalSet& set, const std::vector<T>& values,
                            int dim) {
  const std::vector<std::int64_t> owned(set.global.begin(), set.global.begin() + set.owned());
  return to_blocks(comm, Blocks(set.total, ranks_in(comm)), owned, values, dim);
}

}  // namespace bellwether
