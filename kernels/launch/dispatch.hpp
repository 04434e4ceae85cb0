// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// Each family specializes these for its abstract class, in <family>_kokkos.cpp and
/// <family>_cuda.cu.
template <class Kernels>
std::unique_ptr<Kernels> make_kokkos_kernels(Device& device);
template <class Kernels>
std::unique_ptr<Kernels> make_cuda_kernels(Device& device);

/// The family's kernels on the device's backend; the device must outlive them.
template <class Kernels>
std::unique_ptr<Kernels> make_kernels(Device& device) {
#if BELLWETHER_WITH_CUDA
  if (device.backend() == "cuda") return make_cuda_kernels<Kernels>(device);
#endif
  return make_kokkos_kernels<Kernels>(device);
}

}  // namespace bellwether
