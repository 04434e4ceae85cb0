// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "kernels/launch/cuda/cuda_launcher.cuh"
#include "kernels/launch/part_sums.hpp"

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
    for (int k = part.begin; k < part.end; ++k) value = Way::combine(value, f(part.i, part.j, k));
  }
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    value = Way::combine(value, __shfl_down_sync(0xffffffffu, value, distance));
  if (threadIdx.x % warpSize == 0) Way::into(result, value);
}

/// Reduces boxes on a device, to a value for which it keeps the memory from the first time on.
class CellReducer {
 public:
  explicit CellReducer(Device& device) : device_(device) {}

  /// f(i, j, k), 64-bit values, combined over the cells of a box. Blocks.
  template <class Way, class Function>
  [[nodiscard]] std::uint64_t reduce(const char* name, const Box& box, Function f, Stream& stream) {
    if (box.empty()) return 0;
    if (result_.size() == 0) result_ = {device_, 1};
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

/// Numbers as 64-bit integers: for those that are not negative, infinity included, the bits are in
/// the numbers' order.
template <class Function>
struct BitsOf {
  Function number;
  __device__ std::uint64_t operator()(int i, int j, int k) const {
    return static_cast<std::uint64_t>(__double_as_longlong(number(i, j, k)));
  }
};

inline constexpr int warp_threads = 32;
inline constexpr int block_warps = block_threads / warp_threads;

/// A warp takes a part: its threads evaluate neighbouring items, whose loads are then coalesced,
/// and the first of them adds these in their order, as a loop over the part would.
template <class Value, class Function>
__global__ void __launch_bounds__(block_threads)
    sum_parts_kernel(Function f, std::int64_t parts, std::int64_t length, Value* sums) {
  // Bytes: what is shared cannot have initializers, as a Value's members have.
  alignas(Value) __shared__ unsigned char memory[block_threads * sizeof(Value)];
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

/// The loops that families of kernels make alike on every backend (launch::KokkosLoops). Those with
/// a result block.
class Loops {
 public:
  explicit Loops(Device& device) : part_sums_(device), reducer_(device) {}

  /// Every byte of the values 0.
  template <class T>
  void clear(T* values, std::size_t count, Stream& stream) {
    check(cudaMemsetAsync(values, 0, count * sizeof(T), queue_of(stream)), "cudaMemsetAsync");
  }
  /// f(item) for item < n.
  template <class Function>
  void items(const char* name, std::size_t n, const Function& f, Stream& stream) {
    for_each_item(name, n, f, stream);
  }
  /// f(i, j, k) for the cells of a box.
  template <class Function>
  void cells(const char* name, const Box& box, const Function& f, Stream& stream) {
    for_each_cell(name, box, f, stream);
  }
  /// The sum (mod 2^64) of f(i, j, k) over the cells of a box.
  template <class Function>
  std::uint64_t sum(const char* name, const Box& box, const Function& f, Stream& stream) {
    return reducer_.reduce<Sum>(name, box, f, stream);
  }
  /// The largest f(i, j, k), none of them negative.
  template <class Function>
  double largest(const char* name, const Box& box, const Function& f, Stream& stream) {
    return std::bit_cast<double>(reducer_.reduce<Largest>(name, box, BitsOf<Function>{f}, stream));
  }
  /// The sum, by Value::add and in their order, of f(part, item) for the items [0, length) of all
  /// parts.
  template <class Function>
  auto sum_parts(const char* name, std::int64_t parts, std::int64_t length, const Function& f,
                 Stream& stream) {
    using Value = decltype(f(0, 0));
    return part_sums_.total_of<Value>(parts, stream, [&](Value* sums) {
      const std::size_t blocks = (static_cast<std::size_t>(parts) + block_warps - 1) / block_warps;
      launch_blocks(name, blocks, stream, sum_parts_kernel<Value, Function>, f, parts, length,
                    sums);
    });
  }

 private:
  PartSums part_sums_;
  CellReducer reducer_;
};

}  // namespace bellwether::cuda
