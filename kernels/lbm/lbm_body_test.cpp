// SPDX-License-Identifier: MIT
#include "kernels/lbm/lbm_body.hpp"

#include <gtest/gtest.h>

#include "kernels/launch/counting_test.hpp"

namespace bellwether {
namespace {

template <bool with_force, bool with_eddies>
int flops_of_a_cell() {
  WorkCount count;
  const CountingNumber n(count);
  const LbmPair<CountingNumber> pair{n, n};
  const LbmCell<CountingNumber> cell{n, {pair, pair, pair, pair, pair, pair, pair, pair, pair}};
  const LbmCoefficients<CountingNumber> c{n, n, n, n, n, {n, n, n}, {n, n, n}, {n, n, n},
                                          n, n, n, n, n, {n, n, n}, {n, n, n}};
  (void)collide<with_force, with_eddies>(cell, c);
  return count.flops;
}

TEST(LbmWorkTest, IsWhatTheBodyDoes) {
  EXPECT_EQ((flops_of_a_cell<false, false>()), lbm_flops(false, false));
  EXPECT_EQ((flops_of_a_cell<true, false>()), lbm_flops(true, false));
  EXPECT_EQ((flops_of_a_cell<false, true>()), lbm_flops(false, true));
  EXPECT_EQ((flops_of_a_cell<true, true>()), lbm_flops(true, true));
}

TEST(LbmWorkTest, CountsAdditionsOfMoments) {
  WorkCount count;
  const CountingNumber n(count);
  const LbmPair<CountingNumber> pair{n, n};
  (void)moments_of(
      LbmCell<CountingNumber>{n, {pair, pair, pair, pair, pair, pair, pair, pair, pair}});
  EXPECT_EQ(count.flops, 39);
}

}  // namespace
}  // namespace bellwether
