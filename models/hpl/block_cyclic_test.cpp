// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_problem.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// By dealing out each row.
std::vector<long> dealt(long length, int block, int processes) {
  std::vector<long> local(static_cast<std::size_t>(processes));
  for (long row = 0; row < length; ++row)
    ++local[static_cast<std::size_t>(row / block % processes)];
  return local;
}

RC_GTEST_PROP(BlockCyclic, LengthsAreThoseOfDealingOut, ()) {
  const long length = *rc::gen::inRange(0, 400).as("length");
  const int block = *rc::gen::inRange(1, 20).as("block");
  const int processes = *rc::gen::inRange(1, 12).as("processes");
  const std::vector<long> local = dealt(length, block, processes);
  RC_ASSERT(busiest_local_length(length, block, processes) ==
            *std::max_element(local.begin(), local.end()));
  for (int process = 0; process < processes; ++process)
    RC_ASSERT(local_length(length, block, processes, process) ==
              local[static_cast<std::size_t>(process)]);
}

TEST(BlockCyclic, LastPartialBlockMayStandAlone) {
  EXPECT_EQ(busiest_local_length(65, 16, 2), 33);  // 16 + 16 + 1 and 16 + 16
  EXPECT_EQ(busiest_local_length(47, 16, 2), 31);  // 16 + 15 and 16
  EXPECT_EQ(busiest_local_length(0, 16, 2), 0);
}

TEST(BlockCyclic, StripsKeepTheirBuffersSmall) {
  EXPECT_EQ(update_strip_columns(1000, 1001, 100), 512);
  EXPECT_EQ(update_strip_columns(1000, 300, 100), 300);  // no more than there are
  EXPECT_EQ(update_strip_columns(40000, 10000, 128), 10000);
  const long strip = update_strip_columns(10000, 10000, 256);
  EXPECT_EQ(strip, 1560);
  EXPECT_LE(5. * 256 * static_cast<double>(strip), 1e8 / 50);
  EXPECT_EQ(update_strip_columns(0, 0, 64), 1);
  EXPECT_EQ(update_strip_columns(10000, 20000, 256, true), 20000);
  EXPECT_EQ(update_strip_columns(10000, 0, 256, true), 1);
}

TEST(BlockCyclic, GridsAreAllFactorizations) {
  std::vector<std::pair<int, int>> found;
  for (const ProcessGrid& grid : process_grids(12)) found.emplace_back(grid.rows, grid.columns);
  const std::vector<std::pair<int, int>> expected{{1, 12}, {2, 6}, {3, 4}, {4, 3}, {6, 2}, {12, 1}};
  EXPECT_EQ(found, expected);
  EXPECT_EQ(process_grids(9).size(), 3u);
  EXPECT_EQ(process_grids(13).size(), 2u);
  EXPECT_EQ(process_grids(1).size(), 1u);
}

TEST(BlockCyclic, NearestSquareIsWide) {
  EXPECT_EQ(nearest_square(32).name(), "4x8");
  EXPECT_EQ(nearest_square(49).name(), "7x7");
  EXPECT_EQ(nearest_square(2147483647).name(), "1x2147483647");
}

TEST(BlockCyclic, RanksLieAlongRowsOrColumns) {
  for (const bool column_major : {false, true})
    for (ProcessGrid grid : process_grids(12)) {
      grid.column_major = column_major;
      for (int rank = 0; rank < 12; ++rank)
        EXPECT_EQ(grid.rank_at(grid.row_of(rank), grid.column_of(rank)), rank);
      for (const int on_node : {1, 2, 3, 5, 12, 16}) {
        std::set<int> rows, columns;
        for (int rank = 0; rank < std::min(on_node, 12); ++rank) {
          rows.insert(grid.row_of(rank));
          columns.insert(grid.column_of(rank));
        }
        EXPECT_EQ(grid.rows_on_node(on_node), std::ssize(rows));
        EXPECT_EQ(grid.columns_on_node(on_node), std::ssize(columns));
      }
    }
  const ProcessGrid grid{2, 3, true};
  EXPECT_EQ(grid.rank_at(1, 0), 1);
  EXPECT_EQ(grid.rank_at(0, 1), 2);
}

TEST(BlockCyclic, ReadsGrids) {
  const ProcessGrid grid = parse_process_grid("4x8");
  EXPECT_EQ(grid.rows, 4);
  EXPECT_EQ(grid.columns, 8);
  for (const char* text : {"", "4", "4x", "x8", "4x8x1", "0x8", "4x-8", "4 x 8", "fast", "4X8"})
    EXPECT_THROW(parse_process_grid(text), BadInput) << text;
}

}  // namespace
}  // namespace bellwether
