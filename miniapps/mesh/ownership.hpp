// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "miniapps/mesh/block_mesh.hpp"

namespace bellwether {

/// The owning rank of each element of this rank's block, for each set.
using Ownership = std::vector<std::vector<int>>;

/// Collective. All sets follow the owners of one: an element goes where the first element that it
/// refers to is, or else where the lowest-numbered element is that refers to it; the sets nearest
/// to the first are told first. What nothing refers to, and sets without maps, stay in their
/// blocks.
Ownership follow_owners(MPI_Comm comm, const BlockMesh& mesh, int set, std::vector<int> owners);

}  // namespace bellwether
