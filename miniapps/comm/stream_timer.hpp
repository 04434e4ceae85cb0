// SPDX-License-Identifier: MIT
#pragma once

#include <deque>
#include <functional>
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
  void collect(PhaseClock& clock);

 private:
  struct Span {
    const char* phase;
    std::unique_ptr<Event> from, to;
  };
  Span take_span(const char* phase);

  Device& device_;
  std::deque<Span> running_, idle_;
};

/// Seconds that what `work` puts on the stream takes there: between two events, one fence after.
double seconds_on(Device& device, Stream& stream, const std::function<void()>& work);

}  // namespace bellwether
