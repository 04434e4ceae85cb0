// SPDX-License-Identifier: MIT
#pragma once

#include "miniapps/comm/message_exchange.hpp"
#include "miniapps/phase_clock.hpp"

namespace bellwether {

/// An exchange whose time counts as network. One without messages takes none and shows no phase.
class TimedExchange {
 public:
  /// The exchange must outlive this.
  explicit TimedExchange(MessageExchange& exchange) : exchange_(exchange) {}

  void start(PhaseClock& clock) {
    if (exchange_.empty()) return;
    clock.time("network", [&] { exchange_.start(); });
    in_flight_ = true;
  }
  /// Lets MPI work for a moment.
  void progress(PhaseClock& clock) {
    if (!in_flight_) return;
    clock.time("network", [&] { in_flight_ = !exchange_.progress(); });
  }
  void finish(PhaseClock& clock) {
    if (!in_flight_) return;
    clock.time("network", [&] { exchange_.finish(); });
    in_flight_ = false;
  }

 private:
  MessageExchange& exchange_;
  bool in_flight_ = false;
};

}  // namespace bellwether
