// SPDX-License-Identifier: MIT
#pragma once

#include "miniapps/comm/message_exchange.hpp"
#include "miniapps/comm/phase_clock.hpp"

namespace bellwether {

/// An exchange whose time counts as a phase of its own. One without messages takes none and shows
/// no phase.
class TimedExchange {
 public:
  /// The exchange must outlive this. `phase` is kept by pointer, as PhaseClock has it.
  explicit TimedExchange(MessageExchange& exchange, const char* phase = "network")
      : exchange_(exchange), phase_(phase) {}

  void start(PhaseClock& clock) {
    if (exchange_.empty()) return;
    clock.time(phase_, [&] { exchange_.start(); });
    in_flight_ = true;
  }
  /// Lets MPI work for a moment.
  void progress(PhaseClock& clock) {
    if (!in_flight_) return;
    clock.time(phase_, [&] { in_flight_ = !exchange_.progress(); });
  }
  void finish(PhaseClock& clock) {
    if (!in_flight_) return;
    clock.time(phase_, [&] { exchange_.finish(); });
    in_flight_ = false;
  }

 private:
  MessageExchange& exchange_;
  const char* phase_;
  bool in_flight_ = false;
};

}  // namespace bellwether
