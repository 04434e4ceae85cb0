// SPDX-License-Identifier: MIT
#include "kernels/diffusion/diffusion_body.hpp"

#include <gtest/gtest.h>

#include "kernels/diffusion/diffusion.hpp"
#include "kernels/launch/counting_test.hpp"

namespace bellwether {
namespace {

/// The work that the models reckon with, against the body's own on a grid that wraps everywhere.
class DiffusionWorkTest : public testing::Test {
 protected:
  static constexpr std::array<int, 3> cells{5, 4, 3};

  /// Calls visit(row, i) for every cell.
  template <class Visit>
  void each_cell(const Visit& visit) {
    const GridLayout layout(cells, 8);
    const auto field = CountingNumber::array(layout.elements(), count_);
    const CountingNumber c(count_);
    const DiffusionBody<CountingNumber> body{field.data() + layout.origin(),
                                             layout.row_pitch(),
                                             layout.plane_pitch(),
                                             cells[0],
                                             cells[1],
                                             cells[2],
                                             {c, c, c, c}};
    for (int k = 0; k < cells[2]; ++k)
      for (int j = 0; j < cells[1]; ++j)
        for (int i = 0; i < cells[0]; ++i) visit(body.row(j, k), i);
  }
  WorkCount count_;
  static constexpr int total = cells[0] * cells[1] * cells[2];
};

TEST_F(DiffusionWorkTest, IsWhatTheBodyDoes) {
  each_cell([](const auto& row, int i) { (void)row(i); });
  EXPECT_EQ(count_.flops, diffusion_flops * total);
  EXPECT_EQ(count_.reads, (diffusion_accesses - diffusion_writes) * total);
  EXPECT_EQ(static_cast<int>(count_.distinct_read.size()), diffusion_reads * total);
}

TEST_F(DiffusionWorkTest, IsTheSameAwayFromTheEnds) {
  each_cell([](const auto& row, int i) { (void)row.inner(i); });
  EXPECT_EQ(count_.flops, diffusion_flops * total);
  EXPECT_EQ(count_.reads, (diffusion_accesses - diffusion_writes) * total);
}

}  // namespace
}  // namespace bellwether
