// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// Whether the kokkos backend can be used in this process: always where Kokkos runs on the host;
/// with a device that it was built for elsewhere, make_kokkos_device(local_rank)'s. Does not
/// initialize Kokkos, which aborts without one.
[[nodiscard]] BackendInfo kokkos_backend_info(int local_rank);

/// Initializes Kokkos on the first call (Kokkos allows one lifetime a process) and leaves its end
/// to the process's exit. The device is the node-local rank modulo the devices that Kokkos sees.
[[nodiscard]] std::unique_ptr<Device> make_kokkos_device(int local_rank);

/// Puts the process on that device; why it could not, empty if it could. Absent where Kokkos runs
/// on the host.
[[nodiscard]] std::optional<std::string> choose_kokkos_device(int local_rank);

/// Initializes Kokkos, on device number local_rank modulo `devices` (0: Kokkos runs on the host),
/// and has it finalized when the process exits. Does nothing but the first time.
void start_kokkos(int local_rank, int devices);

}  // namespace bellwether
