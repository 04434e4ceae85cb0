// SPDX-License-Identifier: MIT
#include "microbench/driver/bench.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

constexpr double h200_bytes_per_s = 4.8e12;

TEST(DeviceBatch, TakesMillisecondsWhateverTheBytes) {
  for (const double bytes : {1e8, 1e9, 4e9, 1e11}) {
    const double sample_s = device_batch(bytes) * bytes / h200_bytes_per_s;
    EXPECT_GE(sample_s, 4e-3) << bytes;
    EXPECT_LE(sample_s, 5e-3 + bytes / h200_bytes_per_s) << bytes;
  }
}

TEST(DeviceBatch, OfSmallKernelsIsAsLongAsLaunchesMakeIt) {
  EXPECT_EQ(device_batch(8), 1000);
  EXPECT_EQ(device_batch(1e6), 1000);
}

}  // namespace
}  // namespace bellwether
