// SPDX-License-Identifier: MIT
#include "miniapps/store_choice.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

namespace bellwether {

StoreChoice choose_stores(const Session& session, Device& device, const std::string& asked,
                          Stream& stream, const std::function<void(Stores)>& sweep) {
  constexpr int repeats = 4;
  constexpr std::array<Stores, 2> candidates{Stores::cached, Stores::streaming};
  constexpr double never = std::numeric_limits<double>::infinity();
  std::array<double, 2> fastest{never, never};
  for (int repeat = 0; repeat < repeats; ++repeat) {
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      // A device has one kind of store.
      if (!device.is_host() && candidates[c] == Stores::cached) continue;
      if (device.is_host() && asked != "auto" && asked != name_of(candidates[c])) continue;
      sweep(candidates[c]);  // from the state in the caches that this kind of store leaves
      device.fence(stream);
      MPI_Barrier(session.world());
      const auto begin = std::chrono::steady_clock::now();
      sweep(candidates[c]);
      device.fence(stream);
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
      fastest[c] = std::min(fastest[c], spent.count());
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, fastest.data(), 2, MPI_DOUBLE, MPI_MAX, session.world());
  return fastest[0] < fastest[1] ? StoreChoice{Stores::cached, fastest[0]}
                                 : StoreChoice{Stores::streaming, fastest[1]};
}

}  // namespace bellwether
