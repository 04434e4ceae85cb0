// SPDX-License-Identifier: MIT
#include "miniapps/comm/halo_step.hpp"

#include <algorithm>

#include "miniapps/comm/device_checks.hpp"

namespace bellwether {
namespace {

/// The session's ranks, once their MPI is known to take what the halo will give it.
MPI_Comm checked(const Session& session, const Device& device, bool staged) {
  if (!staged) require_direct_halos(session, device);
  return session.world();
}

}  // namespace

HaloStep::HaloStep(const Session& session, Device& device, const PeerMessages& messages,
                   bool staged, Announcements announcements)
    : device_(device),
      halo_(checked(session, device, staged), device, messages, staged, announcements),
      main_(device.make_stream(false)),
      urgent_(device.make_stream(true)),
      packed_(device.make_event(true)),
      core_done_(device.make_event(true)),
      arrived_(device.make_event(true)) {}

void HaloStep::exchange(const HaloPacking& packing, PhaseClock& clock) {
  if (!exchanges()) return;
  halo_.gather(packing, clock, *main_);
  device_.fence(*main_);
  halo_.start(clock);
  halo_.finish(clock);
  halo_.scatter(packing, clock, *main_);
  timer().collect(clock);
}

void HaloStep::overlapped(const HaloPacking& packing, Stream& packs, PhaseClock& clock,
                          const Core& core, const std::function<void()>& rest) {
  if (exchanges() && !device_.is_host())
    return overlapped_on_device(packing, packs, clock, core, rest);
  halo_.gather(packing, clock, packs);
  halo_.start(clock);
  for (int piece = 0; piece < core.pieces; ++piece) {
    core.compute(piece);
    halo_.progress(clock);
  }
  halo_.finish(clock);
  halo_.scatter(packing, clock, packs);
  rest();
}

/// Kernels wait for one another, so that no event times a kernel that competes with another; copies
/// and messages have the core's time to themselves. All terms are stretches of the device's time
/// that do not meet, so their sum never exceeds the call's.
void HaloStep::overlapped_on_device(const HaloPacking& packing, Stream& packs, PhaseClock& clock,
                                    const Core& core, const std::function<void()>& rest) {
  const bool on_main = &packs == main_.get();
  halo_.pack(packing, clock, packs);
  device_.record(*packed_, packs);
  device_.wait(on_main ? *urgent_ : *main_, *packed_);
  for (int piece = 0; piece < core.pieces; ++piece) core.compute(piece);
  device_.record(*core_done_, *main_);

  halo_.exchange_aside(*urgent_, clock);
  device_.record(*arrived_, *urgent_);
  device_.wait(packs, on_main ? *arrived_ : *core_done_);
  halo_.unpack(packing, clock, packs);
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
  timer().collect(clock);
}

double HaloStep::bare_exchange(const HaloPacking& packing) {
  Heartbeat unwatched;
  PhaseClock clock(unwatched);
  halo_.pack(packing, clock, *main_);
  const double seconds = halo_.bare_exchange_seconds(*main_);
  timer().collect(clock);
  return seconds;
}

}  // namespace bellwether
