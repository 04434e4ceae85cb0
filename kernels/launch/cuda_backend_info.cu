// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

#include <string>

#include "kernels/launch/cuda_device.hpp"

namespace bellwether {
namespace {

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// The oldest compute capability that this build has code for, times 100. A newer device runs it
/// too: its driver compiles the code from PTX.
int oldest_capability() {
  constexpr int built[] = {__CUDA_ARCH_LIST__};
  int oldest = built[0];
  for (const int capability : built) oldest = capability < oldest ? capability : oldest;
  return oldest;
}

std::string capability_text(int capability) {
  return std::to_string(capability / 100) + "." + std::to_string(capability % 100 / 10);
}

/// Why CUDA finds no device; empty if it finds one.
std::string missing_device() {
  int driver = 0, runtime = 0, devices = 0;
  (void)cudaDriverGetVersion(&driver);
  (void)cudaRuntimeGetVersion(&runtime);
  const cudaError_t status = cudaGetDeviceCount(&devices);
  (void)cudaGetLastError();
  if (driver == 0) return "no NVIDIA driver is installed (libcuda.so.1 was not found)";
  if (status == cudaErrorInsufficientDriver)
    return "the NVIDIA driver is too old: it supports CUDA " + version_text(driver) +
           ", this build needs CUDA " + version_text(runtime);
  if (status == cudaErrorNoDevice || (status == cudaSuccess && devices == 0))
    return "the NVIDIA driver finds no device (is CUDA_VISIBLE_DEVICES empty?)";
  if (status != cudaSuccess)
    return std::string("the NVIDIA driver does not start: ") + cudaGetErrorName(status) + ": " +
           cudaGetErrorString(status);
  return {};
}

}  // namespace

BackendInfo cuda_backend_info() {
  BackendInfo info{"cuda", "cuda", false, missing_device()};
  if (!info.problem.empty()) return info;
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, 0);
  (void)cudaGetLastError();
  if (status != cudaSuccess) {
    info.problem = std::string("device 0 does not answer: ") + cudaGetErrorName(status) + ": " +
                   cudaGetErrorString(status);
    return info;
  }
  info.description = std::string("cuda/") + properties.name;
  const int capability = 100 * properties.major + 10 * properties.minor;
  if (capability < oldest_capability()) {
    info.problem = std::string("this build has code for compute capability ") +
                   capability_text(oldest_capability()) + " and newer; " + properties.name +
                   " has " + capability_text(capability);
    return info;
  }
  info.usable = true;
  return info;
}

}  // namespace bellwether
