// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_links.hpp"

#include <algorithm>

namespace bellwether {
namespace {

/// The subdomain's solid cells, row by row.
class SolidRows {
 public:
  SolidRows(const std::vector<unsigned char>& solid, const GridLayout& layout)
      : layout_(layout), rows_(layout.cells()[1] + 2), any_(rows_ * (layout.cells()[2] + 2)) {
    for (int k = -1; k <= layout.cells()[2]; ++k) {
      for (int j = -1; j <= layout.cells()[1]; ++j) {
        const auto begin = solid.begin() + layout.at(-1, j, k);
        const auto end = begin + layout.cells()[0] + 2;
        any_[index(j, k)] = std::find(begin, end, 1) != end;
      }
    }
  }
  /// Whether the row, ghost cells included, or one beside it has a solid cell.
  [[nodiscard]] bool near(int j, int k) const {
    for (int z = k - 1; z <= k + 1; ++z)
      for (int y = j - 1; y <= j + 1; ++y)
        if (any_[index(y, z)]) return true;
    return false;
  }

 private:
  [[nodiscard]] std::size_t index(int j, int k) const { return (j + 1) + rows_ * (k + 1); }

  const GridLayout& layout_;
  std::size_t rows_;
  std::vector<bool> any_;
};

}  // namespace

std::size_t count_solid(const std::vector<unsigned char>& solid, const GridLayout& layout) {
  const auto& cells = layout.cells();
  std::size_t count = 0;
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j) {
      const auto begin = solid.begin() + layout.at(0, j, k);
      count += std::count(begin, begin + cells[0], 1);
    }
  return count;
}

std::vector<unsigned char> interior_mask(const std::vector<unsigned char>& solid,
                                         const GridLayout& layout, const GridLayout& field) {
  const auto& cells = layout.cells();
  std::vector<unsigned char> mask(field.elements(), 0);
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      std::copy_n(solid.begin() + layout.at(0, j, k), cells[0], mask.begin() + field.at(0, j, k));
  return mask;
}

std::vector<LbmLink> bounce_links(const std::vector<unsigned char>& solid, const GridLayout& layout,
                                  const GridLayout& field, std::array<bool, 3> wraps) {
  const auto& cells = layout.cells();
  const SolidRows rows(solid, layout);
  std::vector<LbmLink> links;
  // Where a direction wraps, the mask's ghost cells are the other end's, but no place is there.
  const auto place = [&](std::array<int, 3> cell) {
    for (int d = 0; d < 3; ++d)
      if (wraps[d]) cell[d] = (cell[d] + cells[d]) % cells[d];
    return field.at(cell[0], cell[1], cell[2]);
  };
  const auto add_links_of = [&](int i, int j, int k) {
    for (std::int8_t p = 0; p < d3q19::pairs; ++p) {
      const auto& c = d3q19::velocity[p];
      if (solid[layout.at(i + c[0], j + c[1], k + c[2])] != 0)
        links.push_back({place({i + c[0], j + c[1], k + c[2]}), p, 1, {}});
      if (solid[layout.at(i - c[0], j - c[1], k - c[2])] != 0)
        links.push_back({field.at(i, j, k), p, -1, {}});
    }
  };
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j) {
      if (!rows.near(j, k)) continue;
      for (int i = 0; i < cells[0]; ++i)
        if (solid[layout.at(i, j, k)] == 0) add_links_of(i, j, k);
    }
  // One pair of slots after the other: neighbouring work items then touch neighbouring places.
  std::stable_sort(links.begin(), links.end(),
                   [](const LbmLink& a, const LbmLink& b) { return a.pair < b.pair; });
  return links;
}

}  // namespace bellwether
