// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <vector>

#include "miniapps/comm/halo_messages.hpp"

namespace bellwether {

/// Where what leaves and what arrives of a message stands: host pointers, or device pointers where
/// MPI can take them. At least the message's bytes each, alive as long as the exchange.
struct HaloBuffers {
  const void* send = nullptr;
  void* receive = nullptr;
};

/// Messages exchanged again and again with the same neighbours, through persistent requests.
/// Between start() and the end of finish() (or a progress() that returned true) the send buffers
/// must not be written and the receive buffers not be touched. Must end before the Session does.
class HaloExchange {
 public:
  /// Collective over `comm`, of which the neighbours are ranks; `buffers` has one entry for each
  /// message. No messages is valid, and so are messages above 2 GiB. A neighbour may be the rank
  /// itself, and the same one on both sides: what leaves a high face arrives at a low one.
  HaloExchange(MPI_Comm comm, const std::vector<HaloMessage>& messages,
               const std::vector<HaloBuffers>& buffers);
  /// Collective. During an exception nothing is freed: that could wait for ranks that never come.
  ~HaloExchange();
  HaloExchange(const HaloExchange&) = delete;
  HaloExchange& operator=(const HaloExchange&) = delete;

  void start();
  /// Lets MPI work without waiting; whether all messages have arrived and left.
  bool progress();
  void finish();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
};

}  // namespace bellwether
