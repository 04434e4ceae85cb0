// SPDX-License-Identifier: MIT
#include "kernels/launch/grid.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace bellwether {
namespace {

constexpr std::array<std::array<int, 3>, 8> sizes{{{1, 1, 1},
                                                   {1, 7, 3},
                                                   {2, 2, 2},
                                                   {14, 3, 2},
                                                   {15, 2, 1},
                                                   {16, 1, 4},
                                                   {17, 13, 11},
                                                   {131, 9, 6}}};

TEST(BoxTest, CountsItsCells) {
  const Box box{{1, -1, 4}, {4, 6, 5}};
  EXPECT_EQ(box.extent(0), 3);
  EXPECT_EQ(box.extent(1), 7);
  EXPECT_EQ(box.extent(2), 1);
  EXPECT_EQ(box.cells(), 21u);
  EXPECT_FALSE(box.empty());
}

TEST(BoxTest, IsEmptyWhenAnyDirectionIs) {
  EXPECT_TRUE((Box{{0, 0, 0}, {0, 5, 5}}.empty()));
  EXPECT_TRUE((Box{{0, 3, 0}, {5, 2, 5}}.empty()));
  EXPECT_EQ((Box{{0, 3, 4}, {5, 2, 1}}.cells()), 0u);  // two negative extents make no cells
  EXPECT_TRUE(Box{}.empty());
}

TEST(BoxTest, ComparesAllCorners) {
  const Box box{{0, 1, 2}, {3, 4, 5}};
  EXPECT_EQ(box, (Box{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_NE(box, (Box{{0, 1, 1}, {3, 4, 5}}));
  EXPECT_NE(box, (Box{{0, 1, 2}, {3, 4, 6}}));
}

TEST(BoxTest, CountsMoreCellsThanAnIntHolds) {
  EXPECT_EQ((Box{{0, 0, 0}, {3000, 3000, 3000}}.cells()), 27'000'000'000u);
  EXPECT_GE(GridLayout({3000, 3000, 3000}, 8).elements(), 27'000'000'000u);
  EXPECT_GT(GridLayout({3000, 3000, 3000}, 8).at(2999, 2999, 2999), 26'999'999'999);
}

TEST(GridLayoutTest, GivesEveryCellAndGhostItsOwnPlace) {
  for (const std::size_t element_bytes : {4u, 8u}) {
    for (const auto& [nx, ny, nz] : sizes) {
      const GridLayout layout({nx, ny, nz}, element_bytes);
      std::vector<int> uses(layout.elements());
      for (int k = -1; k <= nz; ++k)
        for (int j = -1; j <= ny; ++j)
          for (int i = -1; i <= nx; ++i) {
            const std::ptrdiff_t at = layout.at(i, j, k);
            ASSERT_GE(at, 0);
            ASSERT_LT(at, static_cast<std::ptrdiff_t>(layout.elements()));
            ASSERT_EQ(++uses[static_cast<std::size_t>(at)], 1) << i << ' ' << j << ' ' << k;
            ASSERT_EQ(at, layout.origin() + i + j * layout.row_pitch() + k * layout.plane_pitch());
          }
    }
  }
}

TEST(GridLayoutTest, StartsEveryRowOnACacheLine) {
  for (const std::size_t element_bytes : {4u, 8u}) {
    for (const auto& [nx, ny, nz] : sizes) {
      const GridLayout layout({nx, ny, nz}, element_bytes);
      for (int k = -1; k <= nz; ++k)
        for (int j = -1; j <= ny; ++j)
          ASSERT_EQ(static_cast<std::size_t>(layout.at(0, j, k)) * element_bytes % 64, 0u);
    }
  }
}

TEST(GridLayoutTest, RowsAreDenseWithoutGhosts) {
  for (const std::size_t element_bytes : {4u, 8u}) {
    const auto half = static_cast<std::ptrdiff_t>(32 / element_bytes);
    for (const auto& [nx, ny, nz] : sizes) {
      const GridLayout layout({nx, ny, nz}, element_bytes, RowGhosts::none);
      EXPECT_GE(layout.row_pitch(), nx);
      EXPECT_LT(layout.row_pitch(), nx + half);
      EXPECT_EQ(layout.row_pitch() % half, 0);
      EXPECT_EQ(static_cast<std::size_t>(layout.origin()) * element_bytes % 32, 0u);
      EXPECT_GE(layout.at(0, -1, -1), 0);
      // A register of cells from the last one on is within the storage.
      EXPECT_LE(layout.at(nx - 1, ny, nz) + 2 * half,
                static_cast<std::ptrdiff_t>(layout.elements()));
    }
  }
}

TEST(GridLayoutTest, WastesLessThanALineInARow) {
  for (const std::size_t element_bytes : {4u, 8u}) {
    const auto line = static_cast<std::ptrdiff_t>(64 / element_bytes);
    for (const auto& [nx, ny, nz] : sizes) {
      const GridLayout layout({nx, ny, nz}, element_bytes);
      EXPECT_GE(layout.row_pitch(), nx + 2);
      EXPECT_LT(layout.row_pitch(), nx + 2 + line);
      const std::ptrdiff_t plane = layout.row_pitch() * (ny + 2);
      EXPECT_GE(layout.plane_pitch(), plane);
      EXPECT_LE(layout.plane_pitch(), plane + plane / 16);
      EXPECT_EQ(
          GridLayout({nx, ny, nz}, element_bytes, RowGhosts::both, PlaneEnds::dense).plane_pitch(),
          plane);
      EXPECT_EQ(layout.interior(), (Box{{0, 0, 0}, {nx, ny, nz}}));
    }
  }
}

/// By which distances, in cells of 8 bytes.
TEST(GridLayoutTest, StoresAreAheadOfLoads) {
  // Stored behind the loads: the next ones to come to the same bits are of the row above.
  EXPECT_EQ(stores_ahead(1024, 20480 + 512), 448);
  // 64 bytes ahead of the lines after these, which are loaded for the cells to the east.
  EXPECT_EQ(stores_ahead(1024, 4096 + 128), 64);
  // 258 cells of 8 bytes are 33 lines, 258 rows of those 128 bytes more than whole pages.
  EXPECT_EQ(stores_ahead(33 * 64, 33 * 258 * 64), 64);
  const GridLayout layout({256, 256, 4}, 8);
  EXPECT_GE(stores_ahead(8 * layout.row_pitch(), 8 * layout.plane_pitch()), 256);
  // 386 rows of 49 lines keep them four lines ahead as they are.
  EXPECT_EQ(GridLayout({384, 384, 4}, 8).plane_pitch(), 49 * 8 * 386);
}

}  // namespace
}  // namespace bellwether
