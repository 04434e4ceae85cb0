// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

namespace bellwether {

/// A set's elements 0 to total - 1 as ranks begin with them: contiguous blocks in the order of the
/// ranks, of sizes that differ by one at most. Blocks may be empty.
class Blocks {
 public:
  Blocks(std::int64_t total, int ranks)
      : total_(total), ranks_(ranks), least_(total / ranks), larger_(total % ranks) {}

  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  [[nodiscard]] std::int64_t first(int rank) const {
    return rank * least_ + std::min<std::int64_t>(rank, larger_);
  }
  [[nodiscard]] std::int64_t end(int rank) const { return first(rank + 1); }
  [[nodiscard]] std::int64_t size(int rank) const { return end(rank) - first(rank); }
  /// The rank whose block holds the element.
  [[nodiscard]] int rank_of(std::int64_t element) const {
    const std::int64_t in_larger = larger_ * (least_ + 1);
    if (element < in_larger) return static_cast<int>(element / (least_ + 1));
    return static_cast<int>(larger_ + (element - in_larger) / least_);
  }

 private:
  std::int64_t total_;
  int ranks_;
  std::int64_t least_, larger_;  ///< the smaller blocks' size; how many blocks have one more
};

}  // namespace bellwether
