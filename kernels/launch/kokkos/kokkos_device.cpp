// SPDX-License-Identifier: MIT
#include "kernels/launch/kokkos/kokkos_device.hpp"

#include <Kokkos_Core.hpp>
#include <cstdlib>

namespace bellwether {

void start_kokkos(int local_rank, int devices) {
  if (Kokkos::is_initialized()) return;
#if KOKKOS_VERSION >= 30700
  Kokkos::InitializationSettings settings;
  settings.set_disable_warnings(true);
  if (devices > 0) settings.set_device_id(local_rank % devices);
#else
  Kokkos::InitArguments settings;
  settings.disable_warnings = true;
  if (devices > 0) settings.device_id = local_rank % devices;
#endif
  Kokkos::initialize(settings);
  std::atexit([] {
    if (Kokkos::is_initialized()) Kokkos::finalize();
  });
}

}  // namespace bellwether
