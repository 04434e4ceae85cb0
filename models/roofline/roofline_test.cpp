// SPDX-License-Identifier: MIT
#include "models/roofline/roofline.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/machine/machine_file.hpp"
#include "models/random_inputs_test.hpp"

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

RC_GTEST_PROP(Roofline, StaysBelowBothRoofsAndReachesThem, ()) {
  const Roofline device{random_between(1e9, 1e14), random_between(1e9, 1e13)};
  const double flops = random_between(1, 1e6);
  const double bytes = random_between(1, 1e6);
  const double rate = roofline_flops_per_s(device, flops, bytes);
  RC_ASSERT(rate <= device.peak_flops_per_s);
  RC_ASSERT(rate <= device.peak_bytes_per_s * flops / bytes);
  // Never below half the plain roofline, which takes the longer of both times and not their sum.
  const double roof = std::min(device.peak_flops_per_s, device.peak_bytes_per_s * flops / bytes);
  RC_ASSERT(rate >= roof / 2 * (1 - 1e-12));
  RC_ASSERT(std::abs(roofline_flops_per_s(device, flops, 0) / device.peak_flops_per_s - 1) < 1e-12);
}

RC_GTEST_PROP(Roofline, TimeGrowsWithWorkAndScalesAsATime, ()) {
  const Roofline device{random_between(1e9, 1e14), random_between(1e9, 1e13)};
  const double flops = random_between(1, 1e6);
  const double bytes = random_between(1, 1e6);
  const double other = random_between(1e-9, 1);
  const double time = roofline_time(device, flops, bytes, other);
  const double more = random_between(1, 10);
  RC_ASSERT(roofline_time(device, flops * more, bytes, other) >= time);
  RC_ASSERT(roofline_time(device, flops, bytes * more, other) >= time);
  const double c = random_between(1e-3, 1e3);
  const Roofline scaled{c * device.peak_flops_per_s, c * device.peak_bytes_per_s};
  RC_ASSERT(std::abs(roofline_time(scaled, flops, bytes, other / c) * c / time - 1) < 1e-12);
}

}  // namespace
}  // namespace bellwether
