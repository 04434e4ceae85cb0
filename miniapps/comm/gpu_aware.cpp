// SPDX-License-Identifier: MIT
#include "miniapps/comm/gpu_aware.hpp"

#include <fmt/format.h>
#include <mpi.h>

// Open MPI's extensions: which of them there are, its macros say.
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace bellwether {

std::optional<bool> mpi_takes_memory_of(const std::string& description) {
  const auto names = [&](const char* word) { return description.find(word) != description.npos; };
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  if (names("cuda") || names("Cuda")) return MPIX_Query_cuda_support() == 1;
#endif
#if defined(MPIX_ROCM_AWARE_SUPPORT)
  if (names("HIP")) return MPIX_Query_rocm_support() == 1;
#endif
  (void)names;
  return {};
}

void require_gpu_aware_mpi(const Session& session, const std::string& description) {
  agree_on_errors(session.world(), [&] {
    if (mpi_takes_memory_of(description).value_or(true)) return;
    throw BadEnvironment(
        fmt::format("--halo direct: the MPI on {} says that it takes no memory of {}: an MPI built "
                    "with support for this GPU is needed (or --halo staged)",
                    session.host(), description));
  });
}

}  // namespace bellwether
