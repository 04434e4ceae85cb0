// SPDX-License-Identifier: MIT
#include "miniapps/stencil/halo_faces.hpp"

namespace bellwether {

std::vector<HaloFace> halo_faces(const Decomposition& decomposition, int rank) {
  const auto cells = decomposition.local_cells(rank);
  std::vector<HaloFace> faces;
  for (int direction = 0; direction < 3; ++direction) {
    for (int side = 0; side < 2; ++side) {
      HaloFace face;
      face.neighbour = decomposition.neighbour(rank, direction, side);
      if (face.neighbour < 0) {
        continue;
      }
      face.direction = direction;
      face.side = side;
      face.send = face.receive = Box{{0, 0, 0}, cells};
      face.send.low[direction] = side == 0 ? 0 : cells[direction] - 1;
      face.send.high[direction] = face.send.low[direction] + 1;
      face.receive.low[direction] = side == 0 ? -1 : cells[direction];
      face.receive.high[direction] = face.receive.low[direction] + 1;
      faces.push_back(face);
    }
  }
  return faces;
}

}  // namespace bellwether
