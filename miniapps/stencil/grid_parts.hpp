// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "kernels/launch/grid.hpp"
#include "miniapps/stencil/halo_messages.hpp"

namespace bellwether {

/// A subdomain divided for overlap: the cells that a neighbour needs, as disjoint slabs one cell
/// thick, and the rest, whole and in parts between which a host lets MPI work.
struct GridParts {
  std::vector<Box> boundary;
  Box interior;
  std::vector<Box> interior_parts;
  std::vector<Box> parts;  ///< of all cells, from the lowest to the highest
};

/// What an interior is cut between. A stencil that reads its neighbours keeps tiles of rows in
/// cache from plane to plane: a cut between rows costs it nothing, one between planes the planes on
/// either side. A kernel that touches each line once runs through its memory: cut between rows, it
/// would begin anew in every plane.
enum class Cut { rows, planes };

/// Slabs across z are whole, those across y lack the z slabs' cells, those across x both's: as the
/// models count them. The interior is cut into at most eight parts of at least sixteen rows; across
/// z too where Cut::rows finds few.
GridParts split_for_overlap(std::array<int, 3> cells, const std::vector<HaloFace>& faces, Cut cut);

}  // namespace bellwether
