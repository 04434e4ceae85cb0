// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "kernels/launch/host_device.hpp"

namespace bellwether::launch {

/// Neighbouring values that a device loads and stores whole, 16 bytes at once. They are therefore
/// aligned to their bytes, a power of two, or to 16 if they have more: as the n-th of any array is
/// that begins where Device::allocate says. By pointers to single values the compiler cannot know
/// that, and moves value by value.
template <int size, class T>
struct alignas(size * sizeof(T) < 16 ? size * sizeof(T) : 16) Record {
  T at[size];
};

template <int size, class T>
BELLWETHER_HOST_DEVICE Record<size, T> load_record(const T* values, std::ptrdiff_t n) {
  return reinterpret_cast<const Record<size, T>*>(values)[n];
}
template <int size, class T>
BELLWETHER_HOST_DEVICE void store_record(T* values, std::ptrdiff_t n,
                                         const Record<size, T>& record) {
  reinterpret_cast<Record<size, T>*>(values)[n] = record;
}

}  // namespace bellwether::launch
