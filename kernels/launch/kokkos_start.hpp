// SPDX-License-Identifier: MIT
#pragma once

namespace bellwether {

/// Initializes Kokkos, on device number local_rank modulo `devices` (0: Kokkos runs on the host),
/// and has it finalized when the process exits. Does nothing but the first time.
void start_kokkos(int local_rank, int devices);

}  // namespace bellwether
