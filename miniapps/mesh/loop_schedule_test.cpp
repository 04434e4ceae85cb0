// SPDX-License-Identifier: MIT
#include "miniapps/mesh/loop_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/airfoil/mesh/airfoil_blocks.hpp"

namespace bellwether {
namespace {

/// Every element once, none of a colour with another's target, and how many refer to one target.
int expect_colouring(const LocalMap& map, int first, int end, const Colouring& colouring) {
  std::vector<int> all = colouring.elements, expected(end - first);
  std::sort(all.begin(), all.end());
  std::iota(expected.begin(), expected.end(), first);
  EXPECT_EQ(all, expected);
  EXPECT_EQ(colouring.offsets.back(), end - first);
  const int targets = 1 + *std::max_element(map.targets.begin(), map.targets.end());
  std::vector<int> users(targets), last_colour(targets, -1);
  for (int colour = 0; colour < colouring.colours(); ++colour) {
    EXPECT_LT(colouring.offsets[colour], colouring.offsets[colour + 1]) << "an empty colour";
    for (int at = colouring.offsets[colour]; at < colouring.offsets[colour + 1]; ++at) {
      const int element = colouring.elements[at];
      EXPECT_TRUE(at == colouring.offsets[colour] || colouring.elements[at - 1] < element);
      std::vector<int> row(map.targets.begin() + element * map.arity,
                           map.targets.begin() + (element + 1) * map.arity);
      std::sort(row.begin(), row.end());
      row.erase(std::unique(row.begin(), row.end()), row.end());
      for (const int target : row) {
        EXPECT_NE(last_colour[target], colour) << "element " << element;
        last_colour[target] = colour;
        ++users[target];
      }
    }
  }
  return *std::max_element(users.begin(), users.end());
}

TEST(Colouring, OfAirfoilsEdgesIsNearTheBound) {
  for (const AirfoilMesh shape : {AirfoilMesh{1, 1}, {5, 3}, {40, 60}}) {
    const AirfoilBlocks blocks = generate_airfoil(shape, 1, 0);
    const BlockMap& edges = blocks.mesh.maps[edge_cells_map];
    const LocalMap map{"pecell", 0, 0, 2, true, {edges.targets.begin(), edges.targets.end()}};
    const Colouring colouring = colour_elements(map, 0, static_cast<int>(shape.edges()));
    const int most = expect_colouring(map, 0, static_cast<int>(shape.edges()), colouring);
    EXPECT_GE(colouring.colours(), most);
    EXPECT_LE(colouring.colours(), most + 1);
  }
}

TEST(Colouring, OfRandomMapsStaysWithinTheBound) {
  Random random(64);
  for (int n = 0; n < 50; ++n) {
    LocalMap map{"random", 0, 1, 1 + random.below(3), true, {}};
    const int elements = 1 + random.below(300), targets = 1 + random.below(n < 25 ? 4 : 200);
    for (int at = 0; at < elements * map.arity; ++at) map.targets.push_back(random.below(targets));
    const int first = random.below(elements), end = first + random.below(elements - first) + 1;
    const Colouring colouring = colour_elements(map, first, end);
    const int most = expect_colouring(map, first, end, colouring);
    EXPECT_GE(colouring.colours(), most);
    EXPECT_LE(colouring.colours(), map.arity * (most - 1) + 1);
  }
}

TEST(Colouring, OfNothing) {
  const Colouring colouring = colour_elements({"none", 0, 0, 2, true, {}}, 3, 3);
  EXPECT_EQ(colouring.colours(), 0);
  EXPECT_TRUE(colouring.elements.empty());
}

enum Set { cells, edges };
constexpr int pecell = 0;
/// Who runs the elements, and whether in colours.
constexpr std::pair<LoopWorkers, bool> every_way[] = {
    {LoopWorkers::one_thread, false}, {LoopWorkers::one_thread, true},
    {LoopWorkers::threads, false},    {LoopWorkers::threads, true},
    {LoopWorkers::gpu, false},        {LoopWorkers::gpu, true}};

/// Edges along a row of cells, in an order that puts neighbours into different blocks.
LocalMesh row_of_cells(int core, int eeh, int ieh) {
  LocalMesh mesh;
  const int all = core + eeh + ieh;
  mesh.sets = {{"cells", all + 1, all + 1, 0, 0, 0, {}, {}},
               {"edges", all, core, eeh, ieh, 0, {}, {}}};
  LocalMap map{"pecell", edges, cells, 2, true, {}};
  for (int edge = 0; edge < all; ++edge) {
    const int cell = static_cast<int>(edge * 7919LL % all);
    map.targets.insert(map.targets.end(), {cell, cell + 1});
  }
  mesh.maps = {map};
  return mesh;
}

/// The plan of a loop that exchanges halos and writes through its map.
LoopPlan plan_of(const LocalMesh& mesh) {
  return {{0}, mesh.sets[edges].core, mesh.sets[edges].executed()};
}
std::vector<LoopPart> all_of(LoopParts parts) {
  parts.before_halos.insert(parts.before_halos.end(), parts.after_halos.begin(),
                            parts.after_halos.end());
  return parts.before_halos;
}

/// Begin and end of parts that follow one another without a gap; {} for none.
std::array<int, 2> range_of(const std::vector<LoopPart>& parts) {
  if (parts.empty()) return {};
  for (std::size_t n = 1; n < parts.size(); ++n)
    EXPECT_EQ(parts[n].elements.begin, parts[n - 1].elements.end);
  return {parts.front().elements.begin, parts.back().elements.end};
}

TEST(LoopSchedule, ExecutesEveryClassOnceAndInPieces) {
  for (const auto& [who, coloured] : every_way) {
    const LoopWorkers workers = who;
    const bool in_colours = coloured;
    for (const auto& [core, eeh, ieh] :
         {std::array{0, 0, 0}, {5, 0, 0}, {1000, 13, 7}, {100000, 400, 300}}) {
      const LocalMesh mesh = row_of_cells(core, eeh, ieh);
      const LoopSchedule schedule(mesh, edges, workers, in_colours);
      const LoopParts parts = schedule.parts(plan_of(mesh));
      const std::vector<int> order = schedule.order();
      ASSERT_EQ(static_cast<int>(order.size()), core + eeh + ieh);
      int next = 0;
      for (const auto& [elements, redundant] : all_of(parts)) {
        EXPECT_EQ(elements.begin, next);
        EXPECT_GT(elements.count(), 0);
        EXPECT_EQ(redundant, elements.begin >= core + eeh);
        next = elements.end;
        std::vector<int> there(order.begin() + elements.begin, order.begin() + elements.end);
        std::sort(there.begin(), there.end());
        std::vector<int> expected(there.size());
        std::iota(expected.begin(), expected.end(), elements.begin);
        EXPECT_EQ(there, expected);
      }
      EXPECT_EQ(next, core + eeh + ieh);
      EXPECT_EQ(range_of(parts.before_halos)[1], core);
      EXPECT_EQ(parts.after_halos.size(), (eeh > 0 ? 1u : 0u) + (ieh > 0 ? 1u : 0u));
      const bool in_pieces = workers != LoopWorkers::gpu && core >= 100000;
      EXPECT_EQ(parts.before_halos.size(), in_pieces ? 8u : core > 0 ? 1u : 0u);
    }
  }
}

/// What runs before the halos and which classes run at all is what the plan says.
TEST(LoopSchedule, FollowsTheLoopsPlan) {
  using Range = std::array<int, 2>;
  const LocalMesh mesh = row_of_cells(1000, 13, 7);
  for (const auto& [who, coloured] : every_way) {
    const LoopSchedule schedule(mesh, edges, who, coloured);
    const auto expect = [&](const LoopPlan& plan, Range before, Range after) {
      const LoopParts parts = schedule.parts(plan);
      EXPECT_EQ(range_of(parts.before_halos), before);
      EXPECT_EQ(range_of(parts.after_halos), after);
    };
    expect({{0}, 1000, 1020}, {0, 1000}, {1000, 1020});
    expect({{}, 1020, 1020}, {0, 1020}, {});
    expect({{0}, 1000, 1013}, {0, 1000}, {1000, 1013});
    expect({{}, 1013, 1013}, {0, 1013}, {});
  }
}

TEST(LoopSchedule, BlocksOfAColourHaveNoTargetInCommon) {
  const LocalMesh mesh = row_of_cells(30000, 700, 300);
  for (const LoopWorkers workers : {LoopWorkers::threads, LoopWorkers::gpu}) {
    const LoopSchedule schedule(mesh, edges, workers, true);
    const std::vector<int> order = schedule.order();
    for (const LoopPart& part : all_of(schedule.parts(plan_of(mesh)))) {
      const EdgeRange& range = part.elements;
      ASSERT_FALSE(range.colours.empty());
      EXPECT_EQ(range.block == 1, workers == LoopWorkers::gpu);
      EXPECT_EQ(range.colours.front(), range.begin);
      for (std::size_t k = 0; k < range.colours.size(); ++k) {
        const ElementRange colour = range.colour(k);
        std::map<int, int> block_of_cell;
        for (int block = 0; block < block_count(colour, range.block); ++block) {
          const ElementRange of_block = block_of(colour, range.block, block);
          for (int at = of_block.begin; at < of_block.end; ++at)
            for (int side = 0; side < 2; ++side) {
              const int cell = mesh.maps[pecell].targets[2 * order[at] + side];
              EXPECT_EQ(block_of_cell.emplace(cell, block).first->second, block);
            }
        }
      }
    }
  }
}

/// Colours are for sets of which a map is written through.
TEST(LoopSchedule, ColoursFollowFromWhatIsWritten) {
  LocalMesh mesh = row_of_cells(30000, 0, 0);
  const auto schedules = schedule_loops(mesh, LoopWorkers::threads, true);
  ASSERT_EQ(schedules.size(), mesh.sets.size());
  const auto colours_of = [&](const LoopSchedule& schedule) {
    return schedule.parts(plan_of(mesh)).before_halos.front().elements.colours.size();
  };
  EXPECT_GT(colours_of(schedules[edges]), 0u);
  mesh.maps[pecell].written = false;
  EXPECT_EQ(colours_of(LoopSchedule(mesh, edges, LoopWorkers::threads, true)), 0u);
  // One target that all edges write to: no two blocks at once.
  mesh.sets.push_back({"whole", 1, 1, 0, 0, 0, {}, {}});
  mesh.maps.push_back({"pewhole", edges, 2, 1, true, std::vector<int>(30000, 0)});
  const LoopSchedule all(mesh, edges, LoopWorkers::threads, true);
  for (const LoopPart& part : all.parts(plan_of(mesh)).before_halos)
    EXPECT_EQ(static_cast<int>(part.elements.colours.size()),
              block_count({part.elements.begin, part.elements.end}, part.elements.block));
}

/// Against every element that is left, plainly.
TEST(DoneWithTargets, NoLaterElementRefersToThem) {
  Random random(11);
  for (int n = 0; n < 50; ++n) {
    LocalMap map{"random", 0, 1, 1 + random.below(3), true, {}};
    const int executed = random.below(40), targets = 1 + random.below(30);
    for (int at = 0; at < (executed + 5) * map.arity; ++at)  // some are not executed
      map.targets.push_back(random.below(targets + 10));     // some are not asked about
    const std::vector<int> done = done_with_targets(map, executed, targets);
    ASSERT_EQ(static_cast<int>(done.size()), executed + 1);
    for (int begin = 0; begin <= executed; ++begin) {
      int lowest = targets;
      for (int at = begin * map.arity; at < executed * map.arity; ++at)
        lowest = std::min(lowest, map.targets[at]);
      ASSERT_EQ(done[begin], lowest);
    }
  }
}

}  // namespace

}  // namespace bellwether
