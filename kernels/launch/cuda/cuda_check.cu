// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "kernels/launch/cpu/process_limits.hpp"
#include "kernels/launch/cuda/cuda_check.cuh"
#include "kernels/launch/cuda/cuda_failure.hpp"

namespace bellwether::cuda {
namespace {

/// Of this thread, as its device is. CUDA keeps a kernel's error for the process, too.
thread_local LatestKernels latest_kernels;

/// What a release failed with, until a call that may throw reports it.
struct Noted {
  cudaError_t status = cudaSuccess;
  const char* what = "";
};
thread_local Noted noted;

bool launches_block() {
  const char* const found = std::getenv("CUDA_LAUNCH_BLOCKING");
  return found != nullptr && std::string(found) == "1";
}

}  // namespace

void note(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  (void)cudaGetLastError();
  if (noted.status == cudaSuccess) noted = {status, what};
}

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) {
    if (noted.status == cudaSuccess) return;
    status = noted.status;
    what = noted.what;
  }
  noted = {};
  (void)cudaGetLastError();  // so that the next call does not report this error again
  std::string where = "no device";
  int device = 0;
  if (cudaGetDevice(&device) == cudaSuccess) where = "device " + std::to_string(device);
  const std::string text =
      text_of({.what = what,
               .where = where,
               .error = std::string(cudaGetErrorName(status)) + ": " + cudaGetErrorString(status),
               .of_a_kernel = arises_in_a_kernel(status),
               .blocking = launches_block()},
              latest_kernels);
  if (status == cudaErrorMemoryAllocation) throw OutOfMemory(text);
  throw std::runtime_error(text);
}

void check_launch(cudaError_t status, const char* kernel) {
  latest_kernels.add(kernel);
  if (status != cudaSuccess || noted.status != cudaSuccess)
    check(status, (std::string("launch of ") + kernel).c_str());
}

int multiprocessors() {
  int device = 0, count = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device),
        "cudaDeviceGetAttribute");
  return count;
}

}  // namespace bellwether::cuda
