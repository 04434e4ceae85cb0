// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// What a loop does with an argument of each element.
enum class Access { read, write, increment, read_write };
constexpr bool reads(Access access) {
  return access == Access::read || access == Access::read_write;
}
constexpr bool writes(Access access) { return access != Access::read; }

/// Data on a set, as loops name it.
struct LoopData {
  std::string name;
  int set = 0;
};

/// One argument of a parallel loop: the data of the element itself, or of what it refers to through
/// a map (all of the row).
struct LoopArgument {
  static constexpr int direct = -1;
  int data = 0;      ///< index into the loops' data
  int map = direct;  ///< index into the mesh's maps
  Access access = Access::read;

  [[nodiscard]] bool writes_through_map() const { return map != direct && writes(access); }
};

/// A parallel loop over a set: the same function of every element, in any order.
struct ParallelLoop {
  std::string name;
  int set = 0;
  std::vector<LoopArgument> arguments;
};

/// What one call of a loop has to do on a rank. Elements are executed from 0 on, class by class:
/// `before_halos` of them while the exchanges are under way, all others when they are complete.
struct LoopPlan {
  std::vector<int> exchanges;  ///< data whose halos are exchanged, ascending
  int before_halos = 0;        ///< core, or everything where nothing is exchanged
  int executed = 0;            ///< owned elements, and ieh where the loop writes through a map
  [[nodiscard]] bool blocks() const { return !exchanges.empty(); }
};

/// Which halos are exchanged when (Mudalige et al., Section 2.1): what loops read through maps and
/// others have written since. A loop that writes through a map executes ieh too.
class LoopHalos {
 public:
  /// The mesh must outlive this. Halos are taken to be up to date in the beginning, as local_values
  /// gives them.
  LoopHalos(const LocalMesh& mesh, std::vector<LoopData> data);

  /// What the loop's next call does; its halos are then up to date, and what it writes is not.
  /// Throws std::invalid_argument for a loop that does not fit the mesh.
  LoopPlan call(const ParallelLoop& loop);

 private:
  void check(const ParallelLoop& loop) const;

  const LocalMesh& mesh_;
  std::vector<LoopData> data_;
  std::vector<bool> dirty_;
};

}  // namespace bellwether
