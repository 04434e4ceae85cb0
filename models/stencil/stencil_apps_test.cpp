// SPDX-License-Identifier: MIT
#include "models/stencil/stencil_work.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

/// Section 6.2 of the paper, and the velocities of D3Q19: at most two of x, y, z move at once.
TEST(LatticeBoltzmann, CountsAsThePaperAndAsItsVelocities) {
  const StencilKernel kernel = lattice_boltzmann();
  EXPECT_EQ(kernel.paper_flops, 476);
  EXPECT_NEAR(kernel.paper_flops / (4 * kernel.accessed_values), 1.83, 1e-12);
  EXPECT_EQ(kernel.paper_halo_values, 13);
  EXPECT_FALSE(kernel.paper_aligned_buffers);
  int velocities = 0;
  int through_one_face = 0, through_one_edge = 0;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = -1; z <= 1; ++z) {
        if (x * y * z != 0) continue;
        ++velocities;
        if (x == 1) ++through_one_face;
        if (x == 1 && y == 1) ++through_one_edge;
      }
  EXPECT_EQ(kernel.read_values, velocities);
  EXPECT_EQ(kernel.written_values, velocities);
  EXPECT_EQ(kernel.halo_values, through_one_face);
  EXPECT_EQ(kernel.edge_values, through_one_edge);
}

}  // namespace
}  // namespace bellwether
