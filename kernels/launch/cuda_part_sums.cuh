// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch/cuda_launcher.cuh"

namespace bellwether::cuda {

inline constexpr int warp_threads = 32;
inline constexpr int block_warps = block_threads / warp_threads;

/// A warp takes a part: its threads evaluate neighbouring items, whose loads are then coalesced,
/// and the first of them adds these in their order, as a loop over the part would.
template <class Value, class Function>
__global__ void __launch_bounds__(block_threads)
    sum_parts_kernel(Function f, std::int64_t parts, std::int64_t length, Value* sums) {
  // Bytes: what is shared cannot have initializers, as a Value's members have.
  __shared__ alignas(Value) unsigned char memory[block_threads * sizeof(Value)];
  const int warp = static_cast<int>(threadIdx.x) / warp_threads;
  const int lane = static_cast<int>(threadIdx.x) % warp_threads;
  Value* const values = reinterpret_cast<Value*>(memory) + warp * warp_threads;
  const std::int64_t part = std::int64_t{blockIdx.x} * block_warps + warp;
  if (part >= parts) return;
  Value sum{};
  for (std::int64_t first = 0; first < length; first += warp_threads) {
    if (first + lane < length) values[lane] = f(part, first + lane);
    __syncwarp();
    if (lane == 0)
      for (int item = 0; item < warp_threads && first + item < length; ++item)
        sum.add(values[item]);
    __syncwarp();
  }
  if (lane == 0) sums[part] = sum;
}

/// sums[part] = the sum, by Value::add and in their order, of f(part, item) for the items
/// [0, length) of a part.
template <class Value, class Function>
void sum_parts(const char* name, std::int64_t parts, std::int64_t length, Function f, Value* sums,
               Stream& stream) {
  const std::size_t blocks = (static_cast<std::size_t>(parts) + block_warps - 1) / block_warps;
  launch_blocks(name, blocks, stream, sum_parts_kernel<Value, Function>, f, parts, length, sums);
}

}  // namespace bellwether::cuda
