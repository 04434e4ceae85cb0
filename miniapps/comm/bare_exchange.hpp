// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <chrono>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/phase_clock.hpp"

// A packed halo's way to its neighbours by itself. Halo is FieldHalo or ElementHalo.

namespace bellwether {

/// While a device computes on another stream: the copies go on `stream`, the messages between them.
/// Not timed; the watchdog is told "network".
template <class Halo>
void exchange_aside(Halo& halo, Device& device, Stream& stream, PhaseClock& clock) {
  clock.enter("network");
  Heartbeat unwatched;
  PhaseClock hidden(unwatched);
  halo.copy_to_host(stream);
  device.fence(stream);
  halo.start(hidden);
  halo.finish(hidden);
  halo.copy_to_device(stream);
}

/// Collective: seconds of the messages on the slowest rank, when all begin together; on a device
/// those of their copies too. A host's copies are its core's own work, which overlap does not hide.
template <class Halo>
double bare_exchange_seconds(MPI_Comm comm, Halo& halo, Device& device, Stream& stream) {
  Heartbeat unwatched;
  PhaseClock clock(unwatched);
  const bool copies_count = !device.is_host();
  if (!copies_count) halo.copy_to_host(stream);
  device.fence(stream);
  MPI_Barrier(comm);
  const auto begin = std::chrono::steady_clock::now();
  if (copies_count) {
    halo.copy_to_host(stream);
    device.fence(stream);
  }
  halo.start(clock);
  halo.finish(clock);
  if (copies_count) {
    halo.copy_to_device(stream);
    device.fence(stream);
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  double slowest = taken.count();
  MPI_Allreduce(MPI_IN_PLACE, &slowest, 1, MPI_DOUBLE, MPI_MAX, comm);
  return slowest;
}

}  // namespace bellwether
