// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "kernels/launch/cuda_launcher.cuh"

namespace bellwether::cuda {

/// A block sums a part: each thread some of its items, then half of the threads the other half's.
template <class Value, class Function>
__global__ void __launch_bounds__(block_threads)
    sum_parts_kernel(Function function, std::int64_t length, Value* sums) {
  __shared__ __align__(alignof(Value)) unsigned char memory[block_threads * sizeof(Value)];
  Value* const of_thread = reinterpret_cast<Value*>(memory);
  const unsigned thread = threadIdx.x;
  Value sum{};
  for (std::int64_t item = thread; item < length; item += block_threads)
    sum.add(function(std::int64_t{blockIdx.x}, item));
  of_thread[thread] = sum;
  for (unsigned half = block_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread < half) of_thread[thread].add(of_thread[thread + half]);
  }
  if (thread == 0) sums[blockIdx.x] = of_thread[0];
}

/// sums[part] = the sum, by Value::add, of function(part, item) for the items [0, length) of a
/// part, in an order that is always the same.
template <class Value, class Function>
void sum_parts(const char* name, std::int64_t parts, std::int64_t length, const Function& function,
               Value* sums, Stream& stream) {
  static_assert((block_threads & (block_threads - 1)) == 0);
  launch_blocks(name, static_cast<std::size_t>(parts), stream, sum_parts_kernel<Value, Function>,
                function, length, sums);
}

}  // namespace bellwether::cuda
