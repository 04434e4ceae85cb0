// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <utility>

#include "kernels/launch/host_device.hpp"

namespace bellwether::launch {

/// Neighbouring values that a device loads and stores whole, 16 bytes at once. They are therefore
/// aligned to their bytes, a power of two, or to 16 if they have more: as the n-th of any array is
/// that begins where Device::allocate says. By pointers to single values the compiler cannot know
/// that, and moves value by value. A host's compiler does better with single values.
template <int size, class T>
struct alignas(size * sizeof(T) < 16 ? size * sizeof(T) : 16) Record {
  T at[size];
};

template <int size, class T>
BELLWETHER_HOST_DEVICE Record<size, T> load_record(const T* values, std::ptrdiff_t n) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  return reinterpret_cast<const Record<size, T>*>(values)[n];
#else
  return [at = values + size * n]<std::size_t... v>(std::index_sequence<v...>) {
    return Record<size, T>{{at[v]...}};
  }
  (std::make_index_sequence<size>());
#endif
}
template <int size, class T>
BELLWETHER_HOST_DEVICE void store_record(T* values, std::ptrdiff_t n,
                                         const Record<size, T>& record) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  reinterpret_cast<Record<size, T>*>(values)[n] = record;
#else
  for (int v = 0; v < size; ++v) values[size * n + v] = record.at[v];
#endif
}
/// Adds to the n-th record, for one thread at a time.
template <int size, class T>
BELLWETHER_HOST_DEVICE void add_record(T* values, std::ptrdiff_t n, const Record<size, T>& by) {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
  Record<size, T> sum = load_record<size>(values, n);
  for (int v = 0; v < size; ++v) sum.at[v] += by.at[v];
  store_record(values, n, sum);
#else
  for (int v = 0; v < size; ++v) values[size * n + v] += by.at[v];
#endif
}

}  // namespace bellwether::launch
