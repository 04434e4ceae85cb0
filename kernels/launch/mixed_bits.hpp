// SPDX-License-Identifier: MIT
#pragma once

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

}  // namespace bellwether
