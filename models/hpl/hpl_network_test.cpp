// SPDX-License-Identifier: MIT
#include "models/hpl/hpl_network.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"

namespace bellwether {
namespace {

TEST(HplNetwork, EthernetFramesAreWhole) {
  EXPECT_EQ(ethernet_frame_overhead_bytes, 58);
  EXPECT_EQ(ethernet_frames(0, 1500), 0);
  EXPECT_EQ(ethernet_frames(1, 1500), 1);
  EXPECT_EQ(ethernet_frames(1442, 1500), 1);
  EXPECT_EQ(ethernet_frames(1443, 1500), 2);
  EXPECT_EQ(ethernet_frames(8942 * 7, 9000), 7);
}

TEST(HplNetwork, EthernetTimeCountsSlotsOverheadsAndData) {
  // Two frames at 1 bit/s: 2 x 512 bits of slots, 2 x 58 x 8 of overhead, 1443 x 8 of data.
  EXPECT_DOUBLE_EQ(ethernet_time(1443, 1, 1500), 1024 + 928 + 11544);
  EXPECT_DOUBLE_EQ(ethernet_time(1443, 1e10, 1500), 13496e-10);
  EXPECT_EQ(ethernet_time(0, 1e9, 1500), 0);
}

TEST(HplNetwork, InfinibandBandwidthOfEachGeneration) {
  const std::pair<const char*, double> lanes[] = {{"SDR", 2.5 * 0.8},     {"DDR", 5 * 0.8},
                                                  {"QDR", 10 * 0.8},      {"FDR", 14 * 64. / 66},
                                                  {"EDR", 25 * 64. / 66}, {"HDR", 50 * 64. / 66},
                                                  {"NDR", 100 * 64. / 66}};
  EXPECT_EQ(infiniband_generations().size(), 7u);
  for (const auto& [generation, gbits] : lanes)
    EXPECT_NEAR(infiniband_bandwidth(generation, 4), 4 * gbits / 8 * 1e9, 1) << generation;
  EXPECT_THROW(infiniband_bandwidth("XDR", 4), BadInput);
}

}  // namespace
}  // namespace bellwether
