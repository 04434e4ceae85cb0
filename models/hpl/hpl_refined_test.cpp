// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_refined.hpp"
#include "models/hpl/hpl_parameters.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/hpl/hpl_test_costs.hpp"
#include "models/machine/full_machine.hpp"
#include "models/machine/machine_json.hpp"

namespace bellwether {
namespace {

TEST(HplCosts, GemmRampHalvesTheRate) {
  HplCosts costs;
  costs.gemm_flops_per_s = 1e12;
  costs.half_k = 64;
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 64), 2 * 2. * 100 * 200 * 64 / 1e12);
  costs.half_m = 100;
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 64), 3 * 2. * 100 * 200 * 64 / 1e12);
  costs.half_n = 200;
  costs.launch_s = 1;
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 64), 1 + 4 * 2. * 100 * 200 * 64 / 1e12);
  EXPECT_EQ(costs.gemm(0, 200, 64), 0);
}

TEST(HplCosts, OtherOperations) {
  HplCosts costs;
  costs.gemm_flops_per_s = 1e12;
  EXPECT_DOUBLE_EQ(costs.trsm(64, 1000), 64. * 64 * 1000 / 1e12);  // half a product's flops
  costs.trsm_flops_per_s = 1e11;
  EXPECT_DOUBLE_EQ(costs.trsm(64, 1000), 64. * 64 * 1000 / 1e11);
  costs.panel_flops_per_s = 1e10;
  EXPECT_DOUBLE_EQ(costs.panel(900, 30), 30. * 30 * (900 - 10) / 1e10);
  costs.panel_sweep_bytes_per_s = 1e9;
  EXPECT_DOUBLE_EQ(costs.panel(900, 32),
                   32. * 32 * (900 - 32. / 3) / 1e10 + 5 * 16. * 900 * 32 / 1e9);
  costs.swap_bytes_per_s = 1e9;
  EXPECT_DOUBLE_EQ(costs.swap(32, 1000), 32. * 32 * 1000 / 1e9);
}

TEST(HplCosts, DerivedFromOneRateAndTheMemoryBandwidth) {
  Machine machine = full_machine();
  machine.sections.erase("hpl");
  machine.device.gemm_half_size.clear();
  std::vector<std::string> notes;
  const HplCosts costs = hpl_costs(machine, 4, Bound::value, notes);
  // C read and written, A and B read once, 8 bytes each, at 10 GB/s beside 40 GFLOP/s.
  const double m = 500, n = 700, k = 64;
  EXPECT_NEAR(costs.gemm(m, n, k), 2 * m * n * k / 4e10 + 8 * (2 * m * n + m * k + n * k) / 1e10,
              1e-15);
  EXPECT_FALSE(costs.panel_on_host);
  EXPECT_EQ(notes.size(), 4u);
  for (const std::string& note : notes) EXPECT_TRUE(note.starts_with("not calibrated")) << note;
}

TEST(HplCosts, SquareMatricesTakeWhatTheirCurveSays) {
  Machine machine = full_machine();
  machine.sections.erase("hpl");
  std::vector<std::string> notes;
  const HplCosts costs = hpl_costs(machine, 4, Bound::value, notes);
  // 40 GFLOP/s, and half of it at n = 40.
  for (const double n : {40., 160., 1000.})
    EXPECT_NEAR(costs.gemm(n, n, n), 2 * n * n * n / 4e10 * (1 + 40 / n), 1e-15);
  EXPECT_EQ(costs.half_m, 10);
  EXPECT_EQ(costs.half_n, 10);
  EXPECT_NE(notes.at(0).find("from that of square matrices"), std::string::npos) << notes[0];
  EXPECT_LT(hpl_costs(machine, 4, Bound::fastest, notes).gemm(200, 200, 200),
            costs.gemm(200, 200, 200));
}

TEST(HplCosts, PanelsOnTheHostNeedAPathThere) {
  Machine machine = hpl_test_machine(1e12, 0, 1e9);
  machine.links.erase("device_to_host");
  EXPECT_THROW(predict_hpl_refined(machine, {100, 10, {1, 1}}, 4, false), BadInput);
}

TEST(HplPaths, KnowWhereNodesEnd) {
  Machine machine = hpl_test_machine(1e12, 0, 1e9);
  const LinkTiming* network = &machine.links["network"].one_way;
  const LinkTiming* shared = &machine.links["shared_memory"].one_way;
  const auto paths = [&](ProcessGrid grid) { return hpl_paths(machine, grid, 4, Bound::value); };
  EXPECT_EQ(paths({1, 1}).row.timing, nullptr);
  EXPECT_EQ(paths({1, 1}).column.timing, nullptr);
  EXPECT_EQ(paths({2, 2}).row.timing, shared);
  EXPECT_EQ(paths({2, 2}).column.timing, shared);
  EXPECT_EQ(paths({4, 2}).row.timing, shared);  // two rows to a node
  EXPECT_EQ(paths({4, 2}).column.timing, network);
  EXPECT_EQ(paths({4, 2}).column.sharing, 2);
  EXPECT_EQ(paths({2, 8}).row.timing, network);
  EXPECT_EQ(paths({2, 8}).row.sharing, 1);
  EXPECT_EQ(paths({2, 8}).column.sharing, 4);
  EXPECT_EQ(paths({8, 3}).row.timing, network);  // rows of three do not fit into nodes of four
  EXPECT_EQ(paths({8, 3}).row.sharing, 2);
  EXPECT_EQ(paths({8, 1}).column.sharing, 1);
}

// N = 10, NB = 4 on 2 x 2 ranks of a node. Busiest rows (and columns) of 10, 6 and 2: 6, 4 and 2.
constexpr double gemm_rate = 1e9, latency = 1e-6, bandwidth = 1e9;
double message(double count, double bytes) { return count * latency + bytes / bandwidth; }
double panel_of(double m, double w) { return w * w * (m - w / 3) / (gemm_rate / 8); }
double pivot_of(double w) { return w * message(1, 8 * (2 * w + 4)); }
double copy_of(double m, double w) { return message(1, 8 * m * w); }

TEST(HplRefined, AddsUpTheOperationsOfASmallGrid) {
  const Prediction p = predict_hpl_refined(hpl_test_machine(gemm_rate, latency, bandwidth),
                                           {10, 4, {2, 2}}, 4, false);
  EXPECT_NEAR(hpl_term(p, "compute.panel"), panel_of(6, 4) + panel_of(4, 4) + panel_of(2, 2),
              1e-15);
  EXPECT_NEAR(hpl_term(p, "network.pivot"), 2 * pivot_of(4) + pivot_of(2), 1e-15);
  const double copies = copy_of(6, 4) + copy_of(4, 4) + copy_of(2, 2);
  EXPECT_NEAR(hpl_term(p, "copy.to_host"), copies, 1e-15);
  EXPECT_NEAR(hpl_term(p, "copy.to_device"), copies, 1e-15);
  EXPECT_NEAR(hpl_term(p, "network.broadcast"), copies, 1e-15);
  EXPECT_NEAR(hpl_term(p, "swap"), 32. * 4 * (4 + 2) / bandwidth, 1e-15);
  // Over two rows: a message of the spread, one of the roll, and 3/2 of the rows.
  EXPECT_NEAR(hpl_term(p, "network.swap"), 4 * latency + 1.5 * 8 * 4 * (4 + 2) / bandwidth, 1e-15);
  EXPECT_NEAR(hpl_term(p, "compute.trsm"), 16. * (4 + 2) / (gemm_rate / 2), 1e-15);
  EXPECT_NEAR(hpl_term(p, "compute.gemm"), 2. * 4 * (4 * 4 + 2 * 2) / gemm_rate, 1e-15);
  EXPECT_NEAR(hpl_term(p, "compute.solve"), 4. * 100 / 4 / bandwidth, 1e-15);
  EXPECT_NEAR(hpl_term(p, "network.solve"), 2 * (3 * latency + 80 / bandwidth), 1e-15);
  double sum = 0;
  for (const Term& term : p.terms) sum += term.seconds;
  EXPECT_NEAR(sum, p.total_s, 1e-15);
  EXPECT_EQ(p.hidden_fraction, 0);
}

TEST(HplRefined, LookAheadTakesTheLaterOfUpdateAndNextPanel) {
  const Machine machine = hpl_test_machine(gemm_rate, latency, bandwidth);
  const Prediction p = predict_hpl_refined(machine, {10, 4, {2, 2}}, 4, true);
  const auto update = [](double m, double n, double w) {
    return 32 * w * n / bandwidth + message(2, 1.5 * 8 * w * n) + w * w * n / (gemm_rate / 2) +
           2 * m * n * w / gemm_rate;
  };
  const auto ahead = [](double m, double w) {
    return panel_of(m, w) + pivot_of(w) + 3 * copy_of(m, w);
  };
  // The next panels wait for their columns: 4 of 4, then 2 of 2.
  const double expected = ahead(6, 4) + update(4, 4, 4) + ahead(4, 4) + update(2, 2, 4) +
                          ahead(2, 2) + 4. * 100 / 4 / bandwidth +
                          2 * (3 * latency + 80 / bandwidth);
  EXPECT_NEAR(p.total_s, expected, 1e-15);
  // With many columns beyond the next block column, much hides.
  const Prediction off = predict_hpl_refined(machine, {4000, 32, {2, 2}}, 4, false);
  const Prediction on = predict_hpl_refined(machine, {4000, 32, {2, 2}}, 4, true);
  EXPECT_LT(on.total_s, off.total_s);
  EXPECT_GT(on.hidden_fraction, 0.9);
  EXPECT_LE(on.hidden_fraction, 1);
  EXPECT_NEAR(on.communication_s, off.communication_s, 1e-12);
  double sum = 0;
  for (const Term& term : on.terms) sum += term.seconds;
  EXPECT_NEAR(sum, on.total_s, 1e-9 * on.total_s);
}

TEST(HplRefined, FullyHiddenPanelsLeaveTheUpdate) {
  const Machine machine = hpl_test_machine(1e9, 0, 1e15);
  const Prediction off = predict_hpl_refined(machine, {6400, 16, {2, 2}}, 4, false);
  const Prediction on = predict_hpl_refined(machine, {6400, 16, {2, 2}}, 4, true);
  EXPECT_NEAR(hpl_term(on, "compute.gemm"), hpl_term(off, "compute.gemm"), 1e-9);
  EXPECT_LT(hpl_term(on, "compute.panel"), 0.05 * hpl_term(off, "compute.panel"));
}

TEST(HplRefined, ADeviceThatFactorsItsPanelsSpendsThemOnceInQ) {
  Machine machine = hpl_test_machine(1e9, 0, 1e15);
  section<HplParameters>(machine)->kernels->panel_on = "device";
  const Prediction off = predict_hpl_refined(machine, {6400, 16, {1, 4}}, 4, false);
  const Prediction on = predict_hpl_refined(machine, {6400, 16, {1, 4}}, 4, true);
  EXPECT_NEAR(hpl_term(on, "compute.panel") / hpl_term(off, "compute.panel"), 0.25, 0.05);
  // One rank has nobody to compute ahead for it.
  const HplProblem alone{640, 16, {1, 1}};
  EXPECT_NEAR(predict_hpl_refined(machine, alone, 4, true).total_s,
              predict_hpl_refined(machine, alone, 4, false).total_s, 1e-12);
}

TEST(HplRefined, GivesUpBeyondTheLimit) {
  const Machine machine = hpl_test_machine(1e9, 0, 1e9);
  std::vector<std::string> notes;
  const HplCosts costs = hpl_costs(machine, 4, Bound::value, notes);
  const HplProblem problem{1000, 16, {1, 1}};
  const double total = factor_hpl(costs, {}, problem, false).total_s;
  EXPECT_DOUBLE_EQ(factor_hpl(costs, {}, problem, false, total).total_s, total);
  EXPECT_GT(factor_hpl(costs, {}, problem, false, 0.99 * total).total_s, 1e300);
}

TEST(HplRefined, NotesMessagesBeyondTheCalibration) {
  const Prediction p = predict_hpl_refined(full_machine(), {200000, 128, {2, 2}}, 4, false);
  bool noted = false;
  for (const std::string& note : p.outside_range) noted |= note.starts_with("panels of");
  EXPECT_TRUE(noted);
  EXPECT_LT(p.low_s, p.total_s);
  EXPECT_GT(p.high_s, p.total_s);
}

}  // namespace
}  // namespace bellwether
