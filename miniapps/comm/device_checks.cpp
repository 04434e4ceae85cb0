// SPDX-License-Identifier: MIT
#include "miniapps/comm/device_checks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/launch/cpu/host_memory.hpp"
#include "models/errors.hpp"

// Open MPI's extensions: which of them there are, its macros say.
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace bellwether {
namespace {

struct Demand {
  std::array<char, 64> pool{};
  double bytes = 0;
};

struct Total {
  double bytes = 0;
  int ranks = 0;
};

/// What the ranks under this kernel that share this rank's memory need together.
Total demand_on_pool(const Session& session, const Device& device, std::size_t bytes) {
  Demand mine;
  mine.bytes = static_cast<double>(bytes);
  const std::string pool = device.memory_pool();
  std::copy_n(pool.begin(), std::min(pool.size(), mine.pool.size()), mine.pool.begin());
  std::vector<Demand> all(static_cast<std::size_t>(session.ranks_on_kernel()));
  MPI_Allgather(&mine, sizeof mine, MPI_BYTE, all.data(), sizeof mine, MPI_BYTE, session.kernel());
  // Nothing is known of who shares a device that does not name its memory.
  if (!device.is_host() && pool.empty()) return {mine.bytes, 1};
  Total total;
  for (const Demand& demand : all) {
    if (demand.pool != mine.pool) continue;
    total.bytes += demand.bytes;
    ++total.ranks;
  }
  return total;
}

}  // namespace

int ranks_sharing(const Session& session, const Device& device) {
  return demand_on_pool(session, device, 0).ranks;
}

std::size_t memory_of_a_rank(const Session& session, const Device& device) {
  const auto sharing = static_cast<std::size_t>(ranks_sharing(session, device));
  return device.memory_available() / sharing;
}

int most_ranks_on_a_gpu(const Session& session, const Device& device) {
  int ranks = device.is_host() ? 0 : ranks_sharing(session, device);
  MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_MAX, session.world());
  return ranks;
}

std::string shared_device_text(int ranks) {
  return fmt::format(
      "{} ranks share a GPU, which serves one after the other (but under CUDA's MPS): these times "
      "are of time slices",
      ranks);
}

std::unique_ptr<Device> open_device(const std::string& backend, int local_rank) {
  std::string names;
  for (const BackendInfo& info : backends(local_rank)) {
    if (info.name == backend) {
      if (!info.usable)
        throw BadEnvironment(fmt::format("--backend {}: {}", backend, info.problem));
      return make_device(backend, local_rank);
    }
    names += (names.empty() ? "" : ", ") + info.name;
  }
  throw BadInput(fmt::format("--backend: found '{}', expected one of: {}", backend, names));
}

void require_device_memory(const Session& session, const Device& device, std::size_t bytes,
                           const char* what) {
  const Total needed = demand_on_pool(session, device, bytes);
  agree_on_errors(session.world(), [&] {
    const double available = static_cast<double>(device.memory_available());
    if (needed.bytes <= available) return;
    constexpr double gib = 1 << 30;
    throw BadEnvironment(fmt::format(
        "not enough memory on {}: {} {} {:.2f} GiB{}, and {:.2f} GiB are available (a smaller "
        "problem, or more nodes)",
        session.host(), what,
        needed.ranks == 1  ? "need"
        : device.is_host() ? "of all its ranks need"
                           : "of the ranks that share its device need",
        needed.bytes / gib, device.is_host() ? "" : " on the device", available / gib));
  });
}

void require_host_memory(const Session& session, double bytes_of_all, const std::string& what,
                         const char* advice) {
  const double needed = bytes_of_all * session.ranks_on_kernel() / session.size();
  agree_on_errors(session.world(), [&] {
    const auto available = static_cast<double>(host_memory_available());
    constexpr double gib = 1 << 30;
    if (needed > available)
      throw BadEnvironment(
          fmt::format("not enough memory on {}: {} needs {:.1f} GiB there, and {:.1f} GiB are "
                      "available ({})",
                      session.host(), what, needed / gib, available / gib, advice));
  });
}

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

void require_direct_halos(const Session& session, const Device& device) {
  if (!device.is_host() && session.size() > 1) require_gpu_aware_mpi(session, device.description());
}

}  // namespace bellwether
