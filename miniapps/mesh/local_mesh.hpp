// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bellwether {

/// What a rank exchanges with another of one set.
struct SetNeighbour {
  int rank = 0;
  /// Own elements that are in the other's ieh and inh, by local numbers, in the order in which the
  /// other numbers them.
  std::vector<int> execute_exports, read_exports;
  /// The other's elements here: `ieh_count` local numbers from `first_ieh` on, and so inh.
  int first_ieh = 0, ieh_count = 0;
  int first_inh = 0, inh_count = 0;
};

/// One rank's part of a set, numbered core, eeh, ieh, inh (SetParts), the latter two by owner and
/// its numbers. OP2's enh are the neighbours' read_exports.
struct LocalSet {
  std::string name;
  std::int64_t total = 0;  ///< elements on all ranks
  int core = 0, eeh = 0, ieh = 0, inh = 0;
  std::vector<std::int64_t> global;      ///< of every local element
  std::vector<SetNeighbour> neighbours;  ///< ascending

  [[nodiscard]] int owned() const { return core + eeh; }
  [[nodiscard]] int executed() const { return core + eeh + ieh; }
  [[nodiscard]] int size() const { return core + eeh + ieh + inh; }
};

/// A map by local numbers: `arity` targets for each of core, eeh and ieh of `from`.
struct LocalMap {
  std::string name;
  int from = 0, to = 0;
  int arity = 1;
  bool written = true;
  std::vector<int> targets;
};

/// One rank's part of a mesh; sets and maps in the order of the BlockMesh.
struct LocalMesh {
  std::vector<LocalSet> sets;
  std::vector<LocalMap> maps;
};

}  // namespace bellwether
