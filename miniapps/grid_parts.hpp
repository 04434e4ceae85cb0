// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <vector>

#include "kernels/launch/grid.hpp"
#include "miniapps/comm/halo_faces.hpp"

namespace bellwether {

/// A subdomain divided for overlap: the cells that a neighbour needs, as disjoint slabs one cell
/// thick, and the rest, whole and in parts between which a host lets MPI work.
struct GridParts {
  std::vector<Box> boundary;
  Box interior;
  std::vector<Box> interior_parts;
};

/// Slabs across z are whole, those across y lack the z slabs' cells, those across x both's: as the
/// models count them. At most eight parts of at least sixteen rows, cut across y, where a CPU's
/// sweep is cut into tiles anyway and a cut costs no memory traffic; across z where there are few
/// rows.
GridParts split_for_overlap(std::array<int, 3> cells, const std::vector<HaloFace>& faces);

}  // namespace bellwether
