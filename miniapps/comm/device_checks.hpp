// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/session.hpp"

namespace bellwether {

/// The device of --backend for this process. Throws BadInput for a name that is no backend, and
/// BadEnvironment for one that cannot be used here.
std::unique_ptr<Device> open_device(const std::string& backend, int local_rank);

/// Collective. The ranks that take memory from this rank's device, this one included: on a host all
/// under its kernel; where a GPU does not name its memory, 1.
int ranks_sharing(const Session& session, const Device& device);

/// Collective. The ranks on the GPU that most share, the same on every rank; 0 where the device is
/// a host.
int most_ranks_on_a_gpu(const Session& session, const Device& device);

/// Collective. This rank's part of the device memory that is available, in bytes: as much as any
/// other's that shares the device.
std::size_t memory_of_a_rank(const Session& session, const Device& device);

/// What is to be said, loudly, where so many ranks, two or more, share a GPU.
std::string shared_device_text(int ranks);

/// Collective. Throws BadEnvironment on every rank, before anything is allocated, when the memory
/// that a device's ranks need is not there: a host's memory is shared by the ranks of its node, a
/// GPU's by those of them that use it. The message says how many bytes `what` needs and how many
/// there are.
void require_device_memory(const Session& session, const Device& device, std::size_t bytes,
                           const char* what);

/// Collective. The same of hosts' memory, of which every rank takes its part of so many bytes.
/// `advice`: what would help.
void require_host_memory(const Session& session, double bytes_of_all, const std::string& what,
                         const char* advice);

/// Whether this MPI says that it takes memory of the device with this description ("cuda/…",
/// "kokkos/Cuda", "kokkos/HIP"); absent where it cannot be asked.
std::optional<bool> mpi_takes_memory_of(const std::string& description);

/// The same of an MPI, by MPI_Get_library_version's text, that takes a GPU's memory where a
/// variable of the environment says so: Cray MPICH's MPICH_GPU_SUPPORT_ENABLED, MVAPICH2's
/// MV2_USE_CUDA, MVAPICH's MVP_USE_CUDA, Intel MPI's I_MPI_OFFLOAD. Absent for another MPI.
std::optional<bool> takes_gpu_memory_by_environment(const std::string& library);

/// Collective. Throws BadEnvironment on all ranks if MPI says that it does not, or says nothing:
/// such an MPI may end in a segmentation fault.
void require_gpu_aware_mpi(const Session& session, const std::string& description);

/// Collective. The same where direct halos hand the device's memory to MPI: not a host's, and not
/// that of a rank alone.
void require_direct_halos(const Session& session, const Device& device);

}  // namespace bellwether
