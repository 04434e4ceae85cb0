// SPDX-License-Identifier: MIT
#include "miniapps/lbm/lbm_links.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>

namespace bellwether {
namespace {

using Links = std::multiset<std::tuple<std::int64_t, int, int>>;

/// By the definition of LbmLink, cell after cell.
Links expected_links(const std::vector<unsigned char>& solid, const GridLayout& layout,
                     const GridLayout& field, std::array<bool, 3> wraps) {
  const auto& cells = layout.cells();
  Links links;
  const auto wrapped = [&](int at, int d) { return wraps[d] ? (at + cells[d]) % cells[d] : at; };
  for (int k = 0; k < cells[2]; ++k)
    for (int j = 0; j < cells[1]; ++j)
      for (int i = 0; i < cells[0]; ++i) {
        if (solid[layout.at(i, j, k)] == 1) continue;
        for (int p = 0; p < d3q19::pairs; ++p)
          for (const int sign : {1, -1}) {
            const auto& c = d3q19::velocity[p];
            const int x = wrapped(i + sign * c[0], 0), y = wrapped(j + sign * c[1], 1),
                      z = wrapped(k + sign * c[2], 2);
            if (solid[layout.at(x, y, z)] == 1)
              links.emplace(sign > 0 ? field.at(x, y, z) : field.at(i, j, k), p, sign);
          }
      }
  return links;
}

TEST(LbmLinks, AreThoseOfTheDefinition) {
  std::mt19937 random(7);
  for (const std::array<int, 3> cells : {std::array{7, 6, 5}, {1, 4, 3}, {2, 1, 9}}) {
    for (int wrapping = 0; wrapping < 8; ++wrapping) {
      const std::array<bool, 3> wraps{wrapping % 2 == 1, wrapping / 2 % 2 == 1, wrapping / 4 == 1};
      for (const unsigned one_in : {2u, 20u, 1000u}) {
        const GridLayout layout(cells, 1);
        const GridLayout field(cells, 8, wraps[0] ? RowGhosts::none : RowGhosts::both);
        std::vector<unsigned char> solid(layout.elements(), 0);
        for (int k = -1; k <= cells[2]; ++k)
          for (int j = -1; j <= cells[1]; ++j)
            for (int i = -1; i <= cells[0]; ++i) solid[layout.at(i, j, k)] = random() % one_in == 0;
        // Ghost cells of a direction that wraps are the other end's.
        for (int d = 0; d < 3; ++d) {
          if (!wraps[d]) continue;
          for (int k = -1; k <= cells[2]; ++k)
            for (int j = -1; j <= cells[1]; ++j)
              for (int i = -1; i <= cells[0]; ++i) {
                std::array<int, 3> from{i, j, k};
                from[d] = (from[d] + cells[d]) % cells[d];
                solid[layout.at(i, j, k)] = solid[layout.at(from[0], from[1], from[2])];
              }
        }
        Links found;
        for (const LbmLink& link : bounce_links(solid, layout, field, wraps))
          found.emplace(link.cell, link.pair, link.towards);
        EXPECT_EQ(found, expected_links(solid, layout, field, wraps));
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
