// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"

namespace bellwether {

/// Memory is the host's, or the device's where MPI can take that; alive as long as the exchange.
struct IncomingMessage {
  int rank = 0;
  int tag = 0;
  std::size_t bytes = 0;
  void* to = nullptr;
};
struct OutgoingMessage {
  int rank = 0;
  int tag = 0;
  std::size_t bytes = 0;
  const void* from = nullptr;
};

/// What becomes of messages of no bytes: left out, or sent, which tells that the sender is there.
enum class EmptyMessages { left_out, sent };

/// Messages with the same ranks again and again. From start() to the end of finish() the outgoing
/// memory must not be written nor the incoming touched. Must end before the Session does.
class MessageExchange {
 public:
  /// Collective over `comm`. No messages is valid, and so are ones above 2 GiB. Two messages
  /// between the same ranks must differ in their tags.
  MessageExchange(MPI_Comm comm, const std::vector<IncomingMessage>& incoming,
                  const std::vector<OutgoingMessage>& outgoing,
                  EmptyMessages empty = EmptyMessages::left_out);
  /// Collective. During an exception nothing is freed: that could wait for ranks that never come.
  ~MessageExchange();
  MessageExchange(const MessageExchange&) = delete;
  MessageExchange& operator=(const MessageExchange&) = delete;

  [[nodiscard]] bool empty() const { return requests_.empty(); }
  void start();
  /// Lets MPI work without waiting; whether all messages have arrived and left.
  bool progress();
  void finish();

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<MPI_Request> requests_;
};

/// An exchange whose time counts as a phase of its own. One without messages takes none and shows
/// no phase.
class TimedExchange {
 public:
  /// Collective. `phase` is kept by pointer, as PhaseClock has it; the rest as MessageExchange.
  TimedExchange(const char* phase, MPI_Comm comm, const std::vector<IncomingMessage>& incoming,
                const std::vector<OutgoingMessage>& outgoing,
                EmptyMessages empty = EmptyMessages::left_out)
      : exchange_(comm, incoming, outgoing, empty), phase_(phase) {}

  [[nodiscard]] bool empty() const { return exchange_.empty(); }
  void start(PhaseClock& clock);
  /// Lets MPI work for a moment.
  void progress(PhaseClock& clock);
  void finish(PhaseClock& clock);

 private:
  MessageExchange exchange_;
  const char* phase_;
  bool in_flight_ = false;
};

}  // namespace bellwether
