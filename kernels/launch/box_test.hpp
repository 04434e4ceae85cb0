// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/launch/backend_test.hpp"
#include "kernels/launch/grid.hpp"

namespace bellwether {

template <class Visit>
void visit_cells(const Box& box, const Visit& visit) {
  for (int k = box.low[2]; k < box.high[2]; ++k)
    for (int j = box.low[1]; j < box.high[1]; ++j)
      for (int i = box.low[0]; i < box.high[0]; ++i) visit(i, j, k);
}

template <class Visit>
void visit_cells(const std::array<int, 3>& cells, const Visit& visit) {
  visit_cells(Box{{0, 0, 0}, cells}, visit);
}

/// A part of the interior that is not empty.
inline Box random_box(const std::array<int, 3>& cells, Random& random) {
  Box box;
  for (int d = 0; d < 3; ++d) {
    box.low[d] = random.below(cells[d]);
    box.high[d] = box.low[d] + 1 + random.below(cells[d] - box.low[d]);
  }
  return box;
}

}  // namespace bellwether
