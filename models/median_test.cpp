// SPDX-License-Identifier: MIT
#include "models/median.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_EQ(median_of({3}), 3);
  EXPECT_EQ(median_of({3, 1}), 2);
  EXPECT_EQ(median_of({9, 1, 2}), 2);
  EXPECT_EQ(median_of({4, 1, 3, 2}), 2.5);
  EXPECT_THROW(median_of({}), std::invalid_argument);
}

}  // namespace
}  // namespace bellwether
