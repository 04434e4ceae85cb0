// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

#include "kernels/launch/host_device.hpp"

namespace bellwether {

/// What process `mine` of `processes` has of indices that are dealt out in blocks of `block`, in
/// turn, the first to process 0 (block-cyclic).
struct DealtOut {
  long block = 1;
  int processes = 1;
  int mine = 0;
  /// Which of all indices the process' `local`-th is.
  [[nodiscard]] BELLWETHER_HOST_DEVICE long global(long local) const {
    return (local / block * processes + mine) * block + local % block;
  }
  /// How many of the first `length` indices the process has; so where it has those from `length`.
  [[nodiscard]] BELLWETHER_HOST_DEVICE long count(long length) const {
    const long whole = length / block, rounds = whole / processes, next = whole % processes;
    return rounds * block + (mine < next ? block : mine == next ? length % block : 0);
  }
};

/// The matrix that is solved: element (row, column) in [-0.5, 0.5), from a hash of the two, so that
/// any part of it can be made anywhere. Column N is the right-hand side. The same bits on every
/// backend; rows and columns below 2^32.
BELLWETHER_HOST_DEVICE double hpl_element(std::uint64_t row, std::uint64_t column) {
  const std::uint64_t in_one_to_two =
      (mixed_bits(row << 32 | column) >> 12) | 0x3ff0000000000000ull;
  double value;
  std::memcpy(&value, &in_one_to_two, sizeof value);
  return value - 1.5;
}

}  // namespace bellwether
