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
using launch::BlockShape;
using launch::make_tiling;
using launch::Tiling;

/// Launches blocks of so many threads; nothing for no blocks. `name` is a literal.
template <int threads = block_threads, class... Parameters, class... Arguments>
void launch_blocks(const char* name, std::size_t blocks, Stream& stream,
                   void (*kernel)(Parameters...), Arguments&&... arguments) {
  if (blocks == 0) return;
  if (blocks > 2147483647u)  // the most that a grid can have in x
    throw std::runtime_error(std::string("CUDA: launch of ") + name + ": " +
                             std::to_string(blocks) + " blocks are too many");
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads);
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

/// How a kernel of cells is compiled: `resident` is how many threads a multiprocessor can at least
/// hold at once, which bounds the registers that each may have.
template <BlockShape block_shape, int resident>
struct CellBlocks {
  static constexpr BlockShape shape = block_shape;
  static constexpr int threads = block_shape.threads;
  static constexpr int blocks = resident / threads;
  static_assert(threads >= 32 && threads <= 1024 && (threads & (threads - 1)) == 0 &&
                    shape.row_threads >= 1 && shape.row_threads <= threads &&
                    (shape.row_threads & (shape.row_threads - 1)) == 0,
                "a block has 32 to 1024 threads, of which as many or fewer stand along a row; "
                "powers of two");
  static_assert(resident >= threads && resident <= 2048, "threads that a multiprocessor can hold");
};
/// A body of many registers would else have one block to a multiprocessor, too few loads in flight
/// to cover the memory's latency.
using AnyCells = CellBlocks<BlockShape{}, 2 * block_threads>;

/// `cut` has one plane for a thread: a loop over planes keeps so much that bodies of many registers
/// spill them.
template <class Shape, class Function, class Cut>
__global__ void __launch_bounds__(Shape::threads, Shape::blocks)
    for_each_cell_kernel(Function f, Cut cut) {
  const Tiling::Part part = cut.part(blockIdx.x, static_cast<int>(threadIdx.x));
  if (part.begin < part.end) f(part.i, part.j, part.begin);
}

/// f(i, j, k) for the cells of a box, one thread each, x fastest.
template <class Function>
void for_each_cell(const char* name, const Box& box, Function f, Stream& stream) {
  if (box.empty()) return;
  const Tiling cut = make_tiling(box, 1, 1, 1);
  launch_blocks(name, cut.tiles, stream, for_each_cell_kernel<AnyCells, Function, Tiling>, f, cut);
}

template <class Blocks, class Function, class Cut>
__global__ void __launch_bounds__(Blocks::threads, Blocks::blocks)
    for_each_vector_kernel(Function f, Cut cut) {
  const Tiling::Part part = cut.part(blockIdx.x, static_cast<int>(threadIdx.x));
  if (part.begin < part.end) f(part);
}

/// f(part) for vectors of so many cells of the boxes, one thread each, in one launch; neighbouring
/// threads take neighbouring vectors (launch::LinearCut).
template <class Blocks, class Function>
void for_each_vector(const char* name, const Boxes& boxes, int vector, Function f, Stream& stream) {
  launch::with_linear_cuts(boxes, vector, Blocks::threads, [&]<class Cut>(const Cut& cut) {
    launch_blocks<Blocks::threads>(name, cut.tiles, stream,
                                   for_each_vector_kernel<Blocks, Function, Cut>, f, cut);
  });
}

}  // namespace bellwether::cuda
