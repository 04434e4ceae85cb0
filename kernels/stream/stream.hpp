// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/device.hpp"

namespace bellwether {

/// STREAM's kernels; the work they do per element, in values moved and flops.
enum class StreamKernel { copy, scale, add, triad };
constexpr const char* name_of(StreamKernel kernel) {
  constexpr const char* names[] = {"copy", "scale", "add", "triad"};
  return names[static_cast<int>(kernel)];
}
/// Values read and written per element: c = a; c = s a; c = a + b; c = a + s b. A write-allocate,
/// where the stores cause one, is not counted (as STREAM counts).
constexpr int values_moved(StreamKernel kernel) {
  return kernel == StreamKernel::copy || kernel == StreamKernel::scale ? 2 : 3;
}

/// Memory-bound kernels through the launchers of the mini-apps. T is float or double.
template <class T>
class StreamKernels {
 public:
  virtual ~StreamKernels() = default;
  /// c[i] = f(a[i], b[i]) for i < n, arrays aligned to a cache line and not overlapping. With
  /// streaming stores a host's cores ask for what is ahead of them as array_prefetches say.
  virtual void run(StreamKernel kernel, const T* a, const T* b, T* c, T scalar, std::size_t n,
                   SweepWay way, Stream& stream) = 0;
  /// a[i] = scalar a[i] for i < n: each line is read and written, in place. Aligned as above. A
  /// host's cores go through so many stretches of it, 1 or 19, side by side, as a kernel goes
  /// through its arrays; of 19 they ask for what is ahead of them as many_array_prefetches say.
  virtual void update(T* a, T scalar, std::size_t n, int arrays, Prefetch prefetch,
                      Stream& stream) = 0;
  /// to(cell) = the mean of the cell and its first `rereads` neighbours (south, north, below,
  /// above) for 0 <= rereads <= 4: a copy whose reads are repeated from cache. A mean, so that
  /// values stay ordinary numbers however often it runs there and back. Both fields have `layout`
  /// and their pointers are to the start of the storage.
  virtual void neighbours(int rereads, const T* from, T* to, const GridLayout& layout,
                          const Box& box, SweepWay way, Stream& stream) = 0;
  /// Numbers in [1, 2) from a hash of the index and the seed; also the first touch of the memory.
  virtual void fill(T* a, std::size_t n, unsigned seed, Stream& stream) = 0;
};

}  // namespace bellwether
