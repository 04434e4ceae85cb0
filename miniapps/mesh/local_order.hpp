// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/mesh_parts.hpp"

namespace bellwether {

/// For each set, by which key a rank sorts its core, and its eeh, core's elements first and both as
/// MeshParts has them. `set`, which the others follow, gets its reverse Cuthill-McKee order,
/// neighbours through the first map with two targets in it: any graph has one, with neighbouring
/// wavefronts in a core's cache (kernels/airfoil/README.md has what others gave). A set that refers
/// to one that is ordered follows the numbers of its targets; one that is referred to follows its
/// first use; what no map connects stays as the mesh numbers it.
std::vector<std::vector<std::uint64_t>> order_keys(const BlockMesh& mesh, const MeshParts& parts,
                                                   int set);

/// The positions of the keys in ascending order; the first `core` apart from the rest.
std::vector<int> sorted_by_class(const std::vector<std::uint64_t>& keys, std::size_t core);

}  // namespace bellwether
