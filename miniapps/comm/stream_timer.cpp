// SPDX-License-Identifier: MIT
#include "miniapps/comm/stream_timer.hpp"

#include <utility>

namespace bellwether {

void StreamTimer::collect(PhaseClock& clock) {
  while (!running_.empty() && device_.reached(*running_.front().to)) {
    Span& span = running_.front();
    clock.add(span.phase, device_.elapsed(*span.from, *span.to));
    idle_.push_back(std::move(span));
    running_.pop_front();
  }
}

double seconds_on(Device& device, Stream& stream, const std::function<void()>& work) {
  const auto begin = device.make_event(true), end = device.make_event(true);
  device.record(*begin, stream);
  work();
  device.record(*end, stream);
  device.fence(stream);
  return device.elapsed(*begin, *end);
}

StreamTimer::Span StreamTimer::take_span(const char* phase) {
  if (idle_.empty()) return {phase, device_.make_event(true), device_.make_event(true)};
  Span span = std::move(idle_.front());
  idle_.pop_front();
  span.phase = phase;
  return span;
}

}  // namespace bellwether
