// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// splitmix64's finalizer (Steele, Lea, Flood 2014): spreads every bit of x over the result.
BELLWETHER_HOST_DEVICE std::uint64_t mixed_bits(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// A number's bits, in the low ones of 64.
template <class T>
BELLWETHER_HOST_DEVICE std::uint64_t bits_of(const T& value) {
  const auto* from = reinterpret_cast<const unsigned char*>(&value);
  std::uint64_t bits = 0;
  for (std::size_t byte = 0; byte < sizeof(T); ++byte)
    bits |= static_cast<std::uint64_t>(from[byte]) << (8 * byte);
  return bits;
}

}  // namespace bellwether
