// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "models/hpl/hpl_test_costs.hpp"
#include "models/network/trees.hpp"

namespace bellwether {
namespace {

constexpr double gemm_rate = 1e9, latency = 1e-6, bandwidth = 1e9;

/// The costs of a machine, with what they refer to.
struct Costs {
  explicit Costs(Machine from, int ranks_of_a_node = 4, const char* panel = "")
      : ranks_per_node(ranks_of_a_node), machine(std::move(from)) {
    costs = hpl_costs(machine, ranks_per_node, Bound::value, notes, panel);
  }
  [[nodiscard]] HplSteps steps(const HplProblem& problem) const {
    return {costs, hpl_paths(machine, problem.grid, ranks_per_node, Bound::value), problem};
  }
  [[nodiscard]] StepTimes factor(const HplProblem& problem, bool look_ahead,
                                 double most_parts = 1e6) const {
    return evaluate_hpl({steps(problem), look_ahead, ranks_per_node}, nullptr, most_parts);
  }
  int ranks_per_node;
  Machine machine;
  std::vector<std::string> notes;
  HplCosts costs;
};
Costs cpu(int ranks_per_node = 4) {
  return Costs(hpl_test_machine(gemm_rate, latency, bandwidth, "cpu"), ranks_per_node);
}
Costs gpu() { return Costs(hpl_test_machine(gemm_rate, latency, bandwidth)); }
/// Whose device factors the panels, so many seconds a column beside their flops.
Costs device(double column_s) {
  return Costs(hpl_test_gpu(gemm_rate, latency, bandwidth, column_s, gemm_rate / 2), 4, "device");
}

// N = 10, NB = 4: panels of 4, 4 and 2 columns. On 1 x 2 the columns 0 to 3 and 8 to 10 (the
// right-hand side) are the first process', 4 to 7 the other's.
double panel_of(double m, double w) {
  return 16 * (m + w) * w / bandwidth + 8 * m * w * w / gemm_rate;
}
double swap_of(double m, double n, double w) {
  return 16 * (w + w * (1 - w / (m + w))) * n / bandwidth;
}
double trsm_of(double n, double w) { return w * w * n / (gemm_rate / 2); }
double update_of(double m, double n, double w) {
  return swap_of(m, n, w) + trsm_of(n, w) + 2 * m * n * w / gemm_rate;
}
double move_of(double m, double w) { return 8 * w * (1 + w + m) / bandwidth; }

TEST(HplProgram, WhatOfMessagesCannotBeHiddenIsTheRanksOwnTime) {
  // Far busier than their messages: with look-ahead each of two pays for each panel, as its sender
  // or as its receiver, half of an exchange's.
  const HplProblem problem{1024, 32, {1, 2}};
  const auto total_s = [&](double hideable, bool look_ahead, double most_parts) {
    Machine machine = hpl_test_machine(gemm_rate, 1e-4, bandwidth, "cpu");
    machine.links["network"].exposed_exchange = {{1, Quantity::exact(1 - hideable)}};
    return Costs(machine, 1).factor(problem, look_ahead, most_parts).total_s;
  };
  double own_s = 0;
  for (int panel = 0; panel < 32; ++panel)
    own_s += (1e-4 + move_of(1024 - 32. * (panel + 1), 32)) / 2;
  for (const double most_parts : {1e6, 32.}) {
    const double added = total_s(0.4, true, most_parts) - total_s(1, true, most_parts);
    EXPECT_NEAR(added, 0.6 * own_s, 0.1 * own_s) << most_parts;
  }
}

TEST(HplProgram, OneProcessDoesOneThingAfterTheOther) {
  const double solve = 8 * (8 + 8 + 2 + 2. * 8 + 4. * 4) / bandwidth;
  const double expected = panel_of(10, 4) + update_of(6, 7, 4) + panel_of(6, 4) +
                          update_of(2, 3, 4) + panel_of(2, 2) + update_of(0, 1, 2) + solve;
  const StepTimes off = cpu().factor({10, 4, {1, 1}}, false);
  EXPECT_NEAR(off.total_s, expected, 1e-15);
  EXPECT_NEAR(cpu().steps({10, 4, {1, 1}}).solved_after_s(), solve, 1e-18);
  EXPECT_NEAR(off.mean[HplTerm::panel], panel_of(10, 4) + panel_of(6, 4) + panel_of(2, 2), 1e-15);
  EXPECT_NEAR(off.mean[HplTerm::trsm], trsm_of(7, 4) + trsm_of(3, 4) + trsm_of(1, 2), 1e-15);
  EXPECT_NEAR(off.mean[waiting], 0, 1e-18);
  EXPECT_NEAR(cpu().factor({10, 4, {1, 1}}, true).total_s, expected, 1e-15);
  EXPECT_EQ(off.moved_s, 0);
}

TEST(HplProgram, TwoColumnsPassPanelsToAndFro) {
  // The other has the first panel and updates its 4 columns, all of them the next panel's.
  const double there = panel_of(10, 4) + latency + move_of(10, 4);
  const double second_ready = there + update_of(6, 4, 4) + panel_of(6, 4);
  // Meanwhile the first one has updated its 3, and waits.
  const double updated = panel_of(10, 4) + update_of(6, 3, 4);
  const double back = second_ready + latency + move_of(6, 4);
  ASSERT_LT(updated, second_ready);
  // It updates 2 columns, factors them, and then updates the right-hand side.
  const double third_ready = back + update_of(2, 2, 4) + panel_of(2, 2);
  const double last = third_ready + update_of(2, 1, 4) + update_of(0, 1, 2);
  const StepTimes on = cpu().factor({10, 4, {1, 2}}, true);
  EXPECT_NEAR(on.mean[HplTerm::panel], (panel_of(10, 4) + panel_of(6, 4) + panel_of(2, 2)) / 2,
              1e-15);
  // Solve: the last block, the other's, the first; each sends w sums ahead, and what stands above
  // the next block is subtracted while that one is solved.
  const auto message = [](double w) { return latency + 8 * w / bandwidth; };
  const auto sweep = [](double doubles) { return 8 * doubles / bandwidth; };
  const double other = third_ready + latency + move_of(2, 2);  // has nothing left to update
  const double two = std::max(last, other) + message(2) + sweep(2) + sweep(2 * 4);
  const double one = two + message(4) + sweep(8) + sweep(4 * 4);
  EXPECT_NEAR(on.total_s, one + message(4) + sweep(8) + message(10), 1e-15);  // and all of x
  // Off: the third panel waits for the right-hand side's update too.
  const double late = update_of(2, 3, 4) - update_of(2, 2, 4);
  EXPECT_NEAR(cpu().factor({10, 4, {1, 2}}, false).total_s, on.total_s + late, 1e-15);
}

TEST(HplProgram, ColumnsOfProcessesExchangePivotsAndRows) {
  const HplProblem problem{10, 4, {2, 1}, "ring", "spread-roll"};
  const StepTimes off = cpu(1).factor(problem, false);
  const StepTimes in_memory = cpu().factor(problem, false);
  // Rows beyond each panel of the process with the most: 4, 2 and 0.
  const auto message = [](double bytes) { return latency + bytes / bandwidth; };
  EXPECT_NEAR(off.mean[HplTerm::panel], panel_of(8, 4) + panel_of(6, 4) + panel_of(2, 2), 1e-15);
  EXPECT_NEAR(off.mean[HplTerm::pivot],
              2 * (message(128) + 4 * message(64)) + message(32) + 2 * message(48), 1e-15);
  const double displaced[] = {4 * (1 - 4. / 10), 4 * (1 - 4. / 6), 0};
  const double w[] = {4, 4, 2}, n[] = {7, 3, 1};
  double swaps = 0, sent = 0, puts = 0, waits = 0;
  for (int k = 0; k < 3; ++k) {
    // One gathers all that are displaced, the other puts half of them; the mean, and what is
    // waited.
    const double d = displaced[k], own = (d + d / 2) / 2;
    swaps += 16 * (w[k] / 2 + own + w[k] / 4 + w[k]) * n[k] / bandwidth;
    sent += 16 * (1.5 * d - own) * n[k] / bandwidth;
    sent += message(8 * (w[k] + d) * n[k] / 4) + message(8 * w[k] * n[k] / 2);
    // In memory its rows to where they belong; U to its place, which one does and the other not.
    puts += 16 * (w[k] / 2 + own + w[k] / 2) * n[k] / bandwidth;
    waits += 16 * (1.5 * d - own + w[k] / 2) * n[k] / bandwidth;
  }
  const double fewer_rows = 2. * 4 * ((4 - 3) * 7 + (2 - 1) * 3) / gemm_rate;  // who has them waits
  sent += fewer_rows;
  EXPECT_NEAR(in_memory.mean[HplTerm::swap], puts, 1e-15);
  EXPECT_NEAR(in_memory.mean[HplTerm::swap_network], waits + fewer_rows, 1e-15);
  EXPECT_DOUBLE_EQ(in_memory.mean[HplTerm::trsm], off.mean[HplTerm::trsm]);
  EXPECT_NEAR(off.mean[HplTerm::swap], swaps, 1e-15);
  EXPECT_NEAR(off.mean[HplTerm::swap_network], sent, 1e-15);
  EXPECT_NEAR(off.mean[HplTerm::trsm], trsm_of(3.5, 4) + trsm_of(1.5, 4) + trsm_of(0.5, 2), 1e-15);
  EXPECT_NEAR(off.mean[HplTerm::gemm], 2. * 4 * (3 * 7 + 1 * 3) / gemm_rate, 1e-15);
}

TEST(HplProgram, BinaryExchangeHasTheWholeTriangleToDo) {
  HplProblem problem{2000, 64, {4, 1}, "ring", "spread-roll"};
  const Costs between_nodes = cpu(1);
  const StepTimes spread = between_nodes.factor(problem, false);
  problem.swap = "binary-exchange";
  const StepTimes binary = between_nodes.factor(problem, false);
  EXPECT_NEAR(binary.mean[HplTerm::trsm], 4 * spread.mean[HplTerm::trsm], 1e-12);
  // Two rounds and a row's displaced ones to three, in place of three and three.
  EXPECT_NE(binary.mean[HplTerm::swap_network], spread.mean[HplTerm::swap_network]);
  problem.swap = "mix";
  const StepTimes mix = between_nodes.factor(problem, false);
  EXPECT_GT(mix.mean[HplTerm::trsm], spread.mean[HplTerm::trsm]);
  EXPECT_LT(mix.mean[HplTerm::trsm], 1.1 * spread.mean[HplTerm::trsm]);
  problem.swap_threshold = 2000;
  EXPECT_NEAR(between_nodes.factor(problem, false).total_s, binary.total_s, 1e-12);
  // On one node mix writes rows where they belong, however few their columns.
  const double in_memory = cpu().factor(problem, false).total_s;
  problem.swap = "spread-roll";
  EXPECT_EQ(in_memory, cpu().factor(problem, false).total_s);
}

TEST(HplProgram, UpdatesGoInStrips) {
  // Of 512 columns while a process' part is small, each with messages of its own.
  Costs costs = cpu();
  const HplSteps steps = costs.steps({2000, 100, {2, 1}});
  const HplWork strip = steps.update(0, 512), rest = steps.update(0, 1900 - 3 * 512);
  EXPECT_NEAR(steps.update(0, 1900).total(), 3 * strip.total() + rest.total(), 1e-12);
  EXPECT_GT(rest.terms[HplTerm::swap_network], 0);
  // On a GPU in one, of all its columns.
  const Costs of_gpu = gpu();
  const HplSteps at_once = of_gpu.steps({2000, 100, {2, 1}});
  EXPECT_EQ(at_once.update(0, 1900).exchanges.size(), at_once.update(0, 512).exchanges.size());
}

TEST(HplProgram, OnDevicesRowsTravelBesideTheProductOfTheOtherPart) {
  const HplProblem problem{2000, 100, {2, 1}};
  for (const double network : {bandwidth / 1000, 1000 * bandwidth}) {
    const Costs costs(hpl_test_machine(gemm_rate, latency, network), 1);
    const HplSteps steps = costs.steps(problem);
    ASSERT_TRUE(steps.in_parts());
    const HplWork alone = steps.update(4, 800), parts = steps.update(4, 800, true);
    const double product_s = alone.terms[HplTerm::gemm];
    const double uneven_s = costs.costs.gemm(800, 800, 100) - costs.costs.gemm(750, 800, 100);
    const double swaps_s = alone.total() - product_s - uneven_s;
    EXPECT_EQ(parts.terms[HplTerm::gemm], product_s);
    EXPECT_EQ(parts.terms[HplTerm::trsm], 0);
    EXPECT_NEAR(parts.total(), std::max(product_s, swaps_s) + uneven_s, 1e-12);
    EXPECT_EQ(swaps_s > product_s, network < bandwidth) << "either may be longer";
    const double gain_s =
        costs.factor(problem, false).total_s - costs.factor(problem, true).total_s;
    EXPECT_GT(gain_s, 5 * std::min(product_s, swaps_s));
  }
  EXPECT_FALSE(cpu(1).steps(problem).in_parts());
  EXPECT_FALSE(gpu().steps({2000, 100, {1, 2}}).in_parts());
}

TEST(HplProgram, TermsAddUpToTheTotal) {
  for (const Costs& costs : {cpu(), gpu(), device(1e-6)})
    for (const ProcessGrid grid : {ProcessGrid{1, 1}, {1, 2}, {2, 1}, {2, 2}, {1, 8}, {3, 4}})
      for (const std::string& bcast : broadcast_names())
        for (const bool look_ahead : {false, true})
          for (const double most_parts : {0., 1e6}) {
            const HplProblem problem{3000, 64, grid, bcast, "spread-roll"};
            const StepTimes one = costs.factor(problem, look_ahead, most_parts);
            const double sum_s = std::accumulate(one.mean.begin(), one.mean.end(),
                                                 costs.steps(problem).solved_after_s());
            EXPECT_NEAR(sum_s, one.total_s, 1e-9 * one.total_s)
                << grid.name() << " " << bcast << " " << look_ahead << " " << most_parts;
            for (const double seconds : one.mean) EXPECT_GE(seconds, 0);
          }
}

/// Of a factorization's parts.
double a_third(const HplProblem& problem) {
  return static_cast<double>(problem.panels() * problem.grid.columns) / 3;
}

TEST(HplProgram, SampledPanelsAreWithinAPercentOfAll) {
  for (const Costs& costs : {cpu(), gpu(), device(1e-3)})
    for (const ProcessGrid grid : {ProcessGrid{1, 1}, {1, 2}, {2, 2}, {4, 4}, {2, 8}, {1, 16}})
      for (const long size : {40'000L, 100'000L})
        for (const bool look_ahead : {false, true}) {
          const HplProblem problem{size, 100, grid};
          const double all = costs.factor(problem, look_ahead).total_s;
          const double sampled = costs.factor(problem, look_ahead, a_third(problem)).total_s;
          EXPECT_NEAR(sampled / all, 1, 0.01) << grid.name() << " " << size << " " << look_ahead;
        }
}

TEST(HplProgram, SampledPanelsWaitForLinksNearlyAsFollowedOnesDo) {
  // A slow network: panels and swaps take longer than products.
  const Costs slow(hpl_test_machine(1e11, 1e-6, 2e8, "cpu"), 1);
  for (const ProcessGrid grid : {ProcessGrid{1, 4}, {4, 4}, {8, 8}})
    for (const char* bcast : {"ring", "ring-modified", "tree"})
      for (const bool look_ahead : {false, true}) {
        const HplProblem problem{40'000, 100, grid, bcast};
        const double all = slow.factor(problem, look_ahead).total_s;
        EXPECT_NEAR(slow.factor(problem, look_ahead, a_third(problem)).total_s / all, 1,
                    look_ahead ? 0.1 : 0.04)
            << grid.name() << " " << bcast << " " << look_ahead;
      }
}

TEST(HplProgram, SampledColumnsShareLinksNearlyAsFollowedOnesDo) {
  Machine machine = hpl_test_machine(1e11, 1e-6, 1e10, "cpu");
  machine.topology = parse_topology("dragonfly:4x8x2");
  const Costs costs(machine, 1);
  for (const char* bcast : {"ring", "tree"})
    for (const bool look_ahead : {false, true}) {
      const HplProblem problem{40'000, 100, {8, 8}, bcast};
      const double all = costs.factor(problem, look_ahead).total_s;
      EXPECT_NEAR(costs.factor(problem, look_ahead, a_third(problem)).total_s / all, 1, 0.1)
          << bcast << " " << look_ahead;
    }
}

TEST(HplProgram, AHostsPanelsHideBehindTheUpdate) {
  const HplProblem problem{6400, 16, {1, 1}};
  const StepTimes off = gpu().factor(problem, false), on = gpu().factor(problem, true);
  EXPECT_LT(on.mean[HplTerm::panel], 0.1 * off.mean[HplTerm::panel]);
  EXPECT_NEAR(on.mean[HplTerm::gemm], off.mean[HplTerm::gemm], 1e-9);
  const auto shown_s = [](const StepTimes& of) {
    return of.mean[HplTerm::to_host] + of.mean[HplTerm::to_device];
  };
  EXPECT_LT(shown_s(on), 0.1 * on.moved_s);
  EXPECT_NEAR(shown_s(off), off.moved_s, 1e-9);
  EXPECT_GT(off.mean[HplTerm::to_host], 0);
}

/// Of device(): copied out of the matrix and U11 back, factored, with no inverse.
double device_panel_of(double m, double w, double column_s) {
  return 16 * (m + w) * w / bandwidth + w * column_s + w * w * (m - w / 3) / (gemm_rate / 2);
}
double solving_update_of(double m, double n, double w) {
  return update_of(m, n, w) + trsm_of(n, w);
}

TEST(HplProgram, ADevicesPanelShowsWhereItIsLongerThanTheUpdateBesideIt) {
  // 64 columns and the right-hand side, in panels of 16: of the updates by the first three the
  // next panel's 16 columns come first, and 33, 17 and 1 are beside the panel.
  const double solve = 8. * (64 * 65 / 2 + 4 * (16 * 16 / 2 - 16 * 17 / 2)) / bandwidth;
  for (const double column_s : {0., 2e-6, 1.}) {
    const Costs costs = device(column_s);
    double update_s = 0, shown_s = device_panel_of(64, 16, column_s), panels_s = shown_s;
    int hidden = 0;
    for (const double below : {48., 32., 16.}) {
      const double made_s = device_panel_of(below, 16, column_s);
      const double rest_s = solving_update_of(below, below + 1 - 16, 16);
      update_s += solving_update_of(below, 16, 16) + rest_s;
      shown_s += std::max(0., made_s - rest_s);
      panels_s += made_s;
      hidden += made_s < rest_s ? 1 : 0;
    }
    update_s += solving_update_of(0, 1, 16);
    EXPECT_EQ(hidden, column_s == 0 ? 2 : column_s < 1 ? 1 : 0);
    for (const bool look_ahead : {false, true}) {
      const StepTimes one = costs.factor({64, 16, {1, 1}}, look_ahead);
      EXPECT_NEAR(one.mean[HplTerm::panel], look_ahead ? shown_s : panels_s, 1e-12);
      EXPECT_NEAR(one.total_s, update_s + solve + (look_ahead ? shown_s : panels_s), 1e-12);
      EXPECT_EQ(one.moved_s, 0) << "nothing passes through the host";
      EXPECT_NEAR(one.mean[waiting], 0, 1e-12);
    }
  }
}

TEST(HplProgram, ADevicesPanelPassesThroughTheHostToOthersAlone) {
  // Two panels of 4 columns, the second of which the other process factors, and sends back.
  const auto message = [](double bytes) { return latency + bytes / bandwidth; };
  const auto of_panel = [](double m) { return 8. * 4 * (1 + m); };  // without an inverse
  const double column_s = 1e-6;
  const auto there_after = [&](double m) {
    return message(of_panel(m)) * 3;  // to the host, to the other one's, to its device
  };
  const double second = device_panel_of(8, 4, column_s) + there_after(8) +
                        solving_update_of(4, 4, 4) + device_panel_of(4, 4, column_s);
  const double updated = second + there_after(4) + solving_update_of(0, 1, 4);
  const auto sweep = [](double doubles) { return 8 * doubles / bandwidth; };
  const double solved = 2 * (message(32) + sweep(8)) + sweep(16) + message(64);
  for (const bool look_ahead : {false, true}) {
    const StepTimes one = device(column_s).factor({8, 4, {1, 2}}, look_ahead);
    EXPECT_NEAR(one.total_s, updated + solved, 1e-12);
    // Of two processes, each with a panel of its own.
    const double copies_s = (message(of_panel(8)) + message(of_panel(4))) / 2;
    EXPECT_NEAR(one.mean[HplTerm::to_host], copies_s, 1e-12);
    EXPECT_NEAR(one.mean[HplTerm::to_device], copies_s, 1e-12);
  }
}

TEST(HplProgram, ProcessesThatFactorThemselvesSpendThemOnceInQ) {
  const HplProblem problem{6400, 16, {1, 4}};
  const StepTimes off = cpu().factor(problem, false), on = cpu().factor(problem, true);
  EXPECT_LT(on.total_s, off.total_s);
  EXPECT_NEAR(on.mean[HplTerm::panel], off.mean[HplTerm::panel], 1e-9);
  EXPECT_LT(on.mean[waiting], 0.2 * off.mean[waiting]);
}

TEST(HplProgram, BroadcastsDifferWhereTheNetworkIsSlow) {
  // One panel of all: from the first of 16 nodes to the last one, who updates last.
  const Costs slow(hpl_test_machine(1e15, 1e-6, 1e8, "cpu"), 1);
  const auto total = [&](const char* bcast) {
    HplProblem problem{400, 400, {1, 16}, bcast};
    return slow.factor(problem, false).total_s;
  };
  EXPECT_LT(total("two-rings"), total("ring"));
  EXPECT_LT(total("tree"), total("ring"));
  EXPECT_LT(total("pipeline"), total("ring"));
}

TEST(HplProgram, APanelLeavesAProcessOnceTheMessageBeforeHasLeft) {
  // From the first to both others; in a ring from the second to the third, which then has it.
  const auto total = [](const char* bcast) {
    return cpu(1).factor({4, 4, {1, 3}, bcast}, false).total_s;
  };
  const double ring = 2 * (latency + move_of(0, 4));
  EXPECT_NEAR(total("ring") - total("ring-modified"), ring - (latency + 2 * move_of(0, 4)), 1e-15);
}

TEST(HplProgram, ALargePanelSetsOutWhenItsReceiverAsks) {
  // Who still updates by the panel before the last is not there for it; one that is copied aside
  // has come by then.
  const ProcessGrid grid{1, 3};
  const auto least_way_s = [&](double most_eager_bytes) {
    Machine machine = hpl_test_machine(gemm_rate, latency, bandwidth, "cpu");
    machine.links["network"].eager_limit_bytes = Quantity::exact(most_eager_bytes);
    const Costs costs(machine, 1);
    const HplProblem problem{3000, 64, grid, "ring-modified"};
    const auto looks = costs.factor(problem, true).seen_after_s;
    double least_s = 1e300;
    for (int panel = 1; panel + 2 < problem.panels(); ++panel)
      for (std::size_t place = 1; place < 3; ++place)
        least_s = std::min(least_s, looks.at(static_cast<std::size_t>(panel)).at(place) -
                                        costs.steps(problem).message_bytes(panel) / bandwidth);
    return least_s;
  };
  EXPECT_GE(least_way_s(0), 0);
  EXPECT_LT(least_way_s(1e9), 0);
}

}  // namespace
}  // namespace bellwether
