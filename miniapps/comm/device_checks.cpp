// SPDX-License-Identifier: MIT
#include "miniapps/comm/device_checks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <vector>

#include "miniapps/comm/reduce.hpp"
#include "models/errors.hpp"

// Open MPI's extensions: which of them there are, its macros say.
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif

namespace bellwether {
namespace {

/// What the ranks under this kernel that take from a pool need of it together.
struct Demand {
  MemoryPool pool;
  Shared needed;
};

/// Collective. Of each of this rank's pools.
std::vector<Demand> demands_on(const Session& session, const std::vector<MemoryPool>& pools,
                               double bytes) {
  std::vector<std::string> names;
  for (const MemoryPool& pool : pools) names.push_back(pool.name);
  const std::vector<Shared> needed = sums_by_name(session.kernel(), names, bytes);
  std::vector<Demand> demands;
  for (std::size_t i = 0; i < pools.size(); ++i) demands.push_back({pools[i], needed[i]});
  return demands;
}

constexpr double gib = 1 << 30;

/// The pool that lacks most; its bytes are more than it has, or it has enough and all have.
const Demand& hardest(const std::vector<Demand>& demands) {
  const auto lack = [](const Demand& one) {
    return one.needed.sum - static_cast<double>(one.pool.available);
  };
  return *std::max_element(demands.begin(), demands.end(),
                           [&](const Demand& a, const Demand& b) { return lack(a) < lack(b); });
}

bool is_met(const Demand& demand) {
  return demand.needed.sum <= static_cast<double>(demand.pool.available);
}

}  // namespace

int ranks_sharing(const Session& session, const Device& device) {
  return demands_on(session, device.memory_pools(), 0).front().needed.ranks;
}

std::size_t memory_of_a_rank(const Session& session, const Device& device) {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const Demand& one : demands_on(session, device.memory_pools(), 0))
    least = std::min(least, one.pool.available / static_cast<std::size_t>(one.needed.ranks));
  return least;
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
  const std::vector<Demand> demands =
      demands_on(session, device.memory_pools(), static_cast<double>(bytes));
  agree_on_errors(session.world(), [&] {
    const Demand& most = hardest(demands);
    if (is_met(most)) return;
    throw BadEnvironment(fmt::format(
        "not enough memory on {}: {} {} {:.2f} GiB{}, and {} (a smaller problem, or more nodes)",
        session.host(), what,
        most.needed.ranks == 1 ? "need"
        : device.is_host()     ? "of all its ranks need"
                               : "of the ranks that share its device need",
        most.needed.sum / gib, device.is_host() ? "" : " on the device",
        available_text(most.pool)));
  });
}

void require_host_memory(const Session& session, double bytes_of_all, const std::string& what,
                         const char* advice) {
  const std::vector<Demand> demands =
      demands_on(session, host_memory_pools(), bytes_of_all / session.size());
  agree_on_errors(session.world(), [&] {
    const Demand& most = hardest(demands);
    if (!is_met(most))
      throw BadEnvironment(fmt::format(
          "not enough memory on {}: {} needs {:.1f} GiB there, and {} ({})", session.host(), what,
          most.needed.sum / gib, available_text(most.pool), advice));
  });
}

std::optional<bool> mpi_takes_memory_of(const std::string& description,
                                        const std::string& library) {
  const auto in = [](const std::string& text, const char* word) {
    return text.find(word) != text.npos;
  };
  const bool cuda = in(description, "cuda") || in(description, "Cuda");
  if (!cuda && !in(description, "HIP")) return {};
  // What these can do is known when they are built, and whether they do it when they start.
  const std::string gpu = cuda ? "CUDA" : "ROCM";
  std::vector<std::string> switches;
  if (in(library, "CRAY MPICH")) switches = {"MPICH_GPU_SUPPORT_ENABLED"};
  if (in(library, "Intel(R) MPI")) switches = {"I_MPI_OFFLOAD"};
  if (in(library, "MVAPICH")) switches = {"MV2_USE_" + gpu, "MVP_USE_" + gpu};
  for (const std::string& name : switches)
    if (const char* value = std::getenv(name.c_str())) return std::atoi(value) > 0;
  if (!switches.empty()) return {};
#if defined(MPIX_GPU_SUPPORT_CUDA) && defined(MPIX_GPU_SUPPORT_HIP)
  int taken = 0;
  if (MPIX_GPU_query_support(cuda ? MPIX_GPU_SUPPORT_CUDA : MPIX_GPU_SUPPORT_HIP, &taken) ==
      MPI_SUCCESS)
    return taken != 0;
#endif
#if defined(MPIX_CUDA_AWARE_SUPPORT)
  if (cuda) return MPIX_Query_cuda_support() == 1;
#endif
#if defined(MPIX_ROCM_AWARE_SUPPORT)
  if (!cuda) return MPIX_Query_rocm_support() == 1;
#endif
  return {};
}

void require_gpu_aware_mpi(const Session& session, const std::string& description,
                           const std::string& library) {
  agree_on_errors(session.world(), [&] {
    const std::optional<bool> taken = mpi_takes_memory_of(description, library);
    if (taken.value_or(false)) return;
    throw BadEnvironment(fmt::format(
        "--halo direct: the MPI on {} ({}) {} memory of {}: an MPI built with support for this GPU "
        "is needed, Cray's with MPICH_GPU_SUPPORT_ENABLED=1, MVAPICH with MV2_USE_CUDA=1 or "
        "MVP_USE_CUDA=1 (or --halo staged)",
        session.host(), library, taken ? "says that it takes no" : "does not say that it takes",
        description));
  });
}

void require_direct_halos(const Session& session, const Device& device) {
  if (!device.is_host() && session.size() > 1) require_gpu_aware_mpi(session, device.description());
}

}  // namespace bellwether
