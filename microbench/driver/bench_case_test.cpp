// SPDX-License-Identifier: MIT
#include "microbench/driver/bench_case.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace bellwether {
namespace {

TEST(Samples, BecomeQuantities) {
  const Quantity time = quantity_of({4, 1, 2});
  EXPECT_EQ(time.value, 2);
  EXPECT_EQ(time.low, 1);
  EXPECT_EQ(time.high, 4);
  const Quantity rate = rate_of(8, {4, 1, 2});
  EXPECT_EQ(rate.value, 4);
  EXPECT_EQ(rate.low, 2);
  EXPECT_EQ(rate.high, 8);
}

TEST(Samples, AreKeptByKeyAndWrittenByName) {
  SampleStore store;
  constexpr SampleKey copy{1, 0}, scale{2, 0};
  store.add(copy, "copy", 0.5);
  store.add(copy, "copy", 0.25);
  store.add(copy.of_part(0), "copy/first", 0.125);
  EXPECT_EQ(store.at(copy), (std::vector{0.5, 0.25}));
  EXPECT_EQ(store.at(copy.of_part(0)), std::vector{0.125});
  EXPECT_THROW((void)store.at(copy.of_part(1)), std::logic_error);
  EXPECT_THROW((void)store.at(scale), std::logic_error);
  EXPECT_EQ(to_json(store)["samples"]["copy"][1], 0.25);
  EXPECT_EQ(to_json(store)["samples"]["copy/first"][0], 0.125);
}

}  // namespace
}  // namespace bellwether
