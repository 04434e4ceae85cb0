// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>

#include "kernels/launch/cuda/cuda_problem.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether::cuda {

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
