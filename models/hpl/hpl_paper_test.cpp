// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "models/errors.hpp"
#include "models/hpl/hpl_paper.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/machine/machine_file.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

/// The sums of Section 4.2 panel by panel.
HplTimes by_panels(const HplCluster& cluster, const HplSize& size) {
  const HplRates& rates = cluster.rates;
  double work = 0, fixed = 0, per_share = 0;
  for (double m = size.size - size.block; m >= 0; m -= size.block) {
    work += 2 * size.block * m * m + 2 * size.block * size.block * m;
    fixed += 8 * size.block * m / rates.down_bytes_per_s;
    per_share += 8 * size.block * m / rates.down_bytes_per_s;
    if (!rates.matrix_on_device) per_share += 8 * m * m / rates.up_bytes_per_s;
  }
  const double host = rates.host_flops_per_s, device = rates.device_flops_per_s;
  HplTimes times;
  const double share =
      device * (work - host * fixed) / (work * (host + device) + host * device * per_share);
  times.device_share = std::max(0., share);
  const double r = times.device_share;
  for (double m = size.size - size.block; m >= 0; m -= size.block) {
    const double gemm = 2 * size.block * m * m;
    const double trsm = 2 * size.block * size.block * m;
    double copy = 8 * size.block * m * (1 + r) / rates.down_bytes_per_s;
    if (!rates.matrix_on_device) copy = 8 * m * m * r / rates.up_bytes_per_s;
    if (r == 0) copy = 0;
    if (copy + r * gemm / device > (1 - r) * gemm / host) {
      times.gemm_s += r * gemm / device;
      times.copy_s += copy;
    } else {
      times.gemm_s += (1 - r) * gemm / host;
    }
    times.trsm_s += std::max(r / device, (1 - r) / host) * trsm;
  }
  return times;
}

void expect_same(const HplTimes& found, const HplTimes& expected) {
  EXPECT_NEAR(found.device_share, expected.device_share, 1e-9);
  EXPECT_NEAR(found.gemm_s, expected.gemm_s, 1e-9 * expected.total_s());
  EXPECT_NEAR(found.trsm_s, expected.trsm_s, 1e-9 * expected.total_s());
  EXPECT_NEAR(found.copy_s, expected.copy_s, 1e-9 * expected.total_s());
}

TEST(HplPaper, ClosedSumsAreTheSumsOverPanels) {
  HplCluster cluster;
  cluster.rates = {8e11, 9e12, 3.2e10, 1.6e10, true};
  for (const double size : {100., 1000., 20000., 20001., 88000.}) {
    for (const double block : {32., 77., 100., 256.}) {
      if (block > size) continue;
      for (const bool on_device : {true, false}) {
        cluster.rates.matrix_on_device = on_device;
        expect_same(simulate_hpl(cluster, {size, block}), by_panels(cluster, {size, block}));
      }
    }
  }
}

TEST(HplPaper, NetworkOfTwoNodesOverInfiniband) {
  // N = 10, NB = 3 over two nodes: 8 x 3 x (7 + 4 + 1) / 2 bytes, twice over a star.
  HplCluster cluster;
  cluster.rates = {1, 1, 1, 1, true};
  cluster.nodes = 2;
  cluster.network_bytes_per_s = 16;
  cluster.network_factor = 2 / 0.5;
  EXPECT_DOUBLE_EQ(simulate_hpl(cluster, {10, 3}).network_s, 4 * 144. / 16);
  cluster.nodes = 1;
  EXPECT_EQ(simulate_hpl(cluster, {10, 3}).network_s, 0);
}

TEST(HplPaper, NetworkOverEthernetInWholeFrames) {
  HplCluster cluster;
  cluster.rates = {1, 1, 1, 1, true};
  cluster.nodes = 2;
  cluster.ethernet_bits_per_s = 1;
  cluster.mtu_bytes = 58 + 40;
  cluster.network_factor = 3;
  // Panels of 84, 48 and 12 bytes in 3, 2 and 1 frames.
  const double bits = 6 * 512 + 6 * 58 * 8 + 144 * 8;
  EXPECT_DOUBLE_EQ(simulate_hpl(cluster, {10, 3}).network_s, 3 * bits);
}

TEST(HplPaper, ClusterOfTheMi50Machine) {
  const Machine machine = find_machine("mi50-cluster");
  EXPECT_DOUBLE_EQ(machine.device.peak_flops_per_s.at("f64").value, 3840 * 1301e6);
  std::vector<std::string> notes;
  const HplCluster cluster = hpl_cluster(machine, 8, 4, Bound::value, notes);
  const HplSimulationParameters& simulation = *section<HplParameters>(machine)->simulation;
  EXPECT_EQ(cluster.nodes, 2);
  EXPECT_DOUBLE_EQ(cluster.rates.device_flops_per_s,
                   8 * 3840 * 1301e6 * 0.9 * simulation.device_efficiency.value);
  EXPECT_DOUBLE_EQ(cluster.rates.host_flops_per_s,
                   2 * 2 * 16 * 2.6e9 * 32 * 0.9 * simulation.host_efficiency.value);
  EXPECT_DOUBLE_EQ(cluster.rates.down_bytes_per_s, 2 * 32e9);
  EXPECT_NEAR(cluster.network_bytes_per_s, 100e9 * 64 / 66 / 8, 1);
  EXPECT_DOUBLE_EQ(cluster.network_factor, 2 / simulation.network_efficiency.value);
  EXPECT_TRUE(notes.empty());
}

TEST(HplPaper, TermsAddUpAndIntervalsHoldTheValue) {
  const Prediction p = predict_hpl_paper(full_machine(), {2000, 64, {2, 4}}, 4);
  double sum = 0;
  for (const Term& term : p.terms) {
    sum += term.seconds;
    EXPECT_LE(term.low, term.seconds);
    EXPECT_GE(term.high, term.seconds);
  }
  EXPECT_NEAR(sum, p.total_s, 1e-12 * p.total_s);
  EXPECT_LT(p.low_s, p.total_s);
  EXPECT_GT(p.high_s, p.total_s);
  EXPECT_EQ(p.form, "paper");
}

TEST(HplPaper, OneCpuRankWithoutCalibrationIsFlopsOverRate) {
  Machine machine = full_machine();
  machine.sections.erase("hpl");
  const Prediction p = predict_hpl_paper(machine, {10, 3, {1, 1}}, 4);
  // dgemm 2 x 3 x (49 + 16 + 1) and the solves 2 x 9 x 12 at 40 GFLOP/s.
  EXPECT_NEAR(p.total_s, (396 + 216) / 4e10, 1e-18);
  ASSERT_FALSE(p.outside_range.empty());
  EXPECT_NE(p.outside_range.front().find("not calibrated"), std::string::npos);
}

TEST(HplPaper, SeveralNodesWithoutAnyNetworkAreRefused) {
  Machine machine = full_machine();
  machine.sections.erase("hpl");
  machine.links.erase("network");
  EXPECT_NO_THROW(predict_hpl_paper(machine, {100, 10, {2, 2}}, 4));
  EXPECT_THROW(predict_hpl_paper(machine, {100, 10, {2, 4}}, 4), BadInput);
}

// N = 10, NB = 3: three panels with 7, 4 and 1 left.
const HplSize small{10, 3};

TEST(HplSplit, SumsOverPanels) {
  EXPECT_EQ(small.panels(), 3);
  EXPECT_DOUBLE_EQ(panel_sums(10, 3, 3).order, 7 + 4 + 1);
  EXPECT_DOUBLE_EQ(panel_sums(10, 3, 3).square, 49 + 16 + 1);
  EXPECT_DOUBLE_EQ(panel_sums(10, 3, 2).order, 7 + 4);
  EXPECT_DOUBLE_EQ(panel_sums(10, 3, 0).square, 0);
  EXPECT_DOUBLE_EQ(gemm_flops(small), 2. * 3 * 66);
  EXPECT_DOUBLE_EQ(trsm_flops(small), 2. * 9 * 12);
}

TEST(HplSplit, UpdateIsNearlyTheWholeFactorization) {
  const HplSize large{88000, 256};
  const double flops = gemm_flops(large) + trsm_flops(large);
  EXPECT_NEAR(flops / (2. / 3 * 88000. * 88000 * 88000), 1, 0.001);
}

TEST(HplSplit, TransfersOfEquation6) {
  HplRates rates{.device_flops_per_s = 1, .down_bytes_per_s = 2, .up_bytes_per_s = 4};
  // 8 bytes of NB m (1 + R) down and of m^2 R up.
  const TransferTime all = transfer_time(small, rates);
  EXPECT_DOUBLE_EQ(all.fixed_s, 8. * 3 * 12 / 2);
  EXPECT_DOUBLE_EQ(all.per_share_s, 8. * 3 * 12 / 2 + 8. * 66 / 4);
  rates.matrix_on_device = true;
  EXPECT_DOUBLE_EQ(transfer_time(small, rates).per_share_s, 8. * 3 * 12 / 2);
  rates.device_flops_per_s = 0;
  EXPECT_EQ(transfer_time(small, rates).fixed_s, 0);
}

TEST(HplSplit, WithoutTransfersRatesDivideTheWork) {
  EXPECT_DOUBLE_EQ(device_share(1, {.host_flops_per_s = 1, .device_flops_per_s = 8}, {}), 8. / 9);
  EXPECT_EQ(device_share(1, {.host_flops_per_s = 0, .device_flops_per_s = 8}, {}), 1);
  EXPECT_EQ(device_share(1, {.host_flops_per_s = 1, .device_flops_per_s = 0}, {}), 0);
}

TEST(HplSplit, SolvesTheLinearPair) {
  // W = 12, G_cpu = 1, G_gpu = 2, t_x = 1 + 3 R: R = 2 (12 - 1) / (12 x 3 + 2 x 3) = 22 / 42.
  const double share = device_share(12, {.host_flops_per_s = 1, .device_flops_per_s = 2}, {1, 3});
  EXPECT_DOUBLE_EQ(share, 11. / 21);
  const double transfer = 1 + 3 * 11. / 21;
  EXPECT_NEAR(12 * (1 - share) / 1, 12 * share / 2 + transfer, 1e-12);
}

TEST(HplSplit, HostAloneWhereSendingTakesLonger) {
  EXPECT_EQ(device_share(12, {.host_flops_per_s = 1, .device_flops_per_s = 2}, {13, 0}), 0);
}

}  // namespace
}  // namespace bellwether
