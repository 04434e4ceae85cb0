// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/launch/grid.hpp"
#include "kernels/lbm/lbm.hpp"
#include "miniapps/lbm/lbm_problem.hpp"
#include "models/stencil/decomposition.hpp"

namespace bellwether {

/// Of the shortest side.
inline constexpr double sphere_diameter = 0.25;

/// Whether there is nothing solid, and no wall.
bool is_all_fluid(const LbmProblem& problem);

/// Whether it is made, by its name, and no file's.
bool is_generated(const std::string& geometry);

/// Throws BadInput where the geometry is neither known nor a file of the right size (naming the
/// file, its bytes and those expected), or does not go with the boundary.
void check_geometry(const LbmProblem& problem);

/// Which cells of a rank's subdomain are solid, on the host: 1 solid, 0 fluid, indexed as `layout`
/// is, ghost cells included. From global coordinates, so that all decompositions cut the same
/// picture; beyond a wall all is solid. Throws BadInput for a file that cannot be read, or holds
/// anything but 0 and 1.
std::vector<unsigned char> solid_cells(const LbmProblem& problem,
                                       const Decomposition& decomposition, int rank,
                                       const GridLayout& layout);

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
