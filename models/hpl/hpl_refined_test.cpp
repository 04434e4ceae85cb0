// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_refined.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/hpl/hpl_program.hpp"
#include "models/hpl/hpl_test_costs.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

bool noted(const Prediction& prediction, const char* beginning) {
  return std::any_of(prediction.outside_range.begin(), prediction.outside_range.end(),
                     [=](const std::string& note) { return note.starts_with(beginning); });
}

TEST(HplRefined, HasTheTermsOfTheProgram) {
  const Machine machine = hpl_test_machine(1e9, 1e-6, 1e9);
  const HplProblem problem{4000, 32, {2, 2}};
  std::vector<std::string> notes;
  const HplCosts costs = hpl_costs(machine, 4, Bound::value, notes);
  const HplPaths paths = hpl_paths(machine, problem.grid, 4, Bound::value);
  for (const bool overlap : {false, true}) {
    const Prediction p = predict_hpl_refined(machine, problem, 4, overlap);
    const StepTimes expected = evaluate_hpl({{costs, paths, problem}, overlap, 4});
    EXPECT_NEAR(p.total_s, expected.total_s, 1e-12 * p.total_s);
    EXPECT_EQ(hpl_term(p, "compute.gemm"), expected.mean[HplTerm::gemm]);
    EXPECT_EQ(hpl_term(p, "network.pivot"), expected.mean[HplTerm::pivot]);
    EXPECT_EQ(hpl_term(p, "copy.to_device"), expected.mean[HplTerm::to_device]);
    EXPECT_EQ(hpl_term(p, "wait"), expected.mean[waiting]);
    EXPECT_TRUE(notes.empty());
  }
}

TEST(HplRefined, CountsTheRanksThatRunOfANodeNotThoseThatItHasRoomFor) {
  const Machine machine = find_machine("epyc-9654-x2");  // whose ranks share a node's memory
  const auto total = [&](int ranks_per_node) {
    return predict_hpl_refined(machine, {2000, 64, {1, 2}}, ranks_per_node, false).total_s;
  };
  EXPECT_EQ(total(2), total(64));
}

TEST(HplRefined, NotesWhatIsBeyondTheCalibration) {
  const Prediction p = predict_hpl_refined(full_machine(), {200000, 128, {1, 8}}, 4, false);
  EXPECT_TRUE(noted(p, "panels of 205 MB"));
  EXPECT_LT(p.low_s, p.total_s);
  EXPECT_GT(p.high_s, p.total_s);
  EXPECT_TRUE(noted(predict_hpl_refined(full_machine(), {2000, 512, {1, 1}}, 4, false),
                    "panels of 512 columns, calibrated from 64 to 256"));
  const Machine machine = hpl_test_machine(1e9, 1e-6, 1e9);
  EXPECT_TRUE(noted(predict_hpl_refined(machine, {2000, 64, {1, 2}}, 4, false),
                    "not calibrated: no hpl.kernels.broadcast_bandwidth_bytes_per_s"));
}

/// run/lab/simulation/assumed_cluster.json.
Machine simulated_cluster() {
  Machine machine;
  machine.name = "simulated";
  machine.layout = {.ranks = 64, .ranks_per_node = 1};
  machine.device.kind = "cpu";
  machine.device.peak_flops_per_s["f64"] = Quantity::exact(1e12);
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1e11);
  machine.device.gemm_flops_per_s["f64"] = Quantity::exact(8e11);
  LinkTiming& timing = machine.links["network"].one_way;
  timing.latency_s = Quantity::exact(1e-6);
  timing.bandwidth_bytes_per_s = Quantity::exact(1e10);
  timing.overhead_s = Quantity::exact(0);
  machine.links["network"].exchange = timing;
  return machine;
}

TEST(HplRefined, IsNearASimulationWhereColumnsShareLinks) {
  // Seconds by SimGrid 3.32, off and on (run/lab/simulate --apps hpl --ranks 64).
  struct Case {
    const char* topology;
    double off_s, on_s;
  };
  for (const Case& one : {Case{"flat", 9.754e-3, 9.353e-3},
                          {"fat-tree:8x8/4", 9.87e-3, 9.367e-3},
                          {"dragonfly:4x8x2", 9.233e-3, 8.83e-3}}) {
    Machine machine = simulated_cluster();
    machine.topology = parse_topology(one.topology);
    for (const bool overlap : {false, true}) {
      const Prediction p = predict_hpl_refined(machine, {2048, 64, {8, 8}}, 1, overlap);
      EXPECT_NEAR(p.total_s / (overlap ? one.on_s : one.off_s), 1, machine.topology ? 0.1 : 0.05)
          << one.topology << " " << overlap;
    }
  }
}

TEST(HplRefined, ImbalanceIsOfTheBlocksDealtOut) {
  const Machine machine = hpl_test_machine(1e9, 1e-6, 1e9);
  const auto of = [&](const HplProblem& problem) {
    const Prediction p = predict_hpl_refined(machine, problem, 64, false);
    return p.imbalance_s / hpl_term(p, "compute.gemm");
  };
  EXPECT_EQ(of({4000, 32, {1, 1}}), 0);
  // Each of b blocks beyond a panel is b/2 + 1/4 on the average for the process column with more:
  // half a block more than the mean of two, of some 2/3 of 125 blocks weighted by the products.
  EXPECT_NEAR(of({4000, 32, {1, 2}}), 1 / (1 + 2 * 125. / 3 * 2), 0.002);
  EXPECT_GT(of({4000, 32, {2, 2}}), 1.5 * of({4000, 32, {1, 2}}));
  EXPECT_GT(of({4000, 128, {4, 4}}), 2 * of({4000, 32, {4, 4}}));
}

}  // namespace
}  // namespace bellwether
