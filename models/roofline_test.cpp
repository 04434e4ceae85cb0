// SPDX-License-Identifier: MIT
#include "models/roofline.hpp"

#include <gtest/gtest.h>

#include "models/machine_json.hpp"

namespace bellwether {
namespace {

Roofline published(const char* machine) {
  const DeviceParameters device = find_machine(machine).device;
  return {device.peak_flops_per_s.at("f32").value, device.memory_bandwidth_bytes_per_s.value};
}

// Section 6.1.2 and 6.1.3: 13 flops and 8 accesses of 4 bytes a cell.
TEST(Roofline, ReproducesThePapersDiffusionRates) {
  EXPECT_NEAR(roofline_flops_per_s(published("tsubame2.0"), 13, 32), 56.8e9, 0.05e9);
  EXPECT_NEAR(roofline_flops_per_s(published("cray-xk6m"), 13, 32), 99.0e9, 0.05e9);
}

// Section 6.2.2: 476 flops a cell, F/B = 1.83.
TEST(Roofline, ReproducesThePapersLatticeBoltzmannRate) {
  EXPECT_NEAR(roofline_flops_per_s(published("tsubame2.0"), 476, 476 / 1.83), 214.5e9, 0.05e9);
}

TEST(Roofline, OtherTimeAddsUp) {
  EXPECT_DOUBLE_EQ(roofline_time({100, 10}, 200, 30, 4), 2 + 3 + 4);
  EXPECT_DOUBLE_EQ(roofline_flops_per_s({100, 10}, 200, 30, 5), 20);
}

}  // namespace
}  // namespace bellwether
