// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch/cuda_launcher.cuh"

namespace bellwether::cuda {

/// Ways to combine 64-bit values; 0 is neutral in each. They are associative and commutative to the
/// bit, so the order of the atomics does not matter.
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

/// Reduces boxes on a device, to a value for which it keeps the memory.
class CellReducer {
 public:
  explicit CellReducer(Device& device) : device_(device), result_(device, 1) {}

  /// f(i, j, k), 64-bit values, combined over the cells of a box. Blocks.
  template <class Way, class Function>
  [[nodiscard]] std::uint64_t reduce(const char* name, const Box& box, Function f, Stream& stream) {
    if (box.empty()) return 0;
    check(cudaMemsetAsync(result_.data(), 0, result_.bytes(), queue_of(stream)), "cudaMemsetAsync");
    const std::size_t resident = 8 * static_cast<std::size_t>(multiprocessors());
    const Tiling cut = make_tiling(box, 1, 8, 4 * resident);
    launch_blocks(name, cut.tiles < resident ? cut.tiles : resident, stream,
                  reduce_kernel<Way, Function>, f, cut, result_.data());
    std::uint64_t result = 0;
    device_.copy(&result, result_.data(), result_.bytes(), stream);
    device_.fence(stream);
    return result;
  }

 private:
  Device& device_;
  Buffer<unsigned long long> result_;
};

}  // namespace bellwether::cuda
