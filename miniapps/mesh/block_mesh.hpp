// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "miniapps/mesh/blocks.hpp"

namespace bellwether {

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
