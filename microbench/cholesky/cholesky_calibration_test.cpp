// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "microbench/cholesky/cholesky.hpp"
#include "microbench/driver/toy_calibration_test.hpp"
#include "models/cholesky/cholesky_curve.hpp"
#include "models/cholesky/cholesky_parameters.hpp"

namespace bellwether {
namespace {

TEST(Calibrate, MeasuresCholeskysOperations) {
  const Machine& machine = toy_calibration().machine;
  const auto* const own = section<CholeskyParameters>(machine);
  ASSERT_NE(own, nullptr);
  ASSERT_EQ(own->kernels.size(), 2U);
  for (const auto& [precision, rates] : own->kernels) {
    EXPECT_GE(rates.update.size(), 3U) << precision;
    ASSERT_EQ(rates.blocks.size(), 2U) << precision;
    EXPECT_EQ(rates.blocks.back().block, 16);
    EXPECT_GT(rates.scale_bandwidth_bytes_per_s.value, 0);
  }
  EXPECT_EQ(own->broadcast_latency_s.has_value(), session->size() > 1);
  EXPECT_EQ(own->broadcast_overhead_s.has_value(), session->size() > 1);
  // Nothing is left to derive.
  for (const int block : {1, 16}) {
    const CholeskyRun run{.size = 200,
                          .precision = "f64",
                          .ranks = session->size(),
                          .ranks_per_node = session->size(),
                          .block = block};
    EXPECT_TRUE(predict_cholesky(machine, run)[1].outside_range.empty()) << block;
  }
}

}  // namespace
}  // namespace bellwether
