// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "miniapps/mesh/block_mesh.hpp"

namespace bellwether {

/// The owning rank of each element of this rank's block, for each set.
using Ownership = std::vector<std::vector<int>>;

/// Collective. An element goes where the first that it refers to is, else where the lowest-numbered
/// is that refers to it; what no map connects stays in its block.
Ownership follow_owners(MPI_Comm comm, const BlockMesh& mesh, int set, std::vector<int> owners);

/// One rank's part of a set by OP2's classes (Mudalige et al., Section 2.1), by ascending global
/// indices:
///   core  owned, refers to the rank's own elements alone
///   eeh   owned, refers to another's element (export execute)
///   ieh   another's, refers through a written map to an owned one (import execute)
///   inh   another's, referred to by an element of core, eeh or ieh, and not in ieh
struct SetParts {
  std::vector<std::int64_t> core, eeh, ieh, inh;
  std::vector<int> ieh_owners, inh_owners;
};

struct MeshParts {
  std::vector<SetParts> sets;
  /// For each map the targets of its set's core, eeh and ieh, in that order.
  std::vector<std::vector<std::int64_t>> rows;
};

/// Collective. This rank's parts of all sets.
MeshParts divide_mesh(MPI_Comm comm, const BlockMesh& mesh, const Ownership& owners);

}  // namespace bellwether
