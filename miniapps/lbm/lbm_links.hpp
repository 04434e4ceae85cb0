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
/// `solid` is indexed as `layout` is, ghost cells included; links' cells as `field`.
std::vector<LbmLink> bounce_links(const std::vector<unsigned char>& solid, const GridLayout& layout,
                                  const GridLayout& field, std::array<bool, 3> wraps);

/// The interior cells' part of such a mask, indexed as `field` is.
std::vector<unsigned char> interior_mask(const std::vector<unsigned char>& solid,
                                         const GridLayout& layout, const GridLayout& field);

}  // namespace bellwether
