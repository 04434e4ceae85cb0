// SPDX-License-Identifier: MIT
#pragma once

/// Marks a function that a kernel body calls on the host and on the device.
/// Kokkos' own macro marks nothing where Kokkos was built without a device, although the native
/// CUDA backend compiles the same bodies; and bodies include neither Kokkos nor CUDA headers.
#if defined(__CUDACC__) || defined(__HIPCC__)
#define BELLWETHER_HOST_DEVICE __host__ __device__ inline
#else
#define BELLWETHER_HOST_DEVICE inline
#endif
