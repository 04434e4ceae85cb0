// SPDX-License-Identifier: MIT
#include "models/amg/amg_extrapolation.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/amg/test_amg.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Four levels of a 3-D 7-point problem on 8 x 8 x 8 processes of 100^3 unknowns.
AmgHierarchy cube_hierarchy() {
  return {512,
          {{512e6, 512, {5.25, 6, 60000, 7}, {14, 20, 7500, 2}},
           {4e7, 512, {16, 24, 17000, 18}, {15, 22, 2200, 3}},
           {1e4, 512, {20, 26, 600, 50}, {5, 20, 40, 3}},
           {5, 5, {4, 4, 4, 5}, {}}}};
}

TEST(AmgExtrapolation, AKnownHierarchyStaysAsItIs) {
  const AmgHierarchy same = AmgFamily({cube_hierarchy()}).at(512e6, 512);
  EXPECT_EQ(to_json({same}), to_json({cube_hierarchy()}));
}

TEST(AmgExtrapolation, TheLawsLeadBackToTheKnownHierarchy) {
  // A part in a billion more unknowns are not the known problem, so that the laws are used.
  const AmgHierarchy near = AmgFamily({cube_hierarchy()}).at(512e6 * (1 + 1e-9), 512);
  ASSERT_EQ(near.levels.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    const AmgLevel known = cube_hierarchy().levels[i];
    EXPECT_NEAR(near.levels[i].unknowns, known.unknowns, 1e-6 * known.unknowns);
    EXPECT_NEAR(near.levels[i].active_processes, known.active_processes, 1e-3 * 512);
    EXPECT_NEAR(near.levels[i].solve.max_sends, known.solve.max_sends, 0.01);
    EXPECT_NEAR(near.levels[i].solve.average_sends, known.solve.average_sends, 0.01);
    EXPECT_NEAR(near.levels[i].solve.max_elements, known.solve.max_elements,
                1e-3 * known.solve.max_elements);
    EXPECT_NEAR(near.levels[i].solve.nonzeros_per_row, known.solve.nonzeros_per_row, 1e-3);
    EXPECT_NEAR(near.levels[i].interpolation.max_elements, known.interpolation.max_elements,
                1e-3 * known.interpolation.max_elements);
  }
}

TEST(AmgExtrapolation, SurfacesShrinkAsTheTwoThirdsPower) {
  const AmgHierarchy eighth = AmgFamily({cube_hierarchy()}).at(512e6, 4096);
  // Boxes of 50^3: a quarter of the faces, still six of them, fewer at the grid's ends.
  EXPECT_NEAR(eighth.levels[0].solve.max_elements, 15000, 200);
  EXPECT_NEAR(eighth.levels[0].solve.max_sends, 6, 0.05);
  EXPECT_NEAR(eighth.levels[0].solve.average_sends, 5.25 * (1 - 1 / 16.) / (1 - 1 / 8.), 0.1);
  EXPECT_EQ(eighth.levels[0].solve.nonzeros_per_row, 7);
  EXPECT_NEAR(eighth.levels[1].unknowns, 4e7, 1) << "coarsening ratios stay";
}

TEST(AmgExtrapolation, UnknownsFallOnProcessesAsBallsIntoBoxes) {
  const AmgHierarchy many = AmgFamily({cube_hierarchy()}).at(512e6, 32768);
  // 10^4 balls into 32768 boxes leave 32767/32768 to the 10^4 of them empty; the known hierarchy
  // has all of its 512 active where the law leaves one in 3 10^8 idle.
  const double occupied = 32768 * (1 - std::pow(32767. / 32768, 1e4));
  EXPECT_NEAR(many.levels[2].active_processes, occupied, 1e-3 * occupied);
  EXPECT_NEAR(many.levels[3].active_processes, 5, 0.05);
}

TEST(AmgExtrapolation, AverageReachCutsOffAtTheEnds) {
  // A 3-point stencil on a row of 10: 28 entries in 10 rows.
  EXPECT_NEAR(average_reach(3, 10), 2.8, 1e-12);
  // A 5-point stencil on a row of 10: 5 x 10 less 2 (2 + 1).
  EXPECT_NEAR(average_reach(5, 10), 4.4, 1e-12);
  EXPECT_EQ(average_reach(5, 2), 2) << "a row no longer than the stencil is reached as a whole";
}

TEST(AmgExtrapolation, PicksTheNearestUnknownsPerProcess) {
  AmgHierarchy small = cube_hierarchy();
  small.processes = 4096;
  small.levels[0].solve.nonzeros_per_row = 7.5;
  const AmgFamily family({cube_hierarchy(), small});
  EXPECT_NEAR(family.at(64e6, 64).levels[0].solve.nonzeros_per_row, 7, 0.05);
  EXPECT_NEAR(family.at(64e6, 512).levels[0].solve.nonzeros_per_row, 7.5, 0.05);
  EXPECT_TRUE(family.covers(512e6, 1024));
  EXPECT_FALSE(family.covers(512e6, 8192)) << "processes";
  EXPECT_FALSE(family.covers(1e6, 1024)) << "unknowns per process";
}

TEST(AmgExtrapolation, OneProcessSendsNothing) {
  const AmgHierarchy alone = AmgFamily({cube_hierarchy()}).at(1e6, 1);
  for (const AmgLevel& level : alone.levels) {
    EXPECT_EQ(level.solve.max_sends + level.interpolation.max_sends, 0);
    EXPECT_EQ(level.solve.max_elements + level.interpolation.max_elements, 0);
    EXPECT_EQ(level.active_processes, 1);
  }
}

TEST(AmgExtrapolation, WhatARunToldOfItsBusiestProcessStaysInProportion) {
  AmgHierarchy told = cube_hierarchy();
  told.ranks_per_node = 16;
  AmgLevel& finest = told.levels[0];
  finest.solve.busiest_rows = 1.1e6;  // a tenth more than the mean
  finest.solve.busiest_nonzeros = 7.7e6;
  finest.solve.total_nonzeros = 512e6 * 7;
  finest.solve.offd_share = 0.01;
  finest.solve.own_node_share = 0.6;
  finest.restriction = finest.interpolation;
  finest.restriction->max_sends = 10;
  EXPECT_EQ(to_json({AmgFamily({told}).at(512e6, 512)}), to_json({told}));
  const AmgHierarchy near = AmgFamily({told}).at(512e6 * (1 + 1e-9), 512);
  EXPECT_NEAR(near.levels[0].solve.busiest_rows, 1.1e6, 1e3);
  EXPECT_NEAR(near.levels[0].solve.busiest_nonzeros, 7.7e6, 1e4);
  EXPECT_NEAR(near.levels[0].solve.offd_share, 0.01, 1e-6);
  EXPECT_NEAR(near.levels[0].restriction->max_sends, 10, 0.01);
  EXPECT_EQ(near.levels[1].solve.busiest_rows, 0) << "not told";
  const AmgHierarchy eighth = AmgFamily({told}).at(512e6, 4096);
  EXPECT_NEAR(eighth.levels[0].solve.busiest_rows, 1.1e6 / 8, 1e3);
  EXPECT_NEAR(eighth.levels[0].solve.total_nonzeros, 512e6 * 7, 1);
  EXPECT_NEAR(eighth.levels[0].solve.offd_share, 0.02, 5e-4) << "as surface to volume";
  EXPECT_EQ(eighth.levels[0].solve.own_node_share, 0) << "of another placement";
  EXPECT_EQ(eighth.ranks_per_node, 0);
  EXPECT_EQ(AmgFamily({told}).at(1e6, 1).levels[0].solve.offd_share, 0);
}

TEST(AmgExtrapolation, RefusesWhatTellsNothing) {
  EXPECT_THROW(AmgFamily(std::vector<AmgHierarchy>{}), BadInput);
  EXPECT_THROW(AmgFamily(std::vector{AmgHierarchy{1, {}}}), BadInput);
  AmgHierarchy flat = cube_hierarchy();
  flat.levels[1].unknowns = flat.levels[0].unknowns;
  EXPECT_THROW(AmgFamily({flat}), BadInput);
  const AmgFamily serial(std::vector{AmgHierarchy{1, {{1000, 1, {0, 0, 0, 7}, {}}}}});
  EXPECT_EQ(serial.at(2000, 1).levels.size(), 1U);
  EXPECT_THROW((void)serial.at(2000, 2), BadInput);
}

RC_GTEST_PROP(AmgExtrapolation, EveryHierarchyIsPossible, ()) {
  const auto processes = *rc::gen::inRange(1, 1 << 20).as("processes");
  const double unknowns = std::exp(*rc::gen::inRange(0, 300).as("log unknowns") / 10.0);
  const AmgHierarchy made = AmgFamily({cube_hierarchy()}).at(unknowns, processes);
  RC_ASSERT(made.processes == processes);
  RC_ASSERT(made.levels.front().unknowns == unknowns);
  double last = INFINITY;
  for (const AmgLevel& level : made.levels) {
    RC_ASSERT(level.unknowns < last && level.unknowns >= 1);
    last = level.unknowns;
    RC_ASSERT(level.active_processes >= 1 && level.active_processes <= processes);
    RC_ASSERT(level.active_processes <= level.unknowns);
    RC_ASSERT(level.solve.nonzeros_per_row > 0);
    RC_ASSERT(level.solve.nonzeros_per_row <= level.unknowns);
    RC_ASSERT(local_share(level) > 0 && local_share(level) <= 1);
    for (const AmgOperator* one : {&level.solve, &level.interpolation}) {
      RC_ASSERT(one->average_sends >= 0 && one->average_sends <= one->max_sends);
      RC_ASSERT(one->max_sends <= level.active_processes - 1);
      RC_ASSERT(one->max_elements >= 0 && std::isfinite(one->max_elements));
    }
  }
  RC_ASSERT(last <= 9);
}

}  // namespace
}  // namespace bellwether
