// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

namespace bellwether {

/// How far along the Hilbert curve through a square of 2^31 x 2^31 points (x, y) is: points near
/// one another on the curve are near in the plane. Each level halves the square; the quarters are
/// passed in a U that turns and mirrors with the quarter that it is in.
inline std::uint64_t hilbert_index(std::uint32_t x, std::uint32_t y) {
  std::uint64_t index = 0;
  for (std::uint32_t half = std::uint32_t{1} << 30; half > 0; half /= 2) {
    const std::uint64_t right = (x & half) != 0 ? 1 : 0, up = (y & half) != 0 ? 1 : 0;
    index = 4 * index + ((3 * right) ^ up);
    if (up != 0) continue;
    if (right != 0) {
      x = ~x;
      y = ~y;
    }
    std::swap(x, y);
  }
  return index;
}

}  // namespace bellwether
