// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// Collective. Throws BadEnvironment where --stores asks for a kind that the device has not.
void require_stores(const Session& session, const Device& device, const std::string& asked);

struct SweepChoice {
  std::size_t which;
  double sweep_s;  ///< the fastest of a few, on the slowest rank
};

/// Collective. Streaming stores win where the fields exceed the caches and lose within them; which
/// it is here is measured, on the fields themselves, and the same on all ranks: the least median of
/// a few, since what others leave of a shared cache may change from one to the next; among equals
/// the last. `sweeps` each put one update of all cells on `stream` and may advance the state.
SweepChoice choose_sweep(const Session& session, Device& device, Stream& stream,
                         const std::vector<std::function<void()>>& sweeps);

}  // namespace bellwether
