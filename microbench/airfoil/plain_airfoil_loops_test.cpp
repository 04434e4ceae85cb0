// SPDX-License-Identifier: MIT
#include "microbench/airfoil/plain_airfoil_loops.hpp"

#include <gtest/gtest.h>

#include "miniapps/airfoil/airfoil_quads_test.hpp"

namespace bellwether {
namespace {

/// The flow of the plain loops that test the kernels: the flux of two cells and their sum are of
/// order 1, and three iterations of some thousand roundings' width stay below the bound.
TEST(PlainAirfoilLoops, IterateAsTheReferenceDoes) {
  const AirfoilMesh shape{7, 9};
  each_precision([&]<class T>(T) {
    constexpr int iterations = 3;
    PlainAirfoilLoops<T> loops(generate_airfoil(shape, 1, 0));
    for (int n = 0; n < iterations; ++n) loops.iterate();
    const auto expected = plainly_iterated<double>(plain_mesh<T>(shape), iterations);
    const double bound = 2000 * double(std::numeric_limits<T>::epsilon());
    ASSERT_EQ(loops.q().size(), expected.q.size());
    for (std::size_t n = 0; n < expected.q.size(); ++n)
      ASSERT_NEAR(double(loops.q()[n]), expected.q[n], bound) << "value " << n;
    EXPECT_GT(expected.rms, 1e-3);
    EXPECT_NEAR(loops.rms(), expected.rms, bound);
  });
}

}  // namespace
}  // namespace bellwether
