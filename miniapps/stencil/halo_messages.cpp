// SPDX-License-Identifier: MIT
#include "miniapps/stencil/halo_messages.hpp"

#include "miniapps/stencil/halo_faces.hpp"

namespace bellwether {

std::vector<HaloMessage> face_messages(const Decomposition& decomposition, int rank,
                                       std::size_t element_bytes) {
  std::vector<HaloMessage> messages;
  for (const HaloFace& face : halo_faces(decomposition, rank)) {
    HaloMessage message;
    message.neighbour = face.neighbour;
    message.shift[face.direction] = face.side == 0 ? -1 : 1;
    message.bytes = face.send.cells() * element_bytes;
    message.pack = {{{}, face.send}};
    message.unpack = {{{}, face.receive}};
    messages.push_back(message);
  }
  return messages;
}

}  // namespace bellwether
