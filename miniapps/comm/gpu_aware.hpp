// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "miniapps/comm/session.hpp"

namespace bellwether {

/// Whether this MPI says that it takes memory of the device with this description ("cuda/…",
/// "kokkos/Cuda", "kokkos/HIP"); absent where it cannot be asked.
std::optional<bool> mpi_takes_memory_of(const std::string& description);

/// Collective. Throws BadEnvironment on all ranks if MPI says that it does not. An MPI that cannot
/// be asked is allowed: others than Open MPI are GPU-aware as their site and environment have it.
void require_gpu_aware_mpi(const Session& session, const std::string& description);

}  // namespace bellwether
