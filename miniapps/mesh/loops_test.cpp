// SPDX-License-Identifier: MIT
#include "miniapps/mesh/loops.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace bellwether {
namespace {

enum Set { nodes, cells, edges, bedges };
enum Map { pcell, pedge, pecell, pbedge, pbecell };
enum Data { x, q, q_old, adt, res, bound };
constexpr int direct = LoopArgument::direct;

/// A rank's part of an Airfoil mesh, sizes made up.
LocalMesh airfoil() {
  LocalMesh mesh;
  mesh.sets = {{"nodes", 1000, 100, 0, 0, 12, {}, {}},
               {"cells", 900, 80, 10, 0, 11, {}, {}},
               {"edges", 1800, 150, 20, 9, 0, {}, {}},
               {"bedges", 40, 7, 1, 0, 0, {}, {}}};
  mesh.maps = {{"pcell", cells, nodes, 4, false, {}},
               {"pedge", edges, nodes, 2, false, {}},
               {"pecell", edges, cells, 2, true, {}},
               {"pbedge", bedges, nodes, 2, false, {}},
               {"pbecell", bedges, cells, 1, true, {}}};
  return mesh;
}

const std::vector<LoopData> airfoil_data = {{"x", nodes},   {"q", cells},   {"q_old", cells},
                                            {"adt", cells}, {"res", cells}, {"bound", bedges}};

const ParallelLoop save_soln{
    "save_soln", cells, {{q, direct, Access::read}, {q_old, direct, Access::write}}};
const ParallelLoop adt_calc{
    "adt_calc",
    cells,
    {{x, pcell, Access::read}, {q, direct, Access::read}, {adt, direct, Access::write}}};
const ParallelLoop res_calc{"res_calc",
                            edges,
                            {{x, pedge, Access::read},
                             {q, pecell, Access::read},
                             {adt, pecell, Access::read},
                             {res, pecell, Access::increment}}};
const ParallelLoop bres_calc{"bres_calc",
                             bedges,
                             {{x, pbedge, Access::read},
                              {q, pbecell, Access::read},
                              {adt, pbecell, Access::read},
                              {res, pbecell, Access::increment},
                              {bound, direct, Access::read}}};
const ParallelLoop update{"update",
                          cells,
                          {{q_old, direct, Access::read},
                           {q, direct, Access::write},
                           {res, direct, Access::read_write},
                           {adt, direct, Access::read}}};

void expect_plan(const LoopPlan& plan, std::vector<int> exchanges, int before, int executed) {
  EXPECT_EQ(plan.exchanges, exchanges);
  EXPECT_EQ(plan.before_halos, before);
  EXPECT_EQ(plan.executed, executed);
}

TEST(LoopHalos, AirfoilExchangesBeforeResCalcAlone) {
  const LocalMesh mesh = airfoil();
  LoopHalos halos(mesh, airfoil_data);
  for (int iteration = 0; iteration < 3; ++iteration) {
    expect_plan(halos.call(save_soln), {}, 90, 90);
    for (int stage = 0; stage < 2; ++stage) {
      expect_plan(halos.call(adt_calc), {}, 90, 90);
      // The very first q is everywhere; from then on update has written it.
      const bool first = iteration == 0 && stage == 0;
      expect_plan(halos.call(res_calc), first ? std::vector<int>{adt} : std::vector<int>{q, adt},
                  150, 179);
      expect_plan(halos.call(bres_calc), {}, 8, 8);
      expect_plan(halos.call(update), {}, 90, 90);
    }
  }
}

TEST(LoopHalos, WhatIsWrittenDirectlyIsExchangedOnce) {
  const LocalMesh mesh = airfoil();
  LoopHalos halos(mesh, airfoil_data);
  expect_plan(halos.call(bres_calc), {}, 8, 8);
  expect_plan(halos.call({"set q", cells, {{q, direct, Access::write}}}), {}, 90, 90);
  expect_plan(halos.call(bres_calc), {q}, 7, 8);
  expect_plan(halos.call(bres_calc), {}, 8, 8);
}

TEST(LoopHalos, WhereImportsAreExecutedWhatTheyReadDirectlyIsNeededToo) {
  LocalMesh mesh = airfoil();
  mesh.sets[bedges].ieh = 3;
  LoopHalos halos(mesh, airfoil_data);
  expect_plan(halos.call({"set flags", bedges, {{bound, direct, Access::write}}}), {}, 8, 8);
  expect_plan(halos.call({"flags", bedges, {{bound, direct, Access::read}}}), {}, 8, 8);
  expect_plan(halos.call(bres_calc), {bound}, 7, 11);
  // Written by a loop that executes the imports, its halos are still taken to be out of date: those
  // that are read and not executed are.
  const ParallelLoop both{
      "both", bedges, {{res, pbecell, Access::increment}, {bound, direct, Access::read_write}}};
  expect_plan(halos.call(both), {}, 11, 11);
  expect_plan(halos.call(both), {bound}, 7, 11);
}

TEST(LoopHalos, ReadingAndWritingThroughAMapExchangesEachTime) {
  const LocalMesh mesh = airfoil();
  LoopHalos halos(mesh, airfoil_data);
  const ParallelLoop smooth{"smooth", edges, {{q, pecell, Access::read_write}}};
  expect_plan(halos.call(smooth), {}, 179, 179);
  expect_plan(halos.call(smooth), {q}, 150, 179);
  // Twice the same data: one exchange.
  const ParallelLoop twice{"twice", edges, {{q, pecell, Access::read}, {q, pecell, Access::read}}};
  expect_plan(halos.call(twice), {q}, 150, 170);
}

TEST(LoopHalos, LoopsThatDoNotFitTheMeshAreRefused) {
  const LocalMesh mesh = airfoil();
  LoopHalos halos(mesh, airfoil_data);
  const auto refused = [&](int set, LoopArgument argument) {
    EXPECT_THROW((void)halos.call({"wrong", set, {argument}}), std::invalid_argument);
  };
  refused(4, {q, direct, Access::read});
  refused(cells, {6, direct, Access::read});
  refused(cells, {x, direct, Access::read});
  refused(cells, {q, 5, Access::read});
  refused(cells, {q, pecell, Access::read});
  refused(edges, {q, pedge, Access::read});
  refused(edges, {x, pedge, Access::increment});
}

}  // namespace
}  // namespace bellwether
