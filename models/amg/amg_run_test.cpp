// SPDX-License-Identifier: MIT
#include "models/amg/amg_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/amg/amg_extrapolation.hpp"
#include "models/amg/amg_kernel.hpp"
#include "models/amg/amg_neighbours.hpp"
#include "models/amg/test_amg.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

const AmgPlacement two_nodes = {
    .nodes = 2, .processes = 4, .ranks_per_node = 2, .threads_per_rank = 1};

// A message each way within the node, and one between nodes whose two ranks share the network.
constexpr double near_s(double bytes) { return 2 * (5e-7 + bytes / 4e9); }
constexpr double far_s(double bytes) { return 2 * (2e-6 + 2 * bytes / 1e9); }
constexpr double call = 1e-6, entry = 1e-9;

std::vector<AmgRunLevel> levels(const AmgVariant& variant, bool overlap = false, double again = 1) {
  const Machine machine = calibrated_machine(again);
  return levels_of(machine, told_hierarchy(), two_nodes, variant, overlap);
}

TEST(AmgRun, AnExampleByHand) {
  const auto times = levels({});
  ASSERT_EQ(times.size(), 2U);
  // 100 doubles in two messages; 7700 entries.
  EXPECT_NEAR(times[0].relax.compute_s, 2 * (call + 2 * entry * 7700), 1e-15);
  EXPECT_NEAR(times[0].relax.network_s, 2 * (near_s(400) + far_s(400)), 1e-15);
  EXPECT_NEAR(times[0].residual.compute_s, call + entry * 7700, 1e-15);
  EXPECT_NEAR(times[0].residual.network_s, near_s(400) + far_s(400), 1e-15);
  EXPECT_NEAR(times[0].interpolation.compute_s, call + 4 * entry * 5500, 1e-15);
  EXPECT_NEAR(times[0].interpolation.network_s, near_s(160) + far_s(160), 1e-15);
  EXPECT_NEAR(times[0].restriction.compute_s, call + 5 * entry * 5500, 1e-15);
  EXPECT_NEAR(times[0].restriction.network_s, near_s(240) + far_s(240), 1e-15);
  EXPECT_EQ(times[0].coarse_solve.compute_s + times[0].coarse_solve.network_s, 0);
  // 8 unknowns: 8^3/3 + 3 8^2/2 multiplications; a stage within the nodes and one between them.
  EXPECT_NEAR(times[1].coarse_solve.compute_s, call + 2 * entry * (512 / 3. + 96), 1e-15);
  EXPECT_NEAR(times[1].coarse_solve.network_s, 5e-7 + 8 / 4e9 + 2e-6 + 8 / 1e9, 1e-15);
  EXPECT_EQ(times[1].relax.compute_s + times[1].residual.compute_s, 0);
}

TEST(AmgRun, ProductsHideWhatTheNetworkCarriesAlone) {
  const auto off = levels({}), on = levels({}, true);
  EXPECT_EQ(on[0].relax.network_s, off[0].relax.network_s) << "needs its neighbours first";
  // Shared memory hides nothing; nine tenths of the entries hide what is between the nodes.
  const double hidden = std::min(0.9 * (call + entry * 7700), far_s(400));
  EXPECT_NEAR(off[0].residual.network_s - on[0].residual.network_s, hidden, 1e-15);
  EXPECT_NEAR(off[0].restriction.network_s - on[0].restriction.network_s,
              std::min(0.8 * (call + 5 * entry * 5500), far_s(240)), 1e-15);
  const AmgVariant jacobi{.relax = "l1-jacobi"};
  EXPECT_LT(levels(jacobi, true)[0].relax.network_s, levels(jacobi)[0].relax.network_s);
  const Prediction whole =
      predict_amg_run(calibrated_machine(), told_hierarchy(), two_nodes, {}, "refined", true);
  EXPECT_GT(whole.hidden_fraction, 0);
  EXPECT_LT(whole.hidden_fraction, 1);
}

TEST(AmgRun, MessagesTakeLongerAfterTheirOperatorsWereSwept) {
  Machine machine = calibrated_machine();
  const AmgOperator finest = told_hierarchy().levels[0].solve;
  const double swept = 12 * finest.busiest_nonzeros + 16 * finest.busiest_rows;
  for (const auto& [name, added_s] : {std::pair("shared_memory", 3e-6), std::pair("network", 7e-6)})
    machine.links.at(name).after_sweep = {{swept, {{8, Quantity::exact(added_s)}}}};
  for (const bool overlap : {false, true}) {
    const auto cold = levels_of(machine, told_hierarchy(), two_nodes, {}, overlap);
    const auto warm = levels({}, overlap);
    EXPECT_NEAR(cold[0].residual.network_s - warm[0].residual.network_s, 7e-6, 1e-15)
        << "the longer of both paths, and never hidden";
    EXPECT_LE(cold[0].interpolation.network_s - warm[0].interpolation.network_s, 7e-6 + 1e-15);
    EXPECT_GT(cold[0].interpolation.network_s, warm[0].interpolation.network_s);
  }
}

TEST(AmgRun, WhatARelaxationGoesThrough) {
  const double exchange = near_s(400) + far_s(400);
  const auto relax = [](const AmgVariant& variant) { return levels(variant)[0].relax; };
  EXPECT_NEAR(relax({.sweeps = 3}).compute_s, 6 * (call + 2 * entry * 7700), 1e-15);
  EXPECT_NEAR(relax({.sweeps = 3}).network_s, 6 * exchange, 1e-15);
  EXPECT_NEAR(relax({.relax = "l1-gauss-seidel"}).compute_s, 2 * (call + 2 * entry * 7700), 1e-15);
  EXPECT_NEAR(relax({.relax = "l1-gauss-seidel"}).network_s, 2 * exchange, 1e-15);
  EXPECT_NEAR(relax({.relax = "l1-jacobi"}).compute_s, 2 * (call + entry * (7700 + 2 * 1100)),
              1e-15);
  EXPECT_NEAR(relax({.relax = "chebyshev"}).compute_s,
              4 * (call + entry * 7700) + 2 * 4.75 * entry * 1100, 1e-14);
  EXPECT_NEAR(relax({.relax = "chebyshev"}).network_s, 4 * exchange, 1e-15);
  EXPECT_THROW(relax({.relax = "kaczmarz"}), BadInput);
  EXPECT_THROW(predict_amg_run(small_machine(), small_hierarchy(), small_placement(),
                               {.relax = "kaczmarz"}, false),
               BadInput);
}

TEST(AmgRun, CachesHoldWhatWasUsedJustBefore) {
  const double again = 0.25;
  const auto times = levels({}, false, again);
  const double product = call + entry * 7700, sweep = call + 2 * entry * 7700;
  // All of it fits wherever it comes back from.
  EXPECT_NEAR(times[0].residual.compute_s, again * product, 1e-15);
  EXPECT_NEAR(times[0].relax.compute_s, 2 * again * sweep, 1e-15);
  // A level of 10^5 rows in caches that hold what its matrix takes, but not a transfer more.
  Machine machine = calibrated_machine();
  AmgKernelParameters& kernels = *section<AmgParameters>(machine)->kernels;
  AmgHierarchy hierarchy = told_hierarchy();
  hierarchy.levels[0].solve.busiest_rows = 1e5;
  hierarchy.levels[0].solve.busiest_nonzeros = 1e6;
  const double own = amg_operator_bytes(1e5, 1e6);
  const auto products = [&](double slower) {
    AmgKernelCurve curve{10, {}};
    for (const double rows : {1e5, 1.001e5, 1e6}) {
      const double seconds = slower * entry * rows * 10;
      curve.times.push_back({rows, Quantity::exact(seconds),
                             Quantity::exact(rows > 1e5 ? seconds : again * seconds)});
    }
    return AmgKernelTable{curve};
  };
  kernels.spmv = products(1);
  kernels.gauss_seidel = products(2);
  const auto held = [&](const AmgVariant& variant) {
    return levels_of(machine, hierarchy, two_nodes, variant, false)[0];
  };
  ASSERT_GT(amg_operator_bytes(1100, 5500), 1e-3 * own);
  EXPECT_NEAR(held({}).residual.compute_s, again * entry * 1e6, 1e-9);
  EXPECT_NEAR(held({}).relax.compute_s, (again + 1) * 2 * entry * 1e6, 1e-9)
      << "down after going up, and up after the coarser level";
  EXPECT_NEAR(held({.sweeps = 2}).relax.compute_s, (3 * again + 1) * 2 * entry * 1e6, 1e-9);
}

TEST(AmgRun, OneRankSendsNothing) {
  AmgHierarchy alone = AmgFamily({told_hierarchy()}).at(4000, 1);
  const Prediction one =
      predict_amg_run(calibrated_machine(), alone, {}, {.solver = "pcg"}, "refined", false);
  for (const Term& term : one.terms) EXPECT_TRUE(term.name.starts_with("compute.")) << term.name;
  EXPECT_GT(amg_term(one, "compute.krylov"), 0);
  EXPECT_TRUE(one.outside_range.empty());
}

TEST(AmgRun, BeforeThereAreLevelsItSaysWhatLinksAreMissing) {
  for (const char* solver : {"amg", "pcg"})
    for (Machine machine : {small_machine(), calibrated_machine()}) {
      const AmgVariant variant{.solver = solver};
      for (const Prediction& form : predict_amg_run(machine, {4, {}}, two_nodes, variant, false))
        EXPECT_EQ(form.total_s, 0);
      machine.links.clear();
      EXPECT_THROW(predict_amg_run(machine, {4, {}}, two_nodes, variant, false), BadInput);
    }
}

TEST(AmgRun, TermsByGroupsOfLevels) {
  const auto names = [](const Prediction& prediction) {
    std::vector<std::string> all;
    for (const Term& term : prediction.terms) all.push_back(term.name);
    return all;
  };
  const std::vector<std::string> expected = {"compute.finest",   "network.finest",
                                             "compute.next",     "network.next",
                                             "compute.coarsest", "network.coarsest"};
  for (const Machine& machine : {small_machine(), calibrated_machine()})
    for (const Prediction& form :
         predict_amg_run(machine, small_hierarchy(),
                         {.nodes = 4, .processes = 8, .ranks_per_node = 2}, {}, true)) {
      auto found = names(form), sorted = expected;
      std::sort(found.begin(), found.end());
      std::sort(sorted.begin(), sorted.end());
      EXPECT_EQ(found, sorted) << form.form;
    }
  const auto run = [](const char* solver) {
    return predict_amg_run(calibrated_machine(), told_hierarchy(), two_nodes, {.solver = solver},
                           "refined", false);
  };
  const Prediction amg = run("amg"), pcg = run("pcg");
  // 16 doubles of 1100 rows at 1 GB/s beside a product, and three reductions.
  EXPECT_NEAR(amg_term(pcg, "compute.krylov"), call + entry * 7700 + 16 * 8 * 1100 / 1e9, 1e-12);
  EXPECT_NEAR(amg_term(pcg, "network.finest") - amg_term(amg, "network.finest"),
              near_s(400) + far_s(400), 1e-12);
  EXPECT_NEAR(amg_term(pcg, "reduce"), 3 * (5e-7 + 8 / 4e9 + 2e-6 + 8 / 1e9), 1e-12);
  EXPECT_EQ(amg_term(amg, "reduce"), -1);
}

TEST(AmgRun, WithoutCalibrationItIsTheModelOfThePaper) {
  const Prediction paper =
      predict_amg_run(small_machine(), small_hierarchy(), small_placement(), {}, "paper", false);
  const Machine machine = small_machine();
  double finest_s = 0;
  for (const AmgStepOperation& one :
       amg_cycle_paper(small_hierarchy(), small_placement(),
                       AmgCosts(machine, small_placement(), false, Bound::value, nullptr))
           .operations)
    finest_s += one.level == 0 ? one.compute_s : 0;
  EXPECT_NEAR(amg_term(paper, "compute.finest"), finest_s, 1e-18)
      << "an interpolation belongs to the level that it leads to";
  // Two sweeps on each side are five products for three.
  const Prediction more = predict_amg_run(small_machine(), small_hierarchy(), small_placement(),
                                          {.sweeps = 2}, "paper", false);
  EXPECT_NEAR(amg_term(more, "compute.coarsest") / amg_term(paper, "compute.coarsest"), 5 / 3.,
              1e-12);
}

TEST(AmgRun, ThePapersFormTakesItsFlopTimesFromCalibratedProducts) {
  const AmgPlacement placement{.nodes = 1, .processes = 8, .ranks_per_node = 8};
  AmgHierarchy alone = small_hierarchy();
  const Machine machine = calibrated_machine();
  const auto times = paper_levels(
      amg_cycle_paper(alone, placement, AmgCosts(machine, placement, false, Bound::value, nullptr)),
      alone.levels.size());
  EXPECT_NEAR(times[0].smooth.compute_s, 3 * (call + entry * 125 * 7), 1e-15);
}

TEST(AmgRun, SaysWhatWasNotCalibrated) {
  const auto notes = [](const Machine& machine, const AmgHierarchy& hierarchy,
                        const AmgPlacement& placement) {
    std::string all;
    for (const std::string& note :
         predict_amg_run(machine, hierarchy, placement, {}, "refined", false).outside_range)
      all += note + "; ";
    return all;
  };
  EXPECT_EQ(notes(calibrated_machine(), told_hierarchy(), two_nodes).find("amg"),
            std::string::npos);
  AmgPlacement threads = two_nodes;
  threads.threads_per_rank = 4;
  EXPECT_NE(notes(calibrated_machine(), told_hierarchy(), threads)
                .find("calibrated with 1 thread of a rank, asked for 4"),
            std::string::npos);
  AmgHierarchy dense = told_hierarchy();
  dense.levels[0].solve.busiest_nonzeros *= 20;
  EXPECT_NE(notes(calibrated_machine(), dense, two_nodes).find("level 0 has 1100 rows of 140.0"),
            std::string::npos);
  AmgHierarchy elsewhere = told_hierarchy();
  elsewhere.ranks_per_node = 4;
  EXPECT_NE(notes(calibrated_machine(), elsewhere, two_nodes).find("within a node: estimated"),
            std::string::npos);
  EXPECT_NE(
      notes(small_machine(), small_hierarchy(), {.nodes = 1, .processes = 4, .ranks_per_node = 4})
          .find("within the node timed over the network"),
      std::string::npos);
}

Machine drawn_machine() {
  Machine machine = calibrated_machine(*rc::gen::inRange(1, 11).as("again") / 10.0);
  machine.links["network"].exposed_exchange = {
      {1, Quantity::exact(*rc::gen::inRange(0, 11).as("exposed") / 10.0)}};
  return machine;
}

AmgHierarchy drawn_hierarchy() {
  AmgHierarchy hierarchy = told_hierarchy();
  AmgOperator& solve = hierarchy.levels[0].solve;
  solve.busiest_rows = *rc::gen::inRange(1000, 4000).as("rows");
  solve.busiest_nonzeros = solve.busiest_rows * *rc::gen::inRange(2, 90).as("entries");
  solve.offd_share = *rc::gen::inRange(0, 11).as("others") / 10.0;
  solve.max_elements = *rc::gen::inRange(1, 100000).as("elements");
  return hierarchy;
}

AmgVariant drawn_variant() {
  return {.relax = *rc::gen::element<std::string>("hybrid-gauss-seidel", "l1-gauss-seidel",
                                                  "l1-jacobi", "chebyshev")
                        .as("relax"),
          .sweeps = *rc::gen::inRange(1, 4).as("sweeps"),
          .solver = *rc::gen::element<std::string>("amg", "pcg").as("solver")};
}

RC_GTEST_PROP(AmgRun, OverlapIsNeverSlowerAndIntervalsHoldTheValue, ()) {
  Machine machine = drawn_machine();
  for (AmgKernelCurve& curve : section<AmgParameters>(machine)->kernels->spmv)
    for (AmgKernelTime& time : curve.times) {
      time.cold_s.low *= 0.8;
      time.cold_s.high *= 1.3;
    }
  const AmgHierarchy hierarchy = drawn_hierarchy();
  const AmgVariant variant = drawn_variant();
  const auto off = predict_amg_run(machine, hierarchy, two_nodes, variant, "refined", false);
  const auto on = predict_amg_run(machine, hierarchy, two_nodes, variant, "refined", true);
  RC_ASSERT(on.total_s <= off.total_s * (1 + 1e-12));
  RC_ASSERT(off.total_s - on.total_s <= std::min(on.communication_s, on.hiding_s) + 1e-15);
  RC_ASSERT(off.low_s <= off.total_s && off.total_s <= off.high_s);
  double sum = 0;
  for (const Term& term : on.terms) {
    RC_ASSERT(term.seconds >= 0 && term.low <= term.seconds && term.seconds <= term.high);
    sum += term.seconds;
  }
  RC_ASSERT(std::abs(sum - on.total_s) <= 1e-12 * sum);
}

RC_GTEST_PROP(AmgRun, MoreWorkOrMessagesAreNeverFaster, ()) {
  const Machine machine = calibrated_machine();
  const AmgHierarchy hierarchy = drawn_hierarchy();
  const AmgVariant variant = drawn_variant();
  const auto seconds = [&](const AmgHierarchy& one, const AmgVariant& how) {
    return predict_amg_run(machine, one, two_nodes, how, "refined", false).total_s * (1 + 1e-12);
  };
  const double before = seconds(hierarchy, variant) / (1 + 2e-12);
  AmgHierarchy entries = hierarchy, elements = hierarchy, sends = hierarchy;
  entries.levels[0].solve.busiest_nonzeros *= 1.3;
  elements.levels[0].interpolation.max_elements *= 2;
  sends.levels[0].solve.max_sends += 1;
  AmgVariant more = variant;
  more.sweeps += 1;
  RC_ASSERT(seconds(entries, variant) >= before);
  RC_ASSERT(seconds(elements, variant) >= before);
  RC_ASSERT(seconds(sends, variant) >= before);
  RC_ASSERT(seconds(hierarchy, more) >= before);
}

TEST(AmgNeighbours, AreTheNearestOfABox) {
  const AmgNeighbours all(64, 64), some(64, 16.2);
  const auto six = all.nearest(6);
  ASSERT_EQ(six.size(), 6u);
  for (const auto& shift : six)
    EXPECT_EQ(std::abs(shift[0]) + std::abs(shift[1]) + std::abs(shift[2]), 1);
  EXPECT_EQ(some.active(), 16);
  EXPECT_EQ(some.nearest(100).size(), 15u);
  EXPECT_TRUE(AmgNeighbours(64, 1).nearest(6).empty());
  int places = 0;
  for (int rank = 0; rank < 64; ++rank) {
    const int place = some.place_of(rank);
    if (place < 0) continue;
    EXPECT_EQ(some.rank_of(place), rank);
    ++places;
  }
  EXPECT_EQ(places, 16);
}

TEST(AmgRoutes, CountAnExchangeOnATorus) {
  Machine machine = calibrated_machine();
  const AmgPlacement placement{64, 64, 1, 1};
  EXPECT_EQ(AmgRoutes(machine, placement).exchange_s(64, 6, 6e6), 0);
  machine.topology = parse_topology("torus:4x4x4");
  const double own = network_bandwidth(machine);
  machine.topology->link_bandwidth_bytes_per_s = Quantity::exact(own);
  machine.topology->hop_latency_s = Quantity::exact(1e-7);
  AmgRoutes routes(machine, placement);
  // Six neighbours, a link to each, where a flat network has one for all.
  EXPECT_NEAR(routes.exchange_s(64, 6, 6e6), -5e6 / own, 1e-9);
  EXPECT_GT(routes.exchange_s(8, 7, 7e6), routes.exchange_s(64, 6, 6e6));
  // In rounds, to those 1, 2, 4, ... on: a hop or more beyond the first in each.
  EXPECT_GT(routes.gathering_s(64), 6e-7);
  EXPECT_EQ(routes.gathering_s(1), 0);
}

TEST(AmgRun, ImbalanceIsWhatTheBusiestMultipliesBeyondTheMean) {
  const AmgHierarchy hierarchy = told_hierarchy();
  const auto times = levels({});
  const AmgLevel& finest = hierarchy.levels[0];
  // Of 7700 and 5500 entries.
  const double solved = 1 - finest.unknowns * finest.solve.nonzeros_per_row / 4 / 7700;
  const double interpolated =
      1 - finest.unknowns * finest.interpolation.nonzeros_per_row / 4 / 5500;
  ASSERT_GT(solved, 0.01);
  ASSERT_GT(interpolated, 0.01);
  const Prediction p =
      predict_amg_run(calibrated_machine(1), hierarchy, two_nodes, {}, "refined", false);
  EXPECT_NEAR(
      p.imbalance_s,
      solved * (times[0].relax.compute_s + times[0].residual.compute_s) +
          interpolated * (times[0].restriction.compute_s + times[0].interpolation.compute_s),
      1e-12);
}

}  // namespace
}  // namespace bellwether
