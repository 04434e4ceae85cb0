// SPDX-License-Identifier: MIT
#include "miniapps/mesh/halo_step.hpp"

#include <algorithm>

#include "miniapps/comm/bare_exchange.hpp"
#include "miniapps/comm/gpu_aware.hpp"

namespace bellwether {
namespace {

/// The session, once its MPI is known to take what the halo will give it.
const Session& checked(const Session& session, const Device& device, bool staged) {
  if (!staged && !device.is_host() && session.size() > 1)
    require_gpu_aware_mpi(session, device.description());
  return session;
}

std::vector<const void*> to_read(const HaloStep::Arrays& arrays) {
  return {arrays.begin(), arrays.end()};
}

}  // namespace

HaloStep::HaloStep(const Session& session, Device& device, const LocalSet& set,
                   const std::vector<ElementLayout>& layouts, std::size_t value_bytes, bool staged)
    : session_(checked(session, device, staged)),
      device_(device),
      halo_(session.world(), device, set, layouts, value_bytes, staged),
      main_(device.make_stream(false)),
      urgent_(device.make_stream(true)),
      timer_(device),
      packed_(device.make_event()),
      core_done_(device.make_event()),
      arrived_(device.make_event()) {}

void HaloStep::exchange(const Arrays& arrays, PhaseClock& clock) {
  if (!exchanges()) return;
  halo_.gather(to_read(arrays), timer_, clock, *main_);
  device_.fence(*main_);
  halo_.start(clock);
  halo_.finish(clock);
  halo_.scatter(arrays, timer_, clock, *main_);
  timer_.collect(clock);
}

void HaloStep::overlapped(const Arrays& arrays, PhaseClock& clock, const Core& core,
                          const std::function<void()>& rest) {
  if (exchanges() && !device_.is_host()) return overlapped_on_device(arrays, clock, core, rest);
  halo_.gather(to_read(arrays), timer_, clock, *main_);
  halo_.start(clock);
  for (int piece = 0; piece < core.pieces; ++piece) {
    core.compute(piece);
    halo_.progress(clock);
  }
  halo_.finish(clock);
  halo_.scatter(arrays, timer_, clock, *main_);
  rest();
}

/// Kernels wait for one another, so that no event times a kernel that competes with another; copies
/// and messages have the core's time to themselves. All terms are stretches of the device's time
/// that do not meet, so their sum never exceeds the call's.
void HaloStep::overlapped_on_device(const Arrays& arrays, PhaseClock& clock, const Core& core,
                                    const std::function<void()>& rest) {
  halo_.pack(to_read(arrays), timer_, clock, *main_);
  device_.record(*packed_, *main_);
  device_.wait(*urgent_, *packed_);
  for (int piece = 0; piece < core.pieces; ++piece) core.compute(piece);
  device_.record(*core_done_, *main_);

  exchange_aside(halo_, device_, *urgent_, clock);
  device_.record(*arrived_, *urgent_);
  device_.wait(*main_, *arrived_);
  halo_.unpack(arrays, timer_, clock, *main_);
  rest();
  finish(clock);
  // Both from the same event: a device need not time backwards.
  const double exposed =
      device_.elapsed(*packed_, *arrived_) - device_.elapsed(*packed_, *core_done_);
  clock.add("network", std::max(0.0, exposed));
}

void HaloStep::finish(PhaseClock& clock) {
  device_.fence(*urgent_);
  device_.fence(*main_);
  timer_.collect(clock);
}

double HaloStep::bare_exchange(const Arrays& arrays) {
  PhaseClock clock(unwatched_);
  halo_.pack(to_read(arrays), timer_, clock, *main_);
  const double seconds = bare_exchange_seconds(session_.world(), halo_, device_, *main_);
  timer_.collect(clock);
  return seconds;
}

}  // namespace bellwether
