// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "kernels/lbm/lbm.hpp"

namespace bellwether {

/// Interior cells that are solid. `solid` as solid_cells gives it.
std::size_t count_solid(const std::vector<unsigned char>& solid, const GridLayout& layout);

/// Every link between a fluid cell of the interior and a solid one, pair after pair, each in the
/// order of the fluid cells (x fastest). Directions that wrap are those of LbmGrid.
std::vector<LbmLink> bounce_links(const std::vector<unsigned char>& solid, const GridLayout& layout,
                                  std::array<bool, 3> wraps);

}  // namespace bellwether
