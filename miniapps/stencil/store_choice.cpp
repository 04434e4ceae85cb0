// SPDX-License-Identifier: MIT
#include "miniapps/stencil/store_choice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace bellwether {
namespace {

constexpr int repeats = 4;

/// The second of two sweeps: from the state in the caches that the first leaves.
double seconds_of(const Session& session, Device& device, Stream& stream,
                  const std::function<void()>& sweep) {
  sweep();
  device.fence(stream);
  MPI_Barrier(session.world());
  const auto begin = std::chrono::steady_clock::now();
  sweep();
  device.fence(stream);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

StoreChoice choose_stores(const Session& session, Device& device, const std::string& asked,
                          Stream& stream, const std::function<void(Stores)>& sweep) {
  constexpr std::array<Stores, 2> candidates{Stores::cached, Stores::streaming};
  constexpr double never = std::numeric_limits<double>::infinity();
  std::array<double, 2> fastest{never, never};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      // A device has one kind of store.
      if (!device.is_host() && candidates[c] == Stores::cached) continue;
      if (device.is_host() && asked != "auto" && asked != name_of(candidates[c])) continue;
      const double spent = seconds_of(session, device, stream, [&] { sweep(candidates[c]); });
      fastest[c] = std::min(fastest[c], spent);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, fastest.data(), 2, MPI_DOUBLE, MPI_MAX, session.world());
  return fastest[0] < fastest[1] ? StoreChoice{Stores::cached, fastest[0]}
                                 : StoreChoice{Stores::streaming, fastest[1]};
}

double fastest_sweep(const Session& session, Device& device, Stream& stream,
                     const std::function<void()>& sweep) {
  double fastest = std::numeric_limits<double>::infinity();
  for (int repeat = 0; repeat < repeats; ++repeat)
    fastest = std::min(fastest, seconds_of(session, device, stream, sweep));
  MPI_Allreduce(MPI_IN_PLACE, &fastest, 1, MPI_DOUBLE, MPI_MAX, session.world());
  return fastest;
}

}  // namespace bellwether
