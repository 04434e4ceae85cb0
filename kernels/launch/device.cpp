// SPDX-License-Identifier: MIT
#include "kernels/launch/device.hpp"

#include <stdexcept>

#include "kernels/launch/kokkos/kokkos_device.hpp"
#if BELLWETHER_WITH_CUDA
#include "kernels/launch/cuda/cuda_device.hpp"
#endif

namespace bellwether {

std::vector<BackendInfo> backends([[maybe_unused]] int local_rank) {
  std::vector<BackendInfo> all{kokkos_backend_info(local_rank)};
#if BELLWETHER_WITH_CUDA
  all.push_back(cuda_backend_info(local_rank));
#else
  all.push_back({"cuda", "cuda", false, "this build has no native CUDA backend"});
#endif
  return all;
}

std::unique_ptr<Device> make_device(const std::string& backend, int local_rank) {
  for (const BackendInfo& info : backends(local_rank)) {
    if (info.name != backend) continue;
    if (!info.usable)
      throw std::invalid_argument("backend " + backend + " cannot be used here: " + info.problem);
#if BELLWETHER_WITH_CUDA
    if (backend == "cuda") return make_cuda_device(local_rank);
#endif
    return make_kokkos_device(local_rank);
  }
  throw std::invalid_argument("there is no backend " + backend);
}

std::optional<std::string> choose_device(const std::string& backend, int local_rank) {
#if BELLWETHER_WITH_CUDA
  if (backend == "cuda") return choose_cuda_device(local_rank);
#endif
  if (backend == "kokkos") return choose_kokkos_device(local_rank);
  return {};
}

}  // namespace bellwether
