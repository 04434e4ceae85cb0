// SPDX-License-Identifier: MIT
#include <stdexcept>
#include <string>

#include "kernels/launch/cuda/cuda_check.cuh"

namespace bellwether::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();  // so that the next call does not report this error again
  std::string where = "no device";
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) where = "device " + std::to_string(device);
  throw std::runtime_error(std::string("CUDA: ") + what + " failed on " + where + ": " +
                           cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return count;
}

}  // namespace bellwether::cuda
