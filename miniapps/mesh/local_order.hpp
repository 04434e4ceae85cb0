// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <vector>

#include "miniapps/mesh/block_mesh.hpp"
#include "miniapps/mesh/mesh_parts.hpp"

namespace bellwether {

/// How a rank numbers its own elements of the set that all others follow, within core and eeh. Any
/// graph has a reverse Cuthill-McKee order, with neighbouring wavefronts in a core's cache: as good
/// for Airfoil's loops as the mesh's own rows of 1200 cells, and 5.5 times as good as random
/// numbers (kernels/airfoil/README.md). Physical distance says little in a mesh that is stretched
/// so much.
enum class LocalOrder {
  given,          ///< as the mesh numbers them
  hilbert,        ///< along a Hilbert curve through their positions
  cuthill_mckee,  ///< reverse Cuthill-McKee, neighbours through the first map with two targets in
                  ///< it
};

struct OrderChoice {
  LocalOrder order = LocalOrder::given;
  int set = 0;                      ///< that the others follow
  std::vector<double> positions{};  ///< x and y of this rank's block of the set; for hilbert
};

/// Collective. For each set, by which key a rank sorts its core, and its eeh, core's elements first
/// and both as MeshParts has them. A set that refers to one that is ordered follows the numbers of
/// its targets; one that is referred to follows its first use.
std::vector<std::vector<std::uint64_t>> order_keys(MPI_Comm comm, const BlockMesh& mesh,
                                                   const MeshParts& parts,
                                                   const OrderChoice& choice);

/// The positions of the keys in ascending order; the first `core` apart from the rest.
std::vector<int> sorted_by_class(const std::vector<std::uint64_t>& keys, std::size_t core);

}  // namespace bellwether
