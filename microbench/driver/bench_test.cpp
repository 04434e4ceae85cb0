// SPDX-License-Identifier: MIT
#include "microbench/driver/bench.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

constexpr double h200_bytes_per_s = 4.8e12;

TEST(DeviceBatch, TakesMillisecondsWhateverTheBytesAndTheDevice) {
  for (const double bytes_per_s : {1e9, 2e10, h200_bytes_per_s}) {
    for (const double bytes : {1e8, 1e9, 4e9, 1e11}) {
      const double sample_s = device_batch(bytes, bytes_per_s) * bytes / bytes_per_s;
      EXPECT_GE(sample_s, 1e-2 * (1 - 1e-9)) << bytes;
      EXPECT_LE(sample_s, 1e-2 * (1 + 1e-9) + bytes / bytes_per_s) << bytes;
    }
  }
}

TEST(DeviceBatch, OfSmallKernelsIsAsLongAsLaunchesMakeIt) {
  EXPECT_EQ(device_batch(8, h200_bytes_per_s), 1000);
  EXPECT_EQ(device_batch(1e6, h200_bytes_per_s), 1000);
}

}  // namespace
}  // namespace bellwether
