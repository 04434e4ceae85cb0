// SPDX-License-Identifier: MIT
#include "models/hpl/swap_sharing.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bellwether {
namespace {

/// 3 of 10 s on a link that other columns' messages are on as long.
ColumnSwaps column(double begin_s) { return {begin_s, 10, 3, 3, 0}; }

TEST(ColumnSwaps, LastLongerTheMoreOthersAreOnTheLink) {
  const ColumnSwaps one = column(0);
  EXPECT_EQ(one.lasting_s(0), 10);
  // R = 3 + 3 R / (7 + R) has the solution (-1 + sqrt(85)) / 2.
  EXPECT_NEAR(one.lasting_s(1), 7 + (-1 + std::sqrt(85.)) / 2, 1e-12);
  EXPECT_LT(one.lasting_s(1), 10 + 3);
  // Many fill the link: each waits for all.
  EXPECT_NEAR(one.lasting_s(1000) / (1001 * 3), 1, 0.003);
  EXPECT_GE(one.lasting_s(1000), 1001 * 3);
  // Nothing beside the link: it is always full.
  EXPECT_DOUBLE_EQ((ColumnSwaps{0, 3, 3, 3, 0}.lasting_s(2)), 9);
  // Links of its own.
  EXPECT_EQ((ColumnSwaps{0, 10, 3, 0, 0}.lasting_s(5)), 10);
}

TEST(SwapSharing, ColumnsThatComeWhenOthersAreThroughTakeAsLongAsAlone) {
  std::vector<ColumnSwaps> swaps{column(0), column(10), column(25)};
  SwapSharing().share(swaps);
  EXPECT_DOUBLE_EQ(swaps[0].end_s, 10);
  EXPECT_DOUBLE_EQ(swaps[1].end_s, 20);
  EXPECT_DOUBLE_EQ(swaps[2].end_s, 35);
  EXPECT_DOUBLE_EQ(swaps[2].shared_s(), 0);
}

TEST(SwapSharing, ColumnsShareWhileBothSwap) {
  const double both = column(0).lasting_s(1);
  std::vector<ColumnSwaps> at_once{column(5), column(5)};
  SwapSharing().share(at_once);
  EXPECT_NEAR(at_once[0].end_s, 5 + both, 1e-12);
  EXPECT_NEAR(at_once[1].end_s, 5 + both, 1e-12);
  // The first has half of it done when the second comes, and the second its rest alone.
  std::vector<ColumnSwaps> later{column(0), column(5)};
  SwapSharing().share(later);
  EXPECT_NEAR(later[0].end_s, 5 + both / 2, 1e-12);
  EXPECT_NEAR(later[1].end_s, 5 + both / 2 + 5, 1e-12);
}

TEST(SwapSharing, ThoseOfThePanelBeforeTakeTheirPart) {
  const double both = column(0).lasting_s(1);
  SwapSharing sharing;
  std::vector<ColumnSwaps> before{column(0), column(-20)};
  sharing.share(before);
  sharing.keep(before);
  std::vector<ColumnSwaps> next{column(5)};
  sharing.share(next);
  EXPECT_NEAR(next[0].end_s, 10 + 10 - 10 * 5 / both, 1e-12);
}

}  // namespace
}  // namespace bellwether
