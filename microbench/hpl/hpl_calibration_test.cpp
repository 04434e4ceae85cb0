// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "microbench/driver/toy_calibration_test.hpp"
#include "microbench/hpl/hpl.hpp"
#include "models/hpl/hpl_costs.hpp"
#include "models/hpl/hpl_parameters.hpp"
#include "models/hpl/hpl_refined.hpp"

namespace bellwether {
namespace {

TEST(Calibrate, MeasuresHplsOperations) {
  const Machine& machine = toy_calibration().machine;
  const HplSizes sizes = hpl_sizes(toy_limits(), std::size_t{1} << 30);
  ASSERT_FALSE(sizes.empty());
  ASSERT_TRUE(section<HplParameters>(machine) && section<HplParameters>(machine)->kernels);
  const HplKernelParameters& kernels = *section<HplParameters>(machine)->kernels;
  EXPECT_EQ(kernels.panel_on, "device");
  EXPECT_FALSE(kernels.device_panel) << "which is a GPU's";
  ASSERT_TRUE(kernels.gemm);
  EXPECT_EQ(kernels.gemm->by_k.size(), sizes.widths.size());
  EXPECT_EQ(kernels.triangle.size(), sizes.widths.size());
  ASSERT_EQ(kernels.panel.size(), sizes.widths.size());
  for (const PanelWidth& panel : kernels.panel) {
    EXPECT_EQ(panel.heights.size(), sizes.heights.size());
    EXPECT_GT(panel.inverse_s.value, 0);
  }
  EXPECT_TRUE(kernels.panel_copy_bandwidth_bytes_per_s && kernels.swap_bandwidth_bytes_per_s &&
              kernels.solve_bandwidth_bytes_per_s);
  const bool has_pairs = session->size() > 1;
  EXPECT_EQ(kernels.broadcast_bandwidth_bytes_per_s.has_value(), has_pairs);
  EXPECT_EQ(kernels.pivot_s.has_value(), has_pairs);
  // Nothing is left to derive.
  std::vector<std::string> notes;
  (void)hpl_costs(machine, session->size(), Bound::value, notes);
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace bellwether
