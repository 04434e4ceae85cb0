// SPDX-License-Identifier: MIT
#include <string>

#include "kernels/launch/cuda_device.hpp"
#include "kernels/launch/cuda_problem.hpp"

namespace bellwether {

BackendInfo cuda_backend_info() {
  BackendInfo info{"cuda", "cuda", false, {}};
  std::string device;
  info.problem = cuda::problem({__CUDA_ARCH_LIST__}, device);
  info.usable = info.problem.empty();
  if (!device.empty()) info.description += "/" + device;
  return info;
}

}  // namespace bellwether
