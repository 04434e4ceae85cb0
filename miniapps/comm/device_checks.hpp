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

/// Whether the MPI with this version text says that it takes memory of the device with this
/// description ("cuda/…", "kokkos/Cuda", "kokkos/HIP"); absent where it does not say. Cray's,
/// MVAPICH and Intel's are told by the environment, MPICH and Open MPI are asked.
std::optional<bool> mpi_takes_memory_of(const std::string& description,
                                        const std::string& library = mpi_version());

/// Collective. Throws BadEnvironment on all ranks unless MPI says so on each: device memory that it
/// takes for a host's is a segmentation fault.
void require_gpu_aware_mpi(const Session& session, const std::string& description,
                           const std::string& library = mpi_version());

/// Collective. The same where direct halos hand the device's memory to MPI: not a host's, and not
/// that of a rank alone.
void require_direct_halos(const Session& session, const Device& device);

}  // namespace bellwether
