// SPDX-License-Identifier: MIT
#include "miniapps/stencil/halo_exchange.hpp"

#include <array>
#include <stdexcept>

namespace bellwether {
namespace {

/// A message bears the face or edge that it leaves through, so that those between the same two
/// ranks are told apart; `way` is -1 for the neighbour's that arrives through the same place.
int tag_of(const std::array<int, 3>& shift, int way) {
  return 13 + way * (shift[0] + 3 * shift[1] + 9 * shift[2]);
}

void check_pairs(const std::vector<HaloMessage>& messages,
                 const std::vector<HaloBuffers>& buffers) {
  if (messages.size() != buffers.size())
    throw std::invalid_argument("HaloExchange needs one pair of buffers for each message");
}

std::vector<IncomingMessage> incoming(const std::vector<HaloMessage>& messages,
                                      const std::vector<HaloBuffers>& buffers) {
  check_pairs(messages, buffers);
  std::vector<IncomingMessage> all;
  for (std::size_t i = 0; i < messages.size(); ++i)
    all.push_back({messages[i].neighbour, tag_of(messages[i].shift, -1), messages[i].bytes,
                   buffers[i].receive});
  return all;
}

std::vector<OutgoingMessage> outgoing(const std::vector<HaloMessage>& messages,
                                      const std::vector<HaloBuffers>& buffers) {
  check_pairs(messages, buffers);
  std::vector<OutgoingMessage> all;
  for (std::size_t i = 0; i < messages.size(); ++i)
    all.push_back(
        {messages[i].neighbour, tag_of(messages[i].shift, 1), messages[i].bytes, buffers[i].send});
  return all;
}

}  // namespace

HaloExchange::HaloExchange(MPI_Comm comm, const std::vector<HaloMessage>& messages,
                           const std::vector<HaloBuffers>& buffers)
    : MessageExchange(comm, incoming(messages, buffers), outgoing(messages, buffers)) {}

}  // namespace bellwether
