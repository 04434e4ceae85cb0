// SPDX-License-Identifier: MIT
#include "microbench/driver/samples.hpp"

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

TEST(Samples, AreKeptByName) {
  SampleStore store;
  store.add("copy", 0.5);
  store.add("copy", 0.25);
  EXPECT_EQ(store.at("copy"), (std::vector{0.5, 0.25}));
  EXPECT_FALSE(store.has("scale"));
  EXPECT_THROW((void)store.at("scale"), std::logic_error);
  EXPECT_EQ(to_json(store)["samples"]["copy"][1], 0.25);
}

}  // namespace
}  // namespace bellwether
