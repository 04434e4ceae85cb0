// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "miniapps/mesh/local_mesh.hpp"

namespace bellwether {

/// Elements in groups ("colours") of which no two refer to the same target, so that a group's
/// elements may write to their targets at once.
struct Colouring {
  /// The elements, colour after colour, within one ascending; local numbers.
  std::vector<int> elements;
  /// Where each colour begins in `elements`, and at the end how many there are.
  std::vector<int> offsets{0};

  [[nodiscard]] int colours() const { return static_cast<int>(offsets.size()) - 1; }
};

/// Colours the elements first to end - 1 of a map's set greedily: each takes the lowest colour that
/// none of its targets has yet. Where no target is referred to by more than d elements and a row
/// has two targets, that makes at least d and at most 2 d - 1 colours.
Colouring colour_elements(const LocalMap& map, int first, int end);

}  // namespace bellwether
