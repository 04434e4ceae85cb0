// SPDX-License-Identifier: MIT
#include "miniapps/mesh/number_of.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

TEST(NumberOf, DenseAndSparseLists) {
  for (const std::int64_t apart : {1LL, 3LL, 1'000'000'007LL}) {
    std::vector<std::int64_t> elements;
    for (int n = 0; n < 100; ++n) elements.push_back(500 + (n * 37 % 100) * apart);
    const NumberOf number(elements);
    for (int n = 0; n < 100; ++n) EXPECT_EQ(number(elements[n]), n);
    for (const std::int64_t other : {std::int64_t{0}, std::int64_t{499}, 500 + 100 * apart})
      EXPECT_EQ(number(other), NumberOf::absent) << other;
  }
  EXPECT_EQ(NumberOf({})(0), NumberOf::absent);
}

TEST(SortOnce, KeepsTheFirstOfEachIndexDenseAndSparse) {
  using Item = std::pair<std::int64_t, char>;
  const auto index = [](const Item& item) { return item.first; };
  for (const std::int64_t apart : {1LL, 1'000'000'007LL}) {
    std::vector<Item> items{{3 * apart, 'a'}, {-apart, 'b'}, {3 * apart, 'c'}, {0, 'd'}, {0, 'e'}};
    sort_once(items, index);
    EXPECT_EQ(items, (std::vector<Item>{{-apart, 'b'}, {0, 'd'}, {3 * apart, 'a'}})) << apart;
  }
  std::vector<std::int64_t> none;
  sort_once(none);
  EXPECT_TRUE(none.empty());
}

}  // namespace
}  // namespace bellwether
