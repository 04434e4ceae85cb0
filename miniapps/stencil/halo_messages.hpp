// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "kernels/launch/grid.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// A face across which a rank exchanges one layer of cells with a neighbour.
struct HaloFace {
  int neighbour = 0;
  int direction = 0;  ///< 0 to 2: x, y, z
  int side = 0;       ///< 0 low, 1 high
  Box send;           ///< owned cells, in local coordinates
  Box receive;        ///< ghost cells, in local coordinates
};

/// The faces of a rank that have a neighbour, low before high, x before y before z. None where a
/// wall is or where the direction is not split.
std::vector<HaloFace> halo_faces(const Decomposition& decomposition, int rank);

/// A stretch of a message: a box of cells of one field among those of a storage.
struct HaloPart {
  /// Elements from the start of the storage to that of the field, after a step of parity 0 and of
  /// parity 1: where fields take turns at a place, as the populations of a lattice streamed in
  /// place do. Twice the same where they stay.
  std::array<std::size_t, 2> field{};
  Box box;  ///< in local coordinates, ghost cells allowed
};

/// What a rank and a neighbour send one another in each exchange.
struct HaloMessage {
  int neighbour = 0;
  /// Where the neighbour is, -1 to 1 in each direction: one that is not 0 across a face, two across
  /// an edge. It tells messages between the same two ranks apart.
  std::array<int, 3> shift{};
  std::size_t bytes = 0;         ///< the same both ways
  std::vector<HaloPart> pack;    ///< what leaves, in this order
  std::vector<HaloPart> unpack;  ///< where what arrives goes
  /// From the first to the last cell of its one part, with what stands between them, which nobody
  /// reads.
  bool in_place = false;
};

/// One layer of one field across each face that has a neighbour: a message a face. Those across z,
/// whose rows follow one another, are in place unless halos are staged.
std::vector<HaloMessage> face_messages(const Decomposition& decomposition, int rank,
                                       const GridLayout& layout, std::size_t element_bytes,
                                       bool staged);

}  // namespace bellwether
