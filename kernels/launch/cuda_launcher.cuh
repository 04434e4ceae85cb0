// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/launch/cuda_check.cuh"
#include "kernels/launch/tiling.hpp"

namespace bellwether::cuda {

using launch::block_threads;
using launch::make_tiling;
using launch::Tiling;

/// Launches blocks of block_threads threads; nothing for no blocks.
template <class... Parameters, class... Arguments>
void launch_blocks(const char* name, std::size_t blocks, Stream& stream,
                   void (*kernel)(Parameters...), Arguments&&... arguments) {
  if (blocks == 0) return;
  if (blocks > 2147483647u)  // the most that a grid can have in x
    throw std::runtime_error(std::string("CUDA: launch of ") + name + ": " +
                             std::to_string(blocks) + " blocks are too many");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(block_threads);
  config.stream = queue_of(stream);
  check(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), name);
  check(cudaGetLastError(), name);
}

inline std::size_t blocks_for(std::size_t items) {
  return (items + block_threads - 1) / block_threads;
}

template <class Function>
__global__ void __launch_bounds__(block_threads) for_each_item_kernel(Function f, std::size_t n) {
  const std::size_t item = std::size_t{blockIdx.x} * block_threads + threadIdx.x;
  if (item < n) f(item);
}

/// f(item) for item < n, one thread each.
template <class Function>
void for_each_item(const char* name, std::size_t n, Function f, Stream& stream) {
  launch_blocks(name, blocks_for(n), stream, for_each_item_kernel<Function>, f, n);
}

template <class Function>
__global__ void __launch_bounds__(block_threads) for_each_cell_kernel(Function f, Tiling cut) {
  const Tiling::Part part = cut.part(blockIdx.x, static_cast<int>(threadIdx.x));
  for (int k = part.begin; k < part.end; ++k) f(static_cast<int>(part.i), part.j, k);
}

/// f(i, j, k) for the cells of a box, one thread each, x fastest.
template <class Function>
void for_each_cell(const char* name, const Box& box, Function f, Stream& stream) {
  if (box.empty()) return;
  const Tiling cut = make_tiling(box, 1, 1, 1);
  launch_blocks(name, cut.tiles, stream, for_each_cell_kernel<Function>, f, cut);
}

/// Ways to combine 64-bit values; 0 is neutral in each.
struct Sum {
  __device__ static std::uint64_t combine(std::uint64_t a, std::uint64_t b) { return a + b; }
  __device__ static void into(unsigned long long* to, std::uint64_t a) { atomicAdd(to, a); }
};
struct Largest {
  __device__ static std::uint64_t combine(std::uint64_t a, std::uint64_t b) {
    return a < b ? b : a;
  }
  __device__ static void into(unsigned long long* to, std::uint64_t a) { atomicMax(to, a); }
};

template <class Way, class Function>
__global__ void __launch_bounds__(block_threads)
    reduce_kernel(Function f, Tiling cut, unsigned long long* result) {
  std::uint64_t value = 0;
  for (std::size_t tile = blockIdx.x; tile < cut.tiles; tile += gridDim.x) {
    const Tiling::Part part = cut.part(static_cast<unsigned>(tile), static_cast<int>(threadIdx.x));
    for (int k = part.begin; k < part.end; ++k)
      value = Way::combine(value, f(static_cast<int>(part.i), part.j, k));
  }
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    value = Way::combine(value, __shfl_down_sync(0xffffffffu, value, distance));
  if (threadIdx.x % warpSize == 0) Way::into(result, value);
}

/// Combines f(i, j, k), 64-bit values, over the cells of a box into result, in device memory. The
/// ways are associative and commutative to the bit, so the order of the atomics does not matter.
template <class Way, class Function>
void reduce_cells(const char* name, const Box& box, Function f, unsigned long long* result,
                  Stream& stream) {
  check(cudaMemsetAsync(result, 0, sizeof *result, queue_of(stream)), "cudaMemsetAsync");
  if (box.empty()) return;
  const std::size_t resident = 8 * static_cast<std::size_t>(multiprocessors());
  const Tiling cut = make_tiling(box, 1, 8, 4 * resident);
  launch_blocks(name, cut.tiles < resident ? cut.tiles : resident, stream,
                reduce_kernel<Way, Function>, f, cut, result);
}

}  // namespace bellwether::cuda
