// SPDX-License-Identifier: MIT
#include "miniapps/stencil/stencil_step.hpp"

#include <algorithm>
#include <vector>

#include "miniapps/comm/bare_exchange.hpp"
#include "results/statistics.hpp"

namespace bellwether {

StencilStep::StencilStep(const Session& session, Device& device, const Decomposition& decomposition,
                         std::vector<HaloMessage> messages, const GridLayout& layout,
                         std::size_t element_bytes, bool staged, Cut cut)
    : session_(session),
      device_(device),
      layout_(layout),
      halo_(session.world(), device, std::move(messages), layout, element_bytes, staged),
      parts_(split_for_overlap(layout.cells(), halo_faces(decomposition, session.rank()), cut)),
      main_(device.make_stream(false)),
      urgent_(device.make_stream(true)),
      timer_(device),
      begin_(device.make_event()),
      packed_(device.make_event()),
      interior_done_(device.make_event()),
      arrived_(device.make_event()) {}

void StencilStep::in_sequence(PhaseClock& clock, const HaloState& updated, const Update& update) {
  timer_.time(clock, "compute.interior", *main_, [&] { update(layout_.interior(), *main_); });
  if (exchanges()) {
    halo_.gather(updated, timer_, clock, *main_);
    device_.fence(*main_);
    halo_.start(clock);
    halo_.finish(clock);
    halo_.scatter(updated, timer_, clock, *main_);
  }
  timer_.collect(clock);
}

void StencilStep::overlapped(PhaseClock& clock, const HaloState& updated, const Update& update) {
  if (!exchanges()) return in_sequence(clock, updated, update);
  if (!device_.is_host()) return overlapped_on_device(clock, updated, update);
  timer_.time(clock, "compute.boundary", *urgent_, [&] {
    for (const Box& slab : parts_.boundary) update(slab, *urgent_);
  });
  halo_.gather(updated, timer_, clock, *urgent_);
  halo_.start(clock);
  for (const Box& part : parts_.interior_parts) {
    clock.time("compute.interior", [&] { update(part, *main_); });
    halo_.progress(clock);
  }
  halo_.finish(clock);
  halo_.scatter(updated, timer_, clock, *urgent_);
}

/// T = T_boundary + T_pack + max(T_interior, T_comm) + T_unpack. Kernels wait for one another, so
/// that no event times a kernel that competes with another; copies and messages have the interior's
/// time to themselves. What they take beyond it is "network". All five terms are stretches of the
/// device's time that do not meet, so their sum never exceeds the step's.
void StencilStep::overlapped_on_device(PhaseClock& clock, const HaloState& updated,
                                       const Update& update) {
  device_.record(*begin_, *urgent_);  // both streams are idle: this is now
  timer_.time(clock, "compute.boundary", *urgent_, [&] {
    for (const Box& slab : parts_.boundary) update(slab, *urgent_);
  });
  halo_.pack(updated, timer_, clock, *urgent_);
  device_.record(*packed_, *urgent_);
  device_.wait(*main_, *packed_);
  timer_.time(clock, "compute.interior", *main_, [&] { update(parts_.interior, *main_); });
  device_.record(*interior_done_, *main_);

  exchange_aside(halo_, device_, *urgent_, clock);
  device_.record(*arrived_, *urgent_);
  device_.wait(*urgent_, *interior_done_);
  halo_.unpack(updated, timer_, clock, *urgent_);
  fence();
  timer_.collect(clock);
  // Both from the begin: a device need not time backwards.
  const double exposed =
      device_.elapsed(*begin_, *arrived_) - device_.elapsed(*begin_, *interior_done_);
  clock.add("network", std::max(0.0, exposed));
}

void StencilStep::exchange(const HaloState& state) {
  PhaseClock clock(unwatched_);
  halo_.gather(state, timer_, clock, *main_);
  device_.fence(*main_);
  halo_.start(clock);
  halo_.finish(clock);
  halo_.scatter(state, timer_, clock, *main_);
  device_.fence(*main_);
  timer_.collect(clock);
}

void StencilStep::finish(PhaseClock& clock) {
  fence();
  timer_.collect(clock);
}

void StencilStep::fence() {
  device_.fence(*urgent_);
  device_.fence(*main_);
}

double StencilStep::bare_communication(const HaloState& updated, const Update& update) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 7; ++repeat) {
    PhaseClock clock(unwatched_);
    update(layout_.interior(), *main_);
    halo_.pack(updated, timer_, clock, *main_);
    seconds.push_back(bare_exchange_seconds(session_.world(), halo_, device_, *main_));
    timer_.collect(clock);
  }
  return summarize(seconds).median;
}

}  // namespace bellwether
