// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"

namespace bellwether {

/// To or from a rank. The memory is the host's, or the device's where MPI can take that; alive as
/// long as the exchange.
struct PlacedMessage {
  int rank = 0;
  int tag = 0;
  std::size_t bytes = 0;
  void* memory = nullptr;
};

/// Messages with the same ranks again and again, whose time counts as a phase of its own; one
/// without messages takes none and shows no phase. From start() to the end of finish() the outgoing
/// memory must not be written nor the incoming touched. Must end before the Session does.
class MessageExchange {
 public:
  /// Collective over `comm`. No messages is valid, and so are ones of no bytes and above 2 GiB. Two
  /// messages between the same ranks must differ in their tags. `phase` is kept by pointer, as
  /// PhaseClock has it.
  MessageExchange(const char* phase, MPI_Comm comm, const std::vector<PlacedMessage>& incoming,
                  const std::vector<PlacedMessage>& outgoing);
  /// Collective. During an exception nothing is freed: that could wait for ranks that never come.
  ~MessageExchange();
  MessageExchange(const MessageExchange&) = delete;
  MessageExchange& operator=(const MessageExchange&) = delete;

  [[nodiscard]] bool empty() const { return requests_.empty(); }
  void start(PhaseClock& clock);
  /// Lets MPI work without waiting; whether all messages have arrived and left.
  bool progress(PhaseClock& clock);
  void finish(PhaseClock& clock);

 private:
  void wait();

  const char* phase_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
  bool in_flight_ = false;
};

}  // namespace bellwether
