// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session.hpp"

namespace bellwether {

struct StoreChoice {
  Stores stores;
  double sweep_s;  ///< the fastest of a few sweeps with them, on the slowest rank
};

/// Collective. Throws BadEnvironment where --stores asks for a kind that the device has not.
void require_stores(const Session& session, const Device& device, const std::string& asked);

/// Collective. Streaming stores win where the fields exceed the caches and lose within them; which
/// it is here, of those that the device has, is measured, on the fields themselves, and the same on
/// all ranks. `asked` is "auto", "cached" or "streaming" (only that one is then timed), as
/// require_stores() allows; `sweep` puts one update of all cells on `stream` and may advance the
/// state.
StoreChoice choose_stores(const Session& session, Device& device, const std::string& asked,
                          Stream& stream, const std::function<void(Stores)>& sweep);

/// Collective. Seconds of the fastest of a few sweeps on the slowest rank; `sweep` as above.
double fastest_sweep(const Session& session, Device& device, Stream& stream,
                     const std::function<void()>& sweep);

}  // namespace bellwether
