// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

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

struct MeshSet {
  std::string name;
  std::int64_t total = 0;  ///< elements on all ranks
};

/// From each element of one set to `arity` elements of another.
struct BlockMap {
  std::string name;
  int from = 0, to = 0;  ///< indices of the sets
  int arity = 1;
  /// Whether loops write or increment data through the map, so that a rank must execute the
  /// elements of others that refer to its own. One that is only read through spares it those.
  bool written = true;
  std::vector<std::int64_t> targets;  ///< of this rank's block of `from`, `arity` for each element
};

/// `dim` values for each element of this rank's block of a set.
template <class T>
struct BlockData {
  std::string name;
  int set = 0;
  int dim = 1;
  std::vector<T> values;
};

/// Sets and the maps between them as ranks begin with them, from a generator or a file: every rank
/// holds a block of each set (Blocks) and the rows of the maps for it, by global indices.
struct BlockMesh {
  std::vector<MeshSet> sets;
  std::vector<BlockMap> maps;

  [[nodiscard]] Blocks blocks(int set, int ranks) const { return {sets[set].total, ranks}; }
};

}  // namespace bellwether
