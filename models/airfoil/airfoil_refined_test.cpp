// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "models/airfoil/airfoil_curve.hpp"
#include "models/airfoil/test_airfoil.hpp"
#include "models/errors.hpp"
#include "models/machine/machine_file.hpp"

namespace bellwether {
namespace {

constexpr AirfoilConditions blocking{.precision = "f64", .ranks = 72, .ranks_per_node = 24};

TEST(AirfoilRefined, EveryTermOnACpuCluster) {
  const Prediction p = refined_of(airfoil_machine(), airfoil_example(), blocking);
  EXPECT_NEAR(term(p, "compute.save_soln"), 1e-5, 1e-15);
  EXPECT_NEAR(term(p, "compute.adt_calc"), 4e-5, 1e-15);
  EXPECT_NEAR(term(p, "compute.res_calc"), 2 * 3e-9 * 19950, 1e-15);
  EXPECT_NEAR(term(p, "compute.bres_calc"), 2 * 4e-9 * 30, 1e-15);
  EXPECT_NEAR(term(p, "compute.redundant"), 2 * (3e-9 * 250 + 4e-9 * 10), 1e-15);
  EXPECT_NEAR(term(p, "compute.update"), 1e-4, 1e-15);
  // 400 cells of 5 values, each read and written, and an index in each of both arrays.
  EXPECT_NEAR(term(p, "pack"), 2 * 400 * (2 * 40 + 8) / 1e10, 1e-15);
  EXPECT_EQ(term(p, "unpack"), term(p, "pack"));
  // 100 cells with 2 neighbours through memory, 12 pairs at once; 300 with 3 through the card of
  // 12. Both directions of one message for both arrays, at a share of the bandwidth.
  const double near = 2 * (2 * 5e-7 + 2 * 12 * 50 * 40 / 4e9);
  const double far = 3 * (2 * 2e-6 + 2 * 12 * 100 * 40 / 1e9);
  EXPECT_NEAR(term(p, "network"), 2 * (near + far), 1e-12);
  // Two trees: 24 ranks within a node, 3 nodes.
  EXPECT_NEAR(term(p, "reduce"), 2 * (5 * (5e-7 + 8 / 4e9) + 2 * (2e-6 + 8 / 1e9)), 1e-15);
  EXPECT_EQ(term(p, "compute.colouring"), 0);
  EXPECT_EQ(p.form, "refined");
}

TEST(AirfoilRefined, FusedLoopsSaveAndReduceNothing) {
  AirfoilConditions fused = blocking;
  fused.sequence = AirfoilSequence::fused;
  const Prediction p = refined_of(airfoil_machine(), airfoil_example(), fused);
  std::vector<std::string> names;
  for (const Term& term : p.terms) names.push_back(term.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pack", "network", "unpack", "compute.res_calc",
                                             "compute.bres_calc", "compute.redundant",
                                             "compute.update_adt"}));
  EXPECT_NEAR(term(p, "compute.update_adt"), 2 * 6e-9 * 10000, 1e-15);
  const Prediction five = refined_of(airfoil_machine(), airfoil_example(), blocking);
  for (const char* name : {"pack", "compute.res_calc", "network", "compute.redundant"})
    EXPECT_EQ(term(p, name), term(five, name)) << name;

  Machine older = airfoil_machine();
  curve(older, AirfoilLoop::update_adt).clear();
  const Prediction apart = refined_of(older, airfoil_example(), fused);
  EXPECT_NEAR(term(apart, "compute.update_adt"), 2 * (2e-9 + 5e-9) * 10000, 1e-15);
  ASSERT_EQ(apart.outside_range.size(), p.outside_range.size() + 1);
  EXPECT_NE(apart.outside_range[apart.outside_range.size() - 2].find("update_adt not calibrated"),
            std::string::npos);
}

TEST(AirfoilRefined, StagesComputeNothingTwice) {
  AirfoilConditions gather = blocking;
  gather.sequence = AirfoilSequence::gather;
  const Prediction p = refined_of(airfoil_machine(), airfoil_example(), gather);
  std::vector<std::string> names;
  for (const Term& term : p.terms) names.push_back(term.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pack", "network", "unpack", "compute.stage"}));
  EXPECT_NEAR(term(p, "compute.stage"), 2 * 7e-9 * 10000, 1e-15);
  const Prediction five = refined_of(airfoil_machine(), airfoil_example(), blocking);
  for (const char* name : {"pack", "network"}) EXPECT_EQ(term(p, name), term(five, name)) << name;
}

/// One term for three loops; what other ranks compute too is the edges' as ever.
TEST(AirfoilRefined, TilesAreAStageAndComputeEdgesTwice) {
  AirfoilConditions tiled = blocking;
  tiled.sequence = AirfoilSequence::tiled;
  Machine machine = airfoil_machine();
  curve(machine, AirfoilLoop::tiled_stage) = {{1e4, Quantity::exact(9e-9)}};
  const Prediction p = refined_of(machine, airfoil_example(), tiled);
  std::vector<std::string> names;
  for (const Term& term : p.terms) names.push_back(term.name);
  EXPECT_EQ(names, (std::vector<std::string>{"pack", "network", "unpack", "compute.stage",
                                             "compute.redundant"}));
  EXPECT_NEAR(term(p, "compute.stage"), 2 * 9e-9 * 10000, 1e-15);
  const Prediction five = refined_of(machine, airfoil_example(), blocking);
  for (const char* name : {"pack", "network", "compute.redundant"})
    EXPECT_EQ(term(p, name), term(five, name)) << name;
  tiled.overlap = true;
  EXPECT_NEAR(refined_of(machine, airfoil_example(), tiled).hiding_s, 2 * 9e-9 * 9600, 1e-15);

  curve(machine, AirfoilLoop::tiled_stage).clear();
  const auto notes = refined_of(machine, airfoil_example(), tiled).outside_range;
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const auto& note) {
    return note.find("tiled_stage not calibrated: res_calc and update_adt") != std::string::npos;
  }));
}

TEST(AirfoilRefined, BetweenTheStagesOfALoneGpuIsAGap) {
  AirfoilConditions gather = blocking;
  gather.sequence = AirfoilSequence::gather;
  Machine machine = airfoil_gpu();
  machine.device.between_kernels_s = Quantity::exact(2e-6);
  AirfoilWorkload lone = airfoil_example();
  lone.neighbours = 0;
  const auto has_gap = [](const Prediction& p) { return p.terms.back().name == "other"; };
  const Prediction alone = refined_of(machine, lone, gather);
  ASSERT_TRUE(has_gap(alone));
  EXPECT_EQ(alone.terms.back().seconds, 4e-6);
  EXPECT_FALSE(has_gap(refined_of(machine, airfoil_example(), gather)));
  EXPECT_FALSE(has_gap(refined_of(airfoil_gpu(), lone, gather)));
}

/// 150 and 250 edges are cut: 9600 of 10000 cells have no neighbour elsewhere.
TEST(AirfoilRefined, StagesHideBehindTheCellsAmongThemselves) {
  AirfoilConditions gather{.precision = "f64", .ranks = 36, .ranks_per_node = 1};
  gather.sequence = AirfoilSequence::gather;
  AirfoilWorkload work = airfoil_example();
  work.near_cells = work.near_neighbours = 0;
  const Prediction off = refined_of(airfoil_gpu(), work, gather);
  EXPECT_NEAR(term(off, "compute.stage"), 2 * (7e-9 * 10000 + 5e-6), 1e-15);
  gather.overlap = true;
  const Prediction on = refined_of(airfoil_gpu(), work, gather);
  EXPECT_NEAR(term(on, "compute.stage"), 2 * (7e-9 * 10000 + 2 * 5e-6), 1e-15);
  EXPECT_NEAR(on.hiding_s, 2 * 7e-9 * 9600, 1e-15);
  const double copies = 2e-5 + 400 * 40 / 2e9 + 1e-5 + 400 * 40 / 3e9;
  const double messages = 5 * (2 * 2e-6 + 2 * 80 * 40 / 1e9);
  EXPECT_NEAR(term(on, "network"), 2 * std::max(0., copies + messages - 7e-9 * 9600), 1e-15);
  EXPECT_NEAR(term(off, "network") + term(off, "copy.to_host") + term(off, "copy.to_device"),
              2 * (copies + messages), 1e-15);
}

TEST(AirfoilRefined, StagesThatWereNotMeasuredTakeTheirBytesAndSaySo) {
  AirfoilConditions gather = blocking;
  gather.sequence = AirfoilSequence::gather;
  Machine machine = airfoil_machine();
  const std::size_t notes = refined_of(machine, airfoil_example(), gather).outside_range.size();
  curve(machine, AirfoilLoop::stage).clear();
  const Prediction p = refined_of(machine, airfoil_example(), gather);
  EXPECT_NEAR(term(p, "compute.stage"), 2 * 10000 * 152 / 1e10, 1e-15);
  ASSERT_EQ(p.outside_range.size(), notes + 1);
  EXPECT_TRUE(std::any_of(p.outside_range.begin(), p.outside_range.end(), [](const auto& note) {
    return note.find("stage not calibrated") != std::string::npos;
  }));
}

TEST(AirfoilRefined, SaysWhereEdgesWereCalibratedInAnotherWay) {
  Machine machine = airfoil_machine();
  AirfoilConditions conditions{.precision = "f64", .increments = "colours"};
  const AirfoilWorkload work{.cells = 1e4, .core_edges = 1e4, .bedges = 1e4};
  const auto notes = [&] { return refined_of(machine, work, conditions).outside_range; };
  EXPECT_TRUE(notes().empty()) << "the machine does not say";
  section<AirfoilParameters>(machine)->increments = "colours";
  EXPECT_TRUE(notes().empty());
  conditions.increments = "atomics";
  EXPECT_EQ(notes(), (std::vector<std::string>{"airfoil.increments: res_calc and bres_calc "
                                               "calibrated with colours, not atomics"}));
  conditions.sequence = AirfoilSequence::gather;
  EXPECT_TRUE(notes().empty()) << "no edge increments anything";
}

TEST(AirfoilRefined, ACpuCopiesStagedHalosItself) {
  Machine machine = airfoil_machine();
  machine.links["staging"] = exact_link(1e-7, 5e9);
  AirfoilConditions conditions = blocking;
  for (const bool overlap : {false, true}) {
    conditions.overlap = overlap;
    conditions.staged = true;
    const Prediction p = refined_of(machine, airfoil_example(), conditions);
    EXPECT_NEAR(term(p, "copy.to_host"), 2 * (1e-7 + 400 * 40 / 5e9), 1e-15);
    EXPECT_NEAR(term(p, "copy.to_device"), 2 * (1e-7 + 400 * 40 / 5e9), 1e-15);
    conditions.staged = false;
    EXPECT_EQ(term(refined_of(machine, airfoil_example(), conditions), "copy.to_host"), 0);
  }
}

TEST(AirfoilRefined, NeighboursAtOnceAddAGapEach) {
  Machine machine = airfoil_machine();
  Link& link = machine.links["network"];
  link.exchange = exact_link(4e-6, 1e9).one_way;
  link.gap = exact_link(1e-6, 2e9).one_way;
  AirfoilWorkload work = airfoil_example();
  work.near_cells = work.near_neighbours = 0;
  const AirfoilConditions apart{.precision = "f64", .ranks = 72, .ranks_per_node = 1};
  EXPECT_NEAR(term(refined_of(machine, work, apart), "network"),
              2 * (4e-6 + 80 * 40 / 1e9 + 4 * (1e-6 + 80 * 40 / 2e9)), 1e-15);
  work.neighbours = 1;
  EXPECT_NEAR(term(refined_of(machine, work, apart), "network"), 2 * (4e-6 + 400 * 40 / 1e9),
              1e-15);
}

TEST(AirfoilRefined, HidesOnlyWhatGoesOnAlone) {
  AirfoilConditions overlapping = blocking;
  overlapping.overlap = true;
  AirfoilWorkload work = airfoil_example();
  work.core_edges = 1e6;  // more than enough to hide everything
  const double near = 2 * (2 * 5e-7 + 2 * 12 * 50 * 40 / 4e9);
  const Prediction p = refined_of(airfoil_machine(), work, overlapping);
  EXPECT_NEAR(term(p, "network"), 2 * near, 1e-12);  // a rank's own core copies in memory
  Machine measured = airfoil_machine();
  measured.links["network"].exposed_exchange = {{1, Quantity::exact(0.75)}};
  const double far = 3 * (2 * 2e-6 + 2 * 12 * 100 * 40 / 1e9);
  EXPECT_NEAR(term(refined_of(measured, work, overlapping), "network"), 2 * (near + 0.75 * far),
              1e-12);
}

TEST(AirfoilRefined, WhatASweepAddsIsTheWaitOfAnnouncementsAndTheNetwork) {
  const AirfoilWorkload work = airfoil_example();
  Machine machine = airfoil_machine();
  // 15 values of f64 and eight indices a cell.
  const double swept = 10000 * (15 * 8 + 8 * 4);
  ASSERT_EQ(work.cells, 10000);
  const auto sweep = [&](double mpi_s, double halo_s) {
    return std::vector<SweptExchange>{
        {swept, {{8, Quantity::exact(mpi_s)}, {300 * 40, Quantity::exact(halo_s)}}},
        {2 * swept, {{8, Quantity::exact(1)}}}};
  };
  for (const bool overlap : {false, true}) {
    AirfoilConditions conditions = blocking;
    conditions.overlap = overlap;
    const Prediction warm = refined_of(machine, work, conditions);
    Machine cold = machine;
    cold.links["network"].after_sweep = sweep(3e-6, 8e-6);
    cold.links["shared_memory"].after_sweep = sweep(2e-6, 7.9e-6);
    const Prediction p = refined_of(cold, work, conditions);
    EXPECT_NEAR(term(p, "wait") - term(warm, "wait"), 2 * 3e-6, 1e-15)
        << "the longer of both paths, in each call";
    EXPECT_NEAR(term(p, "network") - term(warm, "network"), 2 * 5e-6, 1e-15) << overlap;
  }
}

TEST(AirfoilRefined, GpuColoursAreATermOfTheirOwn) {
  const AirfoilConditions conditions{.precision = "f64", .ranks = 36, .ranks_per_node = 1};
  AirfoilWorkload work = airfoil_example();
  work.near_cells = work.near_neighbours = 0;
  const Prediction p = refined_of(airfoil_gpu(), work, conditions);
  // Own edges and redundant ones are calls of their own, each in all colours.
  EXPECT_NEAR(term(p, "compute.colouring"), 2 * 2 * ((6 - 1) + (2 - 1)) * 5e-6, 1e-15);
  EXPECT_NEAR(term(p, "compute.res_calc"), 2 * (3e-9 * 19950 + 5e-6), 1e-15);
  EXPECT_NEAR(term(p, "compute.redundant"), 2 * (3e-9 * 250 + 4e-9 * 10 + 2 * 5e-6), 1e-15);
  EXPECT_NEAR(term(p, "copy.to_host"), 2 * (2e-5 + 400 * 40 / 2e9), 1e-15);
  EXPECT_NEAR(term(p, "copy.to_device"), 2 * (1e-5 + 400 * 40 / 3e9), 1e-15);
  EXPECT_NEAR(term(p, "pack"), 2 * (400 * 88 / 1e10 + 2 * 5e-6), 1e-15);
  AirfoilConditions overlapping = conditions;
  overlapping.overlap = true;
  work.core_edges = 1000;  // 3 us to hide behind
  const Prediction exposed = refined_of(airfoil_gpu(), work, overlapping);
  EXPECT_EQ(term(exposed, "copy.to_host"), 0);
  const double copies = 2e-5 + 400 * 40 / 2e9 + 1e-5 + 400 * 40 / 3e9;
  const double messages = 5 * (2 * 2e-6 + 2 * 80 * 40 / 1e9);
  EXPECT_NEAR(term(exposed, "network"), 2 * (copies + messages - 3e-6), 1e-15);
  AirfoilConditions direct = conditions;
  direct.staged = false;
  EXPECT_EQ(term(refined_of(airfoil_gpu(), work, direct), "copy.to_host"), 0);
  // The same computation as in the paper's form, whose loops hold all launches.
  const Prediction paper =
      paper_of(airfoil_gpu(), {.cells = 1e4, .core_edges = 2e4, .bedges = 9}, {.precision = "f64"});
  const Prediction refined = refined_of(
      airfoil_gpu(), {.cells = 1e4, .core_edges = 2e4, .bedges = 9}, {.precision = "f64"});
  EXPECT_NEAR(paper.total_s, refined.total_s, 1e-15);
}

TEST(AirfoilRefined, SaysWhereTheLoopsWereNotCalibrated) {
  const Prediction p =
      refined_of(airfoil_machine(), {.cells = 1e4, .core_edges = 2e4}, {.precision = "f64"});
  ASSERT_EQ(p.outside_range.size(), 1u);
  EXPECT_EQ(p.outside_range[0],
            "airfoil.loops: sets of other sizes than calibrated, at the nearest's cost per "
            "element: res_calc");
}

TEST(AirfoilScaling, SaysWhereSetSizesComeFrom) {
  const Machine machine = airfoil_machine();
  AirfoilStudy study{.mesh = {40, 60}, .most_counted_ranks = 64};
  const auto points = airfoil_curve(
      machine, study, {.ranks = {1, 64, 65}, .overlap = {false, true}, .ranks_per_node = 24});
  ASSERT_EQ(points.size(), 12u);
  EXPECT_EQ(points[0].layout, "counted");
  EXPECT_EQ(points[4].choice.at("halo_sizes"), "counted");
  EXPECT_EQ(points[8].layout, "fitted");
  EXPECT_NE(points[8].prediction.outside_range.back().find("halo sizes fitted, not counted"),
            std::string::npos);
  EXPECT_EQ(points[0].form, "paper");
  EXPECT_EQ(points[1].form, "refined");
  EXPECT_FALSE(points[1].overlap);
  EXPECT_TRUE(points[2].overlap);
  study.halo_sizes = "counted";
  const auto counted =
      airfoil_curve(machine, study,
                    {.ranks = {65}, .overlap = {false}, .forms = {"paper"}, .ranks_per_node = 24});
  EXPECT_NEAR(points[8].prediction.total_s, counted[0].prediction.total_s,
              0.1 * counted[0].prediction.total_s);
  EXPECT_THROW(airfoil_curve(machine, study, {.ranks = {7201}}), BadInput);
}

TEST(AirfoilScaling, MachineFilesGiveTheRunsTheyWereFittedTo) {
  const auto seconds = [](const char* machine, int ranks, int ranks_per_node) {
    return 1000 * airfoil_curve(find_machine(machine), {.mesh = {400, 600}},
                                {.ranks = {ranks},
                                 .overlap = {true},
                                 .forms = {"paper"},
                                 .ranks_per_node = ranks_per_node})[0]
                      .prediction.total_s;
  };
  EXPECT_NEAR(seconds("hector", 72, 24), 13.22, 0.005);
  EXPECT_NEAR(seconds("cx1", 36, 12), 20.66, 0.005);
  EXPECT_NEAR(seconds("c2070-cluster", 1, 1), 13.20, 0.005);
}

TEST(AirfoilRefined, ImbalanceIsOfTheCells) {
  const Machine machine = airfoil_machine();
  AirfoilConditions conditions{.precision = "f64", .ranks = 8, .ranks_per_node = 8};
  EXPECT_EQ(refined_of(machine, airfoil_example(), conditions).imbalance_s, 0) << "mean not known";
  conditions.mean_cells = 8000;  // of 10000
  for (const Prediction& p : {refined_of(machine, airfoil_example(), conditions),
                              paper_of(machine, airfoil_example(), conditions)}) {
    double computed = 0;
    for (const Term& one : p.terms)
      if (one.name.starts_with("compute.")) computed += one.seconds;
    EXPECT_NEAR(p.imbalance_s, computed / 5, 1e-12 * computed) << p.form;
  }
}

}  // namespace
}  // namespace bellwether
