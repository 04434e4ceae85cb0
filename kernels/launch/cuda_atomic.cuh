// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "kernels/launch/record.hpp"

namespace bellwether::cuda {

/// Adds to the record at `to`: each value atomically, not all of them together.
__device__ inline void atomic_add(double* to, const launch::Record<4, double>& values) {
  for (int k = 0; k < 4; ++k) atomicAdd(to + k, values.at[k]);
}
__device__ inline void atomic_add(float* to, const launch::Record<4, float>& values) {
#if __CUDA_ARCH__ >= 900
  atomicAdd(reinterpret_cast<float4*>(to),
            make_float4(values.at[0], values.at[1], values.at[2], values.at[3]));
#else
  for (int k = 0; k < 4; ++k) atomicAdd(to + k, values.at[k]);
#endif
}

}  // namespace bellwether::cuda
