// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/edge_schedule.hpp"

#include <gtest/gtest.h>

#include <map>
#include <numeric>

namespace bellwether {
namespace {

/// Edges along a row of cells, in an order that puts neighbours into different blocks.
LocalMesh row_of_cells(int core, int eeh, int ieh) {
  LocalMesh mesh;
  const int edges = core + eeh + ieh;
  mesh.sets = {{"cells", edges + 1, edges + 1, 0, 0, 0, {}, {}},
               {"edges", edges, core, eeh, ieh, 0, {}, {}}};
  LocalMap map{"cells", 1, 0, 2, true, {}};
  for (int edge = 0; edge < edges; ++edge) {
    const int cell = static_cast<int>(edge * 7919LL % edges);
    map.targets.insert(map.targets.end(), {cell, cell + 1});
  }
  mesh.maps = {map};
  return mesh;
}

std::vector<EdgeRange> all_of(const EdgeSchedule& schedule) {
  std::vector<EdgeRange> all = schedule.pieces;
  all.insert(all.end(), {schedule.rest, schedule.redundant});
  return all;
}

TEST(EdgeSchedule, CoversEveryClassOnce) {
  for (const auto workers : {EdgeWorkers::one_thread, EdgeWorkers::threads, EdgeWorkers::gpu}) {
    for (const auto& [core, eeh, ieh] :
         {std::array{0, 0, 0}, {5, 0, 0}, {1000, 13, 7}, {100000, 400, 300}}) {
      const LocalMesh mesh = row_of_cells(core, eeh, ieh);
      const EdgeSchedule schedule = schedule_edges(mesh, mesh.maps[0], workers);
      int next = 0;
      for (const EdgeRange& range : all_of(schedule)) {
        EXPECT_EQ(range.begin, next);
        next = range.end;
        std::vector<int> there(schedule.order.begin() + range.begin,
                               schedule.order.begin() + range.end);
        std::sort(there.begin(), there.end());
        std::vector<int> expected(there.size());
        std::iota(expected.begin(), expected.end(), range.begin);
        EXPECT_EQ(there, expected);
      }
      EXPECT_EQ(schedule.rest.begin, core);
      EXPECT_EQ(schedule.rest.end, core + eeh);
      EXPECT_EQ(schedule.redundant.end, core + eeh + ieh);
      const bool in_pieces = workers != EdgeWorkers::gpu && core >= 100000;
      EXPECT_EQ(schedule.pieces.size(), in_pieces ? 8u : 1u);
    }
  }
}

TEST(EdgeSchedule, BlocksOfAColourHaveNoCellInCommon) {
  const LocalMesh mesh = row_of_cells(30000, 700, 300);
  const EdgeSchedule schedule = schedule_edges(mesh, mesh.maps[0], EdgeWorkers::threads);
  for (const EdgeRange& range : all_of(schedule)) {
    ASSERT_FALSE(range.colours.empty());
    EXPECT_EQ(range.colours.front(), range.begin);
    for (std::size_t k = 0; k < range.colours.size(); ++k) {
      const ElementRange colour = range.colour(k);
      std::map<int, int> block_of_cell;
      for (int block = 0; block < block_count(colour, range.block); ++block) {
        const ElementRange edges = block_of(colour, range.block, block);
        for (int at = edges.begin; at < edges.end; ++at)
          for (int side = 0; side < 2; ++side) {
            const int cell = mesh.maps[0].targets[2 * schedule.order[at] + side];
            EXPECT_EQ(block_of_cell.emplace(cell, block).first->second, block);
          }
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
