// SPDX-License-Identifier: MIT
#include "miniapps/stencil/grid_parts.hpp"

#include <algorithm>

namespace bellwether {
namespace {

std::vector<Box> parts_of(const Box& box, Cut cut) {
  constexpr int most_parts = 8, least_rows = 16;
  if (box.empty()) return {};
  const bool rows = cut == Cut::rows && box.extent(1) >= least_rows * 2;
  const int direction = rows ? 1 : 2;
  const int least = cut == Cut::rows ? least_rows : (least_rows - 1) / box.extent(1) + 1;
  const int parts = std::clamp(box.extent(direction) / least, 1, most_parts);
  std::vector<Box> all;
  for (int p = 0; p < parts; ++p) {
    Box part = box;
    const auto at = [&](int n) {
      return box.low[direction] + static_cast<int>(1LL * box.extent(direction) * n / parts);
    };
    part.low[direction] = at(p);
    part.high[direction] = at(p + 1);
    all.push_back(part);
  }
  return all;
}

}  // namespace

GridParts split_for_overlap(std::array<int, 3> cells, const std::vector<HaloFace>& faces, Cut cut) {
  GridParts parts;
  parts.interior = {{0, 0, 0}, cells};
  parts.parts = parts_of(parts.interior, cut);
  for (int direction = 2; direction >= 0; --direction) {
    for (const HaloFace& face : faces) {
      if (face.direction != direction || parts.interior.empty()) continue;
      Box slab = parts.interior;
      if (face.side == 0)
        slab.high[direction] = ++parts.interior.low[direction];
      else
        slab.low[direction] = --parts.interior.high[direction];
      parts.boundary.push_back(slab);
    }
  }
  parts.interior_parts = parts_of(parts.interior, cut);
  return parts;
}

}  // namespace bellwether
