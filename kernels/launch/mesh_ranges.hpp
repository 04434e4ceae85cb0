// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// Elements [begin, end) of a set, as a rank numbers its own and those it imports.
struct ElementRange {
  std::int32_t begin = 0, end = 0;

  [[nodiscard]] BELLWETHER_HOST_DEVICE constexpr std::int32_t count() const {
    return begin < end ? end - begin : 0;
  }
};

/// Edges that increment cells: two of them may increment the same one, so not all can run at once.
///
/// With colours, colour k is the edges from colours[k] to colours[k + 1], the last one to `end`,
/// and colours[0] is `begin` (host memory). It is cut into blocks of `block` edges from its first
/// one on, the last block shorter. No two blocks of a colour touch the same cell; they run at once,
/// a block's edges in their order, and colours one after another. So the result is to the bit that
/// of the edges in their order, whatever number of threads there is. A block of one edge is for
/// GPUs, of some hundred for the threads of a CPU, which then share fewer cache lines.
///
/// Without colours, a backend with one thread runs the edges in their order; others increment with
/// atomics, whose order, and with it the rounding, differs from run to run.
struct EdgeRange {
  std::int32_t begin = 0, end = 0;
  std::span<const std::int32_t> colours{};
  std::int32_t block = 1;

  [[nodiscard]] constexpr std::int32_t count() const { return begin < end ? end - begin : 0; }
  /// Edges of colour k.
  [[nodiscard]] constexpr ElementRange colour(std::size_t k) const {
    return {colours[k], k + 1 < colours.size() ? colours[k + 1] : end};
  }
};

/// How many blocks a colour's edges, or any elements, are cut into, and which elements a block has.
BELLWETHER_HOST_DEVICE constexpr std::int32_t block_count(ElementRange elements,
                                                          std::int32_t block) {
  return elements.count() / block + (elements.count() % block != 0 ? 1 : 0);
}
BELLWETHER_HOST_DEVICE constexpr ElementRange block_of(ElementRange elements, std::int32_t block,
                                                       std::int32_t number) {
  const std::int32_t begin = elements.begin + number * block;
  return {begin, elements.end - begin < block ? elements.end : begin + block};
}

}  // namespace bellwether
