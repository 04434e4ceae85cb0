// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace bellwether {

/// From each element of one set to elements of another: `targets[element]` are their indices.
struct ElementMap {
  int from;  ///< index of the set
  int to;
  std::vector<std::vector<int>> targets;
  /// Whether loops write through it; only then do others' elements that refer to owned ones have to
  /// be executed. The paper knows no other maps.
  bool written = true;
};

/// One rank's part of a set, by OP2's classes (Mudalige et al., Section 2.1); ascending indices.
/// `core` and `eeh` are owned; as in the paper's Table 1 a set that maps to nothing is all core.
struct HaloLists {
  std::vector<int> core, ieh, eeh, inh, enh;
};

/// The lists of each set for `rank`. `owners[set][element]` is the owning rank.
///   eeh: owned, refers to another rank's element
///   ieh: another's, refers through a written map to an owned element
///   inh: another's, referred to by an element of core, eeh or ieh, and not in ieh
///   enh: owned, in the inh of another rank
std::vector<HaloLists> op2_halos(const std::vector<std::vector<int>>& owners,
                                 const std::vector<ElementMap>& maps, int rank);

}  // namespace bellwether
