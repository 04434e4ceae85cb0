// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_paper.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

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
