// SPDX-License-Identifier: MIT
#include "miniapps/stencil/halo_messages.hpp"

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

std::vector<HaloMessage> face_messages(const Decomposition& decomposition, int rank,
                                       const GridLayout& layout, std::size_t element_bytes,
                                       bool staged) {
  std::vector<HaloMessage> messages;
  for (const HaloFace& face : halo_faces(decomposition, rank)) {
    HaloMessage message;
    message.neighbour = face.neighbour;
    message.shift[face.direction] = face.side == 0 ? -1 : 1;
    message.in_place = face.direction == 2 && !staged;
    const auto& [nx, ny, nz] = layout.cells();
    const auto plane = static_cast<std::size_t>(layout.at(nx, ny - 1, 0) - layout.at(0, 0, 0));
    const std::size_t elements = message.in_place ? plane : face.send.cells();
    message.bytes = elements * element_bytes;
    message.pack = {{{}, face.send}};
    message.unpack = {{{}, face.receive}};
    messages.push_back(message);
  }
  return messages;
}

}  // namespace bellwether
