// SPDX-License-Identifier: MIT
#include "models/amg/amg_run_cycle.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/amg/amg_curve.hpp"
#include "models/amg/test_amg.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr double call = 1e-6, entry = 1e-9;
constexpr double product = call + entry * 7700, sweep = call + 2 * entry * 7700;
const AmgPlacement one_node = {
    .nodes = 1, .processes = 4, .ranks_per_node = 4, .threads_per_rank = 1};

/// Of every operation's time ranks wait a tenth, cold, and a fifth in turn.
Machine waiting_machine(int ranks = 4) {
  Machine machine = calibrated_machine();
  machine.layout.ranks = ranks;
  AmgKernelParameters& kernels = *section<AmgParameters>(machine)->kernels;
  for (AmgKernelTable* const table : {&kernels.spmv, &kernels.gauss_seidel, &kernels.jacobi,
                                      &kernels.interpolate, &kernels.restriction})
    for (AmgKernelCurve& curve : *table)
      for (AmgKernelTime& time : curve.times) {
        time.wait_s = Quantity::exact(0.1 * time.cold_s.value);
        time.again_wait_s = Quantity::exact(0.2 * time.again_s->value);
      }
  return machine;
}

std::vector<AmgRunLevel> levels(const Machine& machine, const AmgHierarchy& hierarchy,
                                const AmgPlacement& placement, const AmgVariant& variant = {}) {
  return levels_of(machine, hierarchy, placement, variant, false);
}

/// All ranks are neighbours.
AmgHierarchy close_hierarchy() {
  AmgHierarchy hierarchy = told_hierarchy();
  hierarchy.ranks_per_node = 4;
  AmgLevel& finest = hierarchy.levels[0];
  finest.solve.max_sends = finest.interpolation.max_sends = finest.restriction->max_sends = 3;
  return hierarchy;
}

TEST(AmgRunCycle, WhatRanksWaitIsPaidInTheExchangeThatFollows) {
  const AmgHierarchy hierarchy = close_hierarchy();
  const auto without = levels(calibrated_machine(), hierarchy, one_node);
  const auto with = levels(waiting_machine(), hierarchy, one_node);
  // In this machine operations called in turn save nothing, so all are as if held: a fifth.
  EXPECT_NEAR(with[0].residual.compute_s, 0.8 * product, 1e-15);
  EXPECT_NEAR(with[0].relax.compute_s, 2 * 0.8 * sweep, 1e-15);
  EXPECT_NEAR(with[0].residual.network_s - without[0].residual.network_s, 0.2 * sweep, 1e-15);
  EXPECT_NEAR(with[0].restriction.network_s - without[0].restriction.network_s, 0.2 * product,
              1e-15);
  const double restriction = call + 5 * entry * 5500, interpolation = call + 4 * entry * 5500;
  EXPECT_NEAR(with[1].coarse_solve.network_s - without[1].coarse_solve.network_s, 0.2 * restriction,
              1e-15);
  EXPECT_NEAR(with[0].interpolation.network_s, without[0].interpolation.network_s, 1e-15);
  EXPECT_NEAR(with[0].relax.network_s - without[0].relax.network_s, 0.2 * (interpolation + sweep),
              1e-15)
      << "on the way up for the interpolation, on the way down for the cycle before";
  // Nothing is lost: the calibrated seconds are the slowest rank's.
  const AmgVariant pcg{.solver = "pcg"};
  for (const AmgVariant& variant : {AmgVariant{}, pcg})
    EXPECT_NEAR(
        predict_amg_run(waiting_machine(), hierarchy, one_node, variant, "refined", false).total_s /
            predict_amg_run(calibrated_machine(), hierarchy, one_node, variant, "refined", false)
                .total_s,
        1, 1e-12);
}

TEST(AmgRunCycle, FewerNeighboursAreWaitedForLess) {
  // Delays are exponential: the last of n comes by 1/2 + ... + 1/n later than their mean.
  const auto waited = [](double neighbours, int calibrated) {
    AmgHierarchy hierarchy = close_hierarchy();
    hierarchy.levels[0].solve.max_sends = neighbours;
    return levels(waiting_machine(calibrated), hierarchy, one_node)[0].residual.network_s -
           levels(calibrated_machine(), hierarchy, one_node)[0].residual.network_s;
  };
  EXPECT_NEAR(waited(1, 4), 0.2 * sweep * 0.5 / (1 / 2. + 1 / 3. + 1 / 4.), 1e-15);
  EXPECT_NEAR(waited(3, 2), 0.2 * sweep * (1 / 2. + 1 / 3. + 1 / 4.) / 0.5, 1e-15);
  EXPECT_EQ(waited(3, 1), 0) << "one rank tells nothing of others";
  AmgHierarchy alone = close_hierarchy();
  alone.processes = 1;
  for (AmgLevel& level : alone.levels) level.active_processes = 1;
  const AmgPlacement single = {.nodes = 1, .processes = 1, .ranks_per_node = 1};
  EXPECT_EQ(levels(waiting_machine(), alone, single)[0].residual.network_s, 0);
}

TEST(AmgRunCycle, GaussSeidelTakesItsPassDownAndUp) {
  const Machine machine = calibrated_machine();
  const AmgHierarchy hierarchy = told_hierarchy();
  for (const char* relax : {"hybrid-gauss-seidel", "l1-gauss-seidel"})
    EXPECT_NEAR(
        levels(machine, hierarchy, one_node, {.relax = relax, .sweeps = 2})[0].relax.compute_s,
        4 * (1e-6 + 2e-9 * 7700), 1e-15);
}

TEST(AmgRunCycle, ChebyshevAndTheCoarseSolveAreTakenWhereTheyWereMeasured) {
  Machine machine = calibrated_machine();
  AmgKernelParameters& kernels = *section<AmgParameters>(machine)->kernels;
  kernels.chebyshev = linear_kernel(2e-6, 7e-9);
  kernels.coarse_solve = {{1, {{1, Quantity::exact(1e-6), {}}, {9, Quantity::exact(5e-6), {}}}}};
  const AmgHierarchy hierarchy = told_hierarchy();
  const auto times = levels(machine, hierarchy, one_node, {.relax = "chebyshev"});
  EXPECT_NEAR(times[0].relax.compute_s, 2 * (2e-6 + 7e-9 * 7700), 1e-15);
  EXPECT_NEAR(
      times[0].relax.network_s,
      levels(calibrated_machine(), hierarchy, one_node, {.relax = "chebyshev"})[0].relax.network_s,
      1e-15);
  EXPECT_NEAR(times[1].coarse_solve.compute_s, 4.5e-6, 1e-15) << "8 unknowns";
}

Machine threaded_machine() {
  Machine machine = calibrated_machine();
  const auto exact = [](double value) { return Quantity::exact(value); };
  // 1 to 4 threads, each with less of the memory and a longer loop; calibrated with 2.
  AmgKernelParameters& kernels = *section<AmgParameters>(machine)->kernels;
  kernels.threads = 2;
  kernels.thread_counts = {
      {1, exact(9e9), exact(0)}, {2, exact(6e9), exact(1e-6)}, {4, exact(2e9), exact(4e-6)}};
  return machine;
}

TEST(AmgRunCycle, OtherThreadsHaveTheirShareOfRowsBandwidthAndLoops) {
  const auto residual_s = [](int threads, std::vector<std::string>* notes = nullptr) {
    AmgPlacement placement = one_node;
    placement.threads_per_rank = threads;
    return levels_of(threaded_machine(), told_hierarchy(), placement, {}, false, notes)[0]
        .residual.compute_s;
  };
  EXPECT_NEAR(residual_s(2), product, 1e-15);
  // Twice the rows a thread at 9 in place of 6 GB/s, and two loops without their microsecond.
  EXPECT_NEAR(residual_s(1), 6. / 9 * (call + 2 * entry * 7700) - 2e-6, 1e-15);
  EXPECT_NEAR(residual_s(4), 3. * (call + entry * 7700 / 2) + 2 * 3e-6, 1e-15);
  std::vector<std::string> notes;
  EXPECT_NEAR(residual_s(3, &notes), 6. / 4 * (call + entry * 7700 * 2 / 3) + 2 * 1.5e-6, 1e-15)
      << "between two that were measured";
  for (const std::string& note : notes) EXPECT_EQ(note.find("thread"), std::string::npos) << note;
  // Memory ten times as fast takes part of the time only: 123200 bytes on each of 2 threads.
  Machine fast = threaded_machine();
  for (AmgThreads& one : section<AmgParameters>(fast)->kernels->thread_counts)
    one.bandwidth_bytes_per_s.value *= 10;
  const double calibrated_s = call + 2 * entry * 7700, memory_s = 123200 / 60e9;
  EXPECT_NEAR(levels(fast, told_hierarchy(), one_node)[0].residual.compute_s,
              calibrated_s - memory_s + memory_s * 6 / 9 - 2e-6, 1e-15);
  EXPECT_NEAR(residual_s(8, &notes), product, 1e-15) << "unknown";
  EXPECT_EQ(std::count(notes.begin(), notes.end(),
                       "amg.kernels: calibrated with 2 threads of a rank, asked for 8"),
            1);
}

TEST(AmgRunCycle, ThePapersFormHasItsPenaltyOfThreads) {
  const AmgHierarchy hierarchy = small_hierarchy();
  const auto smooth_s = [&](int threads) {
    const AmgPlacement placement{
        .nodes = 1, .processes = 8, .ranks_per_node = 8, .threads_per_rank = threads};
    const Machine machine = threaded_machine();
    return paper_levels(amg_cycle_paper(hierarchy, placement,
                                        AmgCosts(machine, placement, false, Bound::value, nullptr)),
                        hierarchy.levels.size())[0]
        .smooth.compute_s;
  };
  // The paper divides by all threads: 125 rows a rank are 62.5 on each of 2, of which calibration
  // had as many, and 31.25 on each of 4, which are 62.5 on 2 then.
  EXPECT_NEAR(smooth_s(2), 3 * (call + entry * 125 * 7), 1e-14);
  EXPECT_NEAR(smooth_s(4), 3 * 3. * (call + entry * 62.5 * 7), 1e-14);
}

TEST(AmgRunCycle, MixesAreThoseThatThreadsWereMeasuredFor) {
  const auto mixes = [](const Machine& machine, int threads) {
    std::vector<std::pair<int, int>> all;
    for (const AmgMix& mix : amg_mixes(machine, threads))
      all.emplace_back(mix.ranks_per_node, mix.threads_per_rank);
    return all;
  };
  using Mixes = std::vector<std::pair<int, int>>;
  Machine machine = threaded_machine();
  section<AmgParameters>(machine)->flop_time_s.clear();
  EXPECT_EQ(mixes(machine, 4), (Mixes{{2, 2}, {4, 1}, {1, 4}}));
  EXPECT_EQ(mixes(machine, 2), (Mixes{{1, 2}, {2, 1}}));
  machine.links.erase("shared_memory");
  EXPECT_EQ(mixes(machine, 2), (Mixes{{1, 2}})) << "without a link between ranks of a node";
  EXPECT_EQ(mixes(calibrated_machine(), 4), (Mixes{{4, 1}}));
}

TEST(AmgRunCycle, AGpusOperationsAreWithoutGaussSeidel) {
  Machine machine = calibrated_machine();
  AmgKernelParameters& kernels = *section<AmgParameters>(machine)->kernels;
  const auto with = levels(machine, told_hierarchy(), one_node, {.relax = "l1-jacobi"});
  kernels.gauss_seidel.clear();
  const auto without = levels(machine, told_hierarchy(), one_node, {.relax = "l1-jacobi"});
  EXPECT_EQ(without[0].relax.compute_s, with[0].relax.compute_s);
  EXPECT_GT(without[1].coarse_solve.compute_s, 0);  // as rows of a sweep, which are l1-Jacobi's
  for (const char* relax : {"hybrid-gauss-seidel", "l1-gauss-seidel"}) try {
      (void)levels(machine, told_hierarchy(), one_node, {.relax = relax});
      ADD_FAILURE() << relax;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("machine small: key /amg/kernels/gauss_seidel: "),
                std::string::npos)
          << error.what();
    }
}

}  // namespace
}  // namespace bellwether
