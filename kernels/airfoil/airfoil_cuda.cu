// SPDX-License-Identifier: MIT
#include "kernels/airfoil/airfoil_kernels.hpp"
#include "kernels/launch/cuda/cuda_reduce.cuh"
#include "kernels/launch/record.hpp"

namespace bellwether {
namespace {

struct AtomicIncrement {
  template <class T>
  __device__ static void add(T* to, T value) {
    atomicAdd(to, value);
  }
  /// Each value of a record atomically, not all of them together.
  __device__ static void add(double* to, const launch::Record<4, double>& values) {
    for (int k = 0; k < 4; ++k) atomicAdd(to + k, values.at[k]);
  }
  __device__ static void add(float* to, const launch::Record<4, float>& values) {
#if __CUDA_ARCH__ >= 900
    atomicAdd(reinterpret_cast<float4*>(to),
              make_float4(values.at[0], values.at[1], values.at[2], values.at[3]));
#else
    for (int k = 0; k < 4; ++k) atomicAdd(to + k, values.at[k]);
#endif
  }
};

/// The loop for the n-th element of a range.
template <class Loop>
struct EachCell {
  Loop loop;
  std::int32_t begin;
  __device__ void operator()(std::size_t n) const { loop(begin + static_cast<std::ptrdiff_t>(n)); }
};
template <class Loop>
struct EachEdge {
  Loop loop;
  std::int32_t begin;
  __device__ void operator()(std::size_t n) const {
    loop.template increment<AtomicIncrement>(begin + static_cast<std::ptrdiff_t>(n));
  }
};
/// For the n-th block of a colour's edges.
template <class Loop>
struct EachBlock {
  Loop loop;
  ElementRange colour;
  std::int32_t block;
  __device__ void operator()(std::size_t n) const {
    const ElementRange edges = block_of(colour, block, static_cast<std::int32_t>(n));
    for (std::ptrdiff_t edge = edges.begin; edge < edges.end; ++edge)
      loop.template increment<PlainIncrement>(edge);
  }
};

struct AirfoilOnCuda : cuda::Loops {
  using cuda::Loops::Loops;

  template <class Loop>
  void elements(const char* name, ElementRange range, const Loop& loop, Stream& stream) {
    items(name, static_cast<std::size_t>(range.count()), EachCell<Loop>{loop, range.begin}, stream);
  }
  template <class Loop>
  void cells_of(const char* name, ElementRange range, const Loop& loop, Stream& stream) {
    elements(name, range, loop, stream);
  }
  /// Two edges rarely increment the same cell at the same time, and a colour's edges lie apart in
  /// memory: which of atomics and colours is faster is the caller's to measure.
  template <class Loop>
  void edges(const char* name, const EdgeRange& range, const Loop& loop, Stream& stream) {
    if (range.colours.empty() || range.count() == 0)
      return items(name, static_cast<std::size_t>(range.count()), EachEdge<Loop>{loop, range.begin},
                   stream);
    for (std::size_t k = 0; k < range.colours.size(); ++k) {
      const ElementRange colour = range.colour(k);
      items(name, static_cast<std::size_t>(block_count(colour, range.block)),
            EachBlock<Loop>{loop, colour, range.block}, stream);
    }
  }
};

}  // namespace

template <>
std::unique_ptr<AirfoilKernels<float>> make_cuda_kernels(Device& device) {
  return std::make_unique<AirfoilKernelsOn<float, AirfoilOnCuda>>(device);
}
template <>
std::unique_ptr<AirfoilKernels<double>> make_cuda_kernels(Device& device) {
  return std::make_unique<AirfoilKernelsOn<double, AirfoilOnCuda>>(device);
}

}  // namespace bellwether
