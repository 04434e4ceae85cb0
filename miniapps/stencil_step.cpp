// SPDX-License-Identifier: MIT
#include "miniapps/stencil_step.hpp"

#include <algorithm>
#include <vector>

#include "results/statistics.hpp"

namespace bellwether {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

}  // namespace

StencilStep::StencilStep(const Session& session, Device& device, const Decomposition& decomposition,
                         const GridLayout& layout, std::size_t element_bytes, bool staged)
    : session_(session),
      device_(device),
      layout_(layout),
      halo_(session.world(), device, decomposition, session.rank(), layout, element_bytes, staged),
      parts_(split_for_overlap(layout.cells(), halo_.faces())),
      main_(device.make_stream(false)),
      urgent_(device.make_stream(true)),
      timer_(device),
      hidden_timer_(device) {}

void StencilStep::in_sequence(PhaseClock& clock, void* updated, const Update& update) {
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

void StencilStep::overlapped(PhaseClock& clock, void* updated, const Update& update) {
  if (!exchanges()) return in_sequence(clock, updated, update);
  const auto begin = Clock::now();
  timer_.time(clock, "compute.boundary", *urgent_, [&] {
    for (const Box& slab : parts_.boundary) update(slab, *urgent_);
  });
  halo_.gather(updated, timer_, clock, *urgent_);
  if (!device_.is_host()) {
    timer_.time(clock, "compute.interior", *main_, [&] { update(parts_.interior, *main_); });
    device_.fence(*urgent_);
    return finish_on_device(clock, updated, begin);
  }
  halo_.start(clock);
  for (const Box& part : parts_.interior_parts) {
    clock.time("compute.interior", [&] { update(part, *main_); });
    halo_.progress(clock);
  }
  halo_.finish(clock);
  halo_.scatter(updated, timer_, clock, *urgent_);
}

/// On a device the exchange, the copy back and the unpacking run beside the interior. What of them
/// the step had to wait for is its time less that of the kernels and copies before and beside them,
/// and counts as network.
void StencilStep::finish_on_device(PhaseClock& clock, void* updated, Clock::time_point begin) {
  PhaseClock before(unwatched_), beside(unwatched_);
  halo_.start(beside);
  halo_.finish(beside);
  halo_.scatter(updated, hidden_timer_, beside, *urgent_);
  fence();
  timer_.collect(before);
  hidden_timer_.collect(beside);
  double exposed = seconds_since(begin);
  for (const PhaseClock::Phase& phase : before.phases()) {
    clock.add(phase.name, phase.seconds);
    exposed -= phase.seconds;
  }
  clock.add("network", std::max(0.0, exposed));
}

void StencilStep::exchange(void* field) {
  PhaseClock clock(unwatched_);
  halo_.gather(field, timer_, clock, *main_);
  device_.fence(*main_);
  halo_.start(clock);
  halo_.finish(clock);
  halo_.scatter(field, timer_, clock, *main_);
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

double StencilStep::bare_communication(void* updated, const Update& update) {
  std::vector<double> seconds;
  for (int repeat = 0; repeat < 7; ++repeat) {
    PhaseClock clock(unwatched_);
    update(layout_.interior(), *main_);
    halo_.gather(updated, timer_, clock, *main_);
    device_.fence(*main_);
    MPI_Barrier(session_.world());
    const auto begin = Clock::now();
    halo_.start(clock);
    halo_.finish(clock);
    double slowest = seconds_since(begin);
    timer_.collect(clock);
    MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, session_.world());
    seconds.push_back(slowest);
  }
  return summarize(seconds).median;
}

}  // namespace bellwether
