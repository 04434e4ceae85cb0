// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string>

#include "kernels/launch/device.hpp"

namespace bellwether::cuda {

/// "13.0" for 13000.
inline std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}
/// "9.0" for 900.
inline std::string capability_text(int capability) {
  return std::to_string(capability / 100) + "." + std::to_string(capability % 100 / 10);
}

/// Why CUDA finds no device; empty if it finds some, of which it counts the `devices`.
inline std::string missing_device(int& devices) {
  int driver = 0, runtime = 0;
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

/// Why this process cannot use the device with number local_rank modulo those that it sees, empty
/// if it can; and the device's name, if it answers. `built` are the compute capabilities that there
/// is code for, times 100: __CUDA_ARCH_LIST__. A newer device than the oldest of them runs it too:
/// its driver compiles the code from PTX. Never throws, and makes no context on a device.
inline std::string problem(std::initializer_list<int> built, int local_rank,
                           std::string& device_name) {
  int devices = 0;
  const std::string missing = missing_device(devices);
  if (!missing.empty()) return missing;
  const int device = local_rank % devices;
  cudaDeviceProp properties{};
  const cudaError_t status = cudaGetDeviceProperties(&properties, device);
  (void)cudaGetLastError();
  if (status != cudaSuccess)
    return "device " + std::to_string(device) + " does not answer: " + cudaGetErrorName(status) +
           ": " + cudaGetErrorString(status);
  device_name = properties.name;
  const int oldest = std::min(built);
  const int capability = 100 * properties.major + 10 * properties.minor;
  if (capability >= oldest) return {};
  return "this build has code for compute capability " + capability_text(oldest) + " and newer; " +
         device_name + " has " + capability_text(capability);
}

/// Puts the process on the device with number local_rank modulo those that it sees; why it could
/// not, empty if it could.
inline std::string choose(int local_rank) {
  int devices = 0;
  std::string problem = missing_device(devices);
  if (!problem.empty()) return problem;
  const int device = local_rank % devices;
  const cudaError_t status = cudaSetDevice(device);
  (void)cudaGetLastError();
  if (status == cudaSuccess) return {};
  return "cudaSetDevice failed on device " + std::to_string(device) + ": " +
         cudaGetErrorName(status) + ": " + cudaGetErrorString(status);
}

/// "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", as NVIDIA's tools write it.
inline std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int n = 0; n < 16; ++n) {
    if (n == 0 || (n >= 4 && n <= 10 && n % 2 == 0)) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned char>(uuid.bytes[n]));
    text += digits;
  }
  return text;
}

inline GpuIdentity identity_of(const cudaDeviceProp& properties) {
  char bus[32];
  std::snprintf(bus, sizeof bus, "%08x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID),
                static_cast<unsigned>(properties.pciDeviceID));
  int runtime = 0;
  (void)cudaRuntimeGetVersion(&runtime);
  return {properties.name, uuid_text(properties.uuid), bus, "CUDA " + version_text(runtime)};
}

}  // namespace bellwether::cuda
