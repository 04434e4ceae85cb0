// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <memory>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/phase_clock.hpp"

namespace bellwether {

/// Times work on a device's stream into a PhaseClock: with the clock where a launch returns when it
/// is done, with pairs of events where it returns at once. Without a fence of its own.
class StreamTimer {
 public:
  explicit StreamTimer(Device& device) : device_(device) {}

  /// Runs `launch`, which puts work on the stream, and adds its time to the phase.
  template <class Launch>
  void time(PhaseClock& clock, const char* phase, Stream& stream, Launch&& launch) {
    if (device_.is_host()) {
      clock.time(phase, launch);
      return;
    }
    clock.enter(phase);
    Span span = take_span(phase);
    device_.record(*span.from, stream);
    launch();
    device_.record(*span.to, stream);
    running_.push_back(std::move(span));
  }
  /// Adds the times of the work that has finished; call it after a fence to get all.
  void collect(PhaseClock& clock) {
    while (!running_.empty() && device_.reached(*running_.front().to)) {
      Span& span = running_.front();
      clock.add(span.phase, device_.elapsed(*span.from, *span.to));
      idle_.push_back(std::move(span));
      running_.pop_front();
    }
  }

 private:
  struct Span {
    const char* phase;
    std::unique_ptr<Event> from, to;
  };
  Span take_span(const char* phase) {
    if (idle_.empty()) return {phase, device_.make_event(), device_.make_event()};
    Span span = std::move(idle_.front());
    idle_.pop_front();
    span.phase = phase;
    return span;
  }

  Device& device_;
  std::deque<Span> running_, idle_;
};

}  // namespace bellwether
