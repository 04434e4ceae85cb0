// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "miniapps/comm/halo_faces.hpp"
#include "miniapps/comm/message_exchange.hpp"

namespace bellwether {

/// Where a face's outgoing message stands and its incoming one goes: host pointers, or device
/// pointers where MPI can take them. At least the face's bytes each, alive as long as the exchange.
struct HaloBuffers {
  const void* send = nullptr;
  void* receive = nullptr;
};

/// The messages across a subdomain's faces.
class HaloExchange : public MessageExchange {
 public:
  /// Collective over `comm`, of which the faces' neighbours are ranks; `buffers` has one entry for
  /// each face. No faces is valid. A neighbour may be the rank itself, and the same one on both
  /// sides: what leaves a high face arrives at a low one.
  HaloExchange(MPI_Comm comm, const std::vector<HaloFace>& faces,
               const std::vector<HaloBuffers>& buffers);
};

}  // namespace bellwether
