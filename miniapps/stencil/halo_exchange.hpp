// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "miniapps/comm/message_exchange.hpp"
#include "miniapps/stencil/halo_messages.hpp"

namespace bellwether {

/// Where what leaves and what arrives of a message stands: host pointers, or device pointers where
/// MPI can take them. At least the message's bytes each, alive as long as the exchange.
struct HaloBuffers {
  const void* send = nullptr;
  void* receive = nullptr;
};

/// The messages across a subdomain's faces and edges.
class HaloExchange : public MessageExchange {
 public:
  /// Collective over `comm`, of which the neighbours are ranks; `buffers` has one entry for each
  /// message. No messages is valid, and so are messages above 2 GiB. A neighbour may be the rank
  /// itself, and the same one on both sides: what leaves a high face arrives at a low one.
  HaloExchange(MPI_Comm comm, const std::vector<HaloMessage>& messages,
               const std::vector<HaloBuffers>& buffers);
};

}  // namespace bellwether
