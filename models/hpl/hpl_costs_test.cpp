// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_costs.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/hpl/hpl_test_costs.hpp"
#include "models/machine/test_full_machine.hpp"

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

TEST(HplCosts, RatesByKGoBeforeTheRamp) {
  HplCosts costs;
  costs.gemm_flops_per_s = 1;
  costs.gemm_by_k = {{64, 2e12, 0, 0}, {128, 4e12, 0, 40}};
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 64), 2. * 100 * 200 * 64 / 2e12);
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 128), 2. * 100 * 240 * 128 / 4e12);
  // Half way in 1/k, 1/85.33, half way in seconds per flop, and beyond the ends as there.
  const double k = 256. / 3;
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, k), 2. * 100 * 220 * k * (0.5 / 2e12 + 0.5 / 4e12));
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 32), 2. * 100 * 200 * 32 / 2e12);
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 512), 2. * 100 * 240 * 512 / 4e12);
}

TEST(HplCosts, Triangles) {
  HplCosts costs;
  costs.gemm_flops_per_s = 1e12;
  EXPECT_DOUBLE_EQ(costs.triangle(64, 1000), 5. / 8 * 2 * 64 * 64 * 1000 / 1e12);
  costs.triangles = {{64, 1e11, 0, 100}};
  EXPECT_DOUBLE_EQ(costs.triangle(64, 1000), 64. * 64 * 1100 / 1e11);
  EXPECT_EQ(costs.triangle(64, 0), 0);
}

TEST(HplCosts, PanelsDerivedFromARate) {
  HplCosts costs;
  costs.gemm_flops_per_s = 1e12;
  costs.panel_flops_per_s = 1e10;
  costs.panel_copy_bytes_per_s = 1e9;
  const double copy = 16. * 932 * 32 / 1e9, inverse = 32. * 32 * 32 / 3 / 1e12;
  EXPECT_DOUBLE_EQ(costs.panel(900, 32), copy + 32. * 32 * (900 - 32. / 3) / 1e10 + inverse);
  costs.panel_sweep_bytes_per_s = 1e9;
  EXPECT_DOUBLE_EQ(costs.panel(900, 32),
                   copy + 32. * 32 * (900 - 32. / 3) / 1e10 + 5 * 16. * 900 * 32 / 1e9 + inverse);
}

TEST(HplCosts, PanelsBetweenThoseMeasured) {
  HplCosts costs;
  costs.panel_copy_bytes_per_s = 1e300;
  costs.panels = {{64, {{64, 1.}, {128, 3.}, {256, 4.}}, 0}, {128, {{128, 20.}}, 0}};
  EXPECT_DOUBLE_EQ(costs.panel(64, 64), 1);
  EXPECT_DOUBLE_EQ(costs.panel(32, 64), 0.5);  // in proportion below
  EXPECT_DOUBLE_EQ(costs.panel(96, 64), 2);
  EXPECT_DOUBLE_EQ(costs.panel(192, 64), 3.5);
  EXPECT_DOUBLE_EQ(costs.panel(512, 64), 6);    // along the last two
  EXPECT_DOUBLE_EQ(costs.panel(256, 128), 40);  // one height alone: in proportion
  EXPECT_DOUBLE_EQ(costs.panel(64, 32), 0.25);  // narrower and wider ones with the square
  EXPECT_DOUBLE_EQ(costs.panel(128, 256), 80);
  EXPECT_DOUBLE_EQ(costs.panel(128, 96), 96 * (3. / 64 + 20. / 128) / 2);
  costs.panels[0].inverse_s = 8;
  costs.panels[1].inverse_s = 64;
  EXPECT_DOUBLE_EQ(costs.panel(64, 64), 1 + 8);
  EXPECT_DOUBLE_EQ(costs.panel(64, 32), 0.25 + 1);  // with the cube
  EXPECT_DOUBLE_EQ(costs.panel(128, 96),
                   96 * (3. / 64 + 20. / 128) / 2 + 96. * 96 * (8. / 4096 + 64. / 16384) / 2);
}

TEST(HplCosts, Copies) {
  HplCosts costs;
  costs.swap_bytes_per_s = 1e9;
  EXPECT_DOUBLE_EQ(costs.copy_rows(32 * 1000), 16. * 32 * 1000 / 1e9);
  costs.solve_bytes_per_s = 2e9;
  EXPECT_DOUBLE_EQ(costs.sweep(1000), 8. * 1000 / 2e9);
}

TEST(HplCosts, DerivedFromOneRateAndTheMemoryBandwidth) {
  Machine machine = full_machine();
  machine.sections.erase("hpl");
  machine.device.memory_efficiency.reset();
  std::vector<std::string> notes;
  const HplCosts costs = hpl_costs(machine, 4, Bound::value, notes);
  // C read and written, A and B read once, 8 bytes each, at 10 GB/s beside 40 GFLOP/s.
  const double m = 500, n = 700;
  EXPECT_NEAR(costs.gemm(m, n, 64), 2 * m * n * 64 / 4e10, 1e-15);
  EXPECT_NEAR(costs.gemm(m, n, 16), 8 * (2 * m * n + m * 16 + n * 16) / 1e10, 1e-15);
  EXPECT_FALSE(costs.panels_beside());
  EXPECT_EQ(notes.size(), 6u);
  for (const std::string& note : notes) EXPECT_TRUE(note.starts_with("not calibrated")) << note;
}

TEST(HplCosts, MeasuredOnesAreTaken) {
  std::vector<std::string> notes;
  const HplCosts costs = hpl_costs(full_machine(), 4, Bound::value, notes);
  EXPECT_TRUE(notes.empty());
  EXPECT_DOUBLE_EQ(costs.gemm(100, 200, 64), 2. * 64 * (100. * 200 + 12 * 200 + 24 * 100) / 2.7e10);
  EXPECT_DOUBLE_EQ(costs.triangle(256, 100), 256. * 256 * 120 / 2e10);
  EXPECT_DOUBLE_EQ(costs.panel(4096, 64), 16. * 4160 * 64 / 5e9 + 4e-3 + 3e-5);
  EXPECT_EQ(costs.broadcast_bytes_per_s, 3e9);
  EXPECT_EQ(costs.pivot_s, 1.2e-6);
  const HplCosts slow = hpl_costs(full_machine(), 4, Bound::slowest, notes);
  EXPECT_GT(slow.panel(1000, 100), costs.panel(1000, 100));
  EXPECT_GT(slow.copy_rows(100), costs.copy_rows(100));
}

TEST(HplCosts, PanelsAreOfWhomIsAskedForThem) {
  const Machine machine = hpl_test_gpu(1e12, 1e-6, 1e9, 5e-6, 2e11);
  std::vector<std::string> notes;
  const auto of = [&](const Machine& one, const char* panel, Bound bound = Bound::value) {
    return hpl_costs(one, 4, bound, notes, panel);
  };
  // Copies, columns and flops; no inverse, and solving with L11 instead.
  const double copies = 16. * (1000 + 128) * 128 / 1e9;
  const HplCosts device = of(machine, "device");
  EXPECT_DOUBLE_EQ(device.panel(1000, 128),
                   copies + 128 * 5e-6 + 128. * 128 * (1000 - 128 / 3.) / 2e11);
  EXPECT_DOUBLE_EQ(device.triangle(128, 100), 128. * 128 * 100 / 2.5e11);
  EXPECT_EQ(device.panels_by, PanelsBy::stream);
  EXPECT_DOUBLE_EQ(of(machine, "host").panel(1000, 128), of(machine, "").panel(1000, 128));
  EXPECT_DOUBLE_EQ(of(machine, "host").triangle(128, 100), 128. * 128 * 100 / 5e11);
  EXPECT_EQ(of(machine, "").panels_by, PanelsBy::host) << "as panel_on says";
  EXPECT_EQ(of(hpl_test_machine(1e12, 1e-6, 1e9, "cpu"), "device").panels_by, PanelsBy::updater);
  EXPECT_TRUE(notes.empty());
  Machine wide = machine;
  DevicePanel& panel = *section<HplParameters>(wide)->kernels->device_panel;
  panel.column_s.high = 6e-6;
  panel.flops_per_s.low = 1e11;
  EXPECT_GT(of(wide, "device", Bound::slowest).panel(1000, 128), device.panel(1000, 128));
}

TEST(HplCosts, PanelsThatWereNotCalibratedSaySo) {
  Machine machine = hpl_test_machine(1e12, 1e-6, 1e9);
  std::vector<std::string> notes;
  const HplCosts derived = hpl_costs(machine, 4, Bound::value, notes, "device");
  // Seven sweeps of 16 bytes an element at 1 GB/s.
  EXPECT_DOUBLE_EQ(derived.panel(1000, 128), 16. * (1128 * 128 + 1000 * 128 * 7) / 1e9 +
                                                 128. * 128 * (1000 - 128 / 3.) / 1e12);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with(
      "not calibrated: no hpl.kernels.device_panel (bellwether calibrate); panels derived"));
  // A device's table is none of its host's, and the other way round.
  section<HplParameters>(machine)->kernels->panel_on = "device";
  notes.clear();
  const HplCosts table = hpl_costs(machine, 4, Bound::value, notes, "device");
  EXPECT_DOUBLE_EQ(table.panel(1000, 128), 16. * 1128 * 128 / 1e9 + 8. * 1000 * 128 * 128 / 1e12);
  EXPECT_TRUE(notes.empty());
  (void)hpl_costs(machine, 4, Bound::value, notes, "host");
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("not calibrated: no hpl.kernels.panel; "));
  notes.clear();
  machine = hpl_test_gpu(1e12, 1e-6, 1e9, 5e-6, 2e11);
  section<HplParameters>(machine)->kernels->device_panel->triangle.clear();
  EXPECT_DOUBLE_EQ(hpl_costs(machine, 4, Bound::value, notes, "device").triangle(128, 100),
                   128. * 128 * 100 / 5e11);
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_TRUE(notes[0].starts_with("not calibrated: no hpl.kernels.device_panel.triangle"));
}

TEST(HplCosts, APredictionIsOfTheDevicesPanelsWhereItIsCalibratedForThem) {
  const Machine known = hpl_test_gpu(1e12, 1e-6, 1e9, 5e-6, 2e11);
  const Machine unknown = hpl_test_machine(1e12, 1e-6, 1e9);
  const Machine cpu = hpl_test_machine(1e12, 1e-6, 1e9, "cpu");
  EXPECT_EQ(predicted_panel(known, "", {1, 4}), "device");
  EXPECT_EQ(predicted_panel(known, "", {2, 2}), "");
  EXPECT_EQ(predicted_panel(known, "host", {1, 4}), "host");
  EXPECT_EQ(predicted_panel(unknown, "", {1, 4}), "");
  EXPECT_EQ(predicted_panel(unknown, "device", {1, 4}), "device");
  EXPECT_EQ(predicted_panel(cpu, "host", {1, 4}), "");
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
  EXPECT_EQ(paths({1, 1}).row_within.timing, nullptr);
  EXPECT_EQ(paths({1, 1}).row_between.timing, nullptr);
  EXPECT_EQ(paths({1, 1}).column.timing, nullptr);
  EXPECT_EQ(paths({2, 2}).row_within.timing, shared);
  EXPECT_EQ(paths({2, 2}).row_between.timing, nullptr);
  EXPECT_EQ(paths({2, 2}).column.timing, shared);
  EXPECT_EQ(paths({4, 2}).row_within.timing, shared);  // two rows to a node
  EXPECT_EQ(paths({4, 2}).row_between.timing, nullptr);
  EXPECT_EQ(paths({4, 2}).column.timing, network);
  EXPECT_EQ(paths({4, 2}).column.sharing, 2);
  EXPECT_FALSE(paths({4, 2}).column_within);
  EXPECT_EQ(paths({2, 8}).row_within.timing, shared);
  EXPECT_EQ(paths({2, 8}).row_between.timing, network);
  EXPECT_EQ(paths({2, 8}).row_between.sharing, 1);
  EXPECT_EQ(paths({2, 8}).node_of(3), 0);
  EXPECT_EQ(paths({2, 8}).node_of(4), 1);
  EXPECT_EQ(paths({2, 8}).column.sharing, 4);
  EXPECT_EQ(paths({8, 3}).row_within.timing, nullptr);  // rows of three end amid nodes of four
  EXPECT_EQ(paths({8, 3}).row_between.timing, network);
  EXPECT_EQ(paths({8, 3}).row_between.sharing, 2);
  EXPECT_EQ(paths({8, 1}).column.sharing, 1);
  // Along the columns: two of them to a node of four.
  EXPECT_EQ(paths({2, 4, true}).column.timing, shared);
  EXPECT_TRUE(paths({2, 4, true}).column_within);
  EXPECT_EQ(paths({2, 4, true}).row_within.timing, shared);
  EXPECT_EQ(paths({2, 4, true}).row_between.timing, network);
  EXPECT_EQ(paths({2, 4, true}).row_between.sharing, 2);
  EXPECT_EQ(paths({2, 4, true}).node_of(1), 0);
  EXPECT_EQ(paths({2, 4, true}).node_of(2), 1);
  EXPECT_EQ(paths({8, 2, true}).row_within.timing, nullptr);
  EXPECT_EQ(paths({8, 2, true}).column.timing, network);
  EXPECT_FALSE(paths({8, 2, true}).column_within);
  EXPECT_EQ(paths({3, 8, true}).column_within, false);  // they end amid nodes
}

TEST(HplRoutes, CountLinksAndHopsOfATorus) {
  Machine machine = hpl_test_machine(1e9, 1e-6, 1e9, "cpu");
  const ProcessGrid grid{4, 4};
  EXPECT_EQ(hpl_paths(machine, grid, 1, Bound::value).routes, nullptr);
  machine.topology = parse_topology("torus:4x4");
  machine.topology->link_bandwidth_bytes_per_s = Quantity::exact(1e9);
  machine.topology->hop_latency_s = Quantity::exact(1e-7);
  const auto routes = hpl_paths(machine, grid, 1, Bound::value).routes;
  ASSERT_NE(routes, nullptr);
  // To the next row over links of its own; two rows on each link has two of its column's.
  EXPECT_DOUBLE_EQ(routes->column_exchange(0).byte_s, 0);
  EXPECT_DOUBLE_EQ(routes->column_exchange(0).latency_s, 0);
  EXPECT_DOUBLE_EQ(routes->column_exchange(1).byte_s, 1e-9);
  EXPECT_DOUBLE_EQ(routes->column_exchange(1).latency_s, 1e-7);
  EXPECT_DOUBLE_EQ(routes->lone_column_exchange(1).byte_s, 1e-9);
  EXPECT_DOUBLE_EQ(routes->all_column_exchanges().byte_s, 1e-9);
  EXPECT_DOUBLE_EQ(routes->all_column_exchanges().latency_s, 1e-7);
  // Each row on links of its own, the second column a hop further.
  EXPECT_DOUBLE_EQ(routes->edge(0, 1).sharing, 1);
  EXPECT_DOUBLE_EQ(routes->edge(0, 1).latency_s, 0);
  EXPECT_DOUBLE_EQ(routes->edge(0, 2).latency_s, 1e-7);
}

TEST(HplRoutes, MakeExchangesSlower) {
  Machine machine = hpl_test_machine(1e9, 1e-6, 1e9, "cpu");
  const HplProblem problem{512, 32, {4, 4}, "ring", "spread-roll"};
  const auto term = [&](const char* name) {
    for (const Term& one : predict_hpl_refined(machine, problem, 1, false).terms)
      if (one.name == name) return one.seconds;
    return 0.;
  };
  const double flat = term("network.swap"), pivots = term("network.pivot");
  machine.topology = parse_topology("torus:16");
  machine.topology->link_bandwidth_bytes_per_s = Quantity::exact(1e9);
  machine.topology->hop_latency_s = Quantity::exact(1e-6);
  EXPECT_GT(term("network.swap"), 1.2 * flat);
  EXPECT_GT(term("network.pivot"), 2 * pivots);
}

}  // namespace
}  // namespace bellwether
