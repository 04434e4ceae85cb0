// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>

#include "kernels/launch/cuda/cuda_check.cuh"
#include "kernels/launch/tiling.hpp"

namespace bellwether::cuda {

using launch::block_threads;
using launch::make_tiling;
using launch::Tiling;

/// Launches blocks of block_threads threads; nothing for no blocks. `name` is a literal.
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
  check_launch(cudaLaunchKernelEx(&config, kernel, std::forward<Arguments>(arguments)...), name);
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
__global__ void __launch_bounds__(block_threads) for_each_thread_kernel(Function f) {
  f(blockIdx.x, static_cast<int>(threadIdx.x));
}

/// f(tile, thread) for the threads of so many tiles.
template <class Function>
void for_each_thread(const char* name, std::size_t tiles, const Function& f, Stream& stream) {
  launch_blocks(name, tiles, stream, for_each_thread_kernel<Function>, f);
}

/// Two blocks to a multiprocessor at least: a body of many registers (D3Q19 with eddies in double
/// precision) would else leave it one, too few loads in flight to cover the memory's latency. `cut`
/// has one plane for a thread: a loop over planes keeps so much that such bodies spill registers.
template <class Function, class Cut>
__global__ void __launch_bounds__(block_threads, 2) for_each_cell_kernel(Function f, Cut cut) {
  const Tiling::Part part = cut.part(blockIdx.x, static_cast<int>(threadIdx.x));
  if (part.begin < part.end) f(static_cast<int>(part.i), part.j, part.begin);
}

/// f(i, j, k) for the cells of a box, one thread each, x fastest.
template <class Function>
void for_each_cell(const char* name, const Box& box, Function f, Stream& stream) {
  if (box.empty()) return;
  const Tiling cut = make_tiling(box, 1, 1, 1);
  launch_blocks(name, cut.tiles, stream, for_each_cell_kernel<Function, Tiling>, f, cut);
}

/// The same for several boxes, in one launch.
template <class Function>
void for_each_cell(const char* name, const Boxes& boxes, Function f, Stream& stream) {
  launch::with_tilings(boxes, 1, 1, 1, [&]<class Cut>(const Cut& cut) {
    launch_blocks(name, cut.tiles, stream, for_each_cell_kernel<Function, Cut>, f, cut);
  });
}

}  // namespace bellwether::cuda
