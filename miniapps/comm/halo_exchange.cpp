// SPDX-License-Identifier: MIT
#include "miniapps/comm/halo_exchange.hpp"

#include <stdexcept>

namespace bellwether {
namespace {

/// A message bears the face that it leaves from, so that two messages between the same two ranks
/// are told apart by the faces they join.
int tag_of(int direction, int side) { return 2 * direction + side; }

void check_pairs(const std::vector<HaloFace>& faces, const std::vector<HaloBuffers>& buffers) {
  if (faces.size() != buffers.size()) {
    throw std::invalid_argument("HaloExchange needs one pair of buffers for each face");
  }
}

std::vector<IncomingMessage> incoming(const std::vector<HaloFace>& faces,
                                      const std::vector<HaloBuffers>& buffers) {
  check_pairs(faces, buffers);
  std::vector<IncomingMessage> messages;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const HaloFace& face = faces[i];
    messages.push_back(
        {face.neighbour, tag_of(face.direction, 1 - face.side), face.bytes, buffers[i].receive});
  }
  return messages;
}

std::vector<OutgoingMessage> outgoing(const std::vector<HaloFace>& faces,
                                      const std::vector<HaloBuffers>& buffers) {
  check_pairs(faces, buffers);
  std::vector<OutgoingMessage> messages;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const HaloFace& face = faces[i];
    messages.push_back(
        {face.neighbour, tag_of(face.direction, face.side), face.bytes, buffers[i].send});
  }
  return messages;
}

}  // namespace

HaloExchange::HaloExchange(MPI_Comm comm, const std::vector<HaloFace>& faces,
                           const std::vector<HaloBuffers>& buffers)
    : MessageExchange(comm, incoming(faces, buffers), outgoing(faces, buffers)) {}

}  // namespace bellwether
