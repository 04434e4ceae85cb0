// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

const Reproduction& result() {
  static const Reproduction once = reproduce_mudalige2011();
  return once;
}

const ReproducedNumber& number(const std::string& beginning) {
  const auto& all = result().numbers;
  const auto found = std::find_if(all.begin(), all.end(), [&](const ReproducedNumber& one) {
    return one.item.starts_with(beginning);
  });
  if (found == all.end()) throw std::out_of_range(beginning);
  return *found;
}

TEST(Mudalige2011, NothingFails) {
  for (const ReproducedNumber& one : result().numbers)
    EXPECT_TRUE(one.passed().value_or(true)) << one.item;
}

TEST(Mudalige2011, HeldOutRowsOfTable3AreJudgedAndFittedOnesAreNot) {
  for (const char* row :
       {"Table 3, HECToR, 480", "Table 3, HECToR, 960", "Table 3, CX1, 60", "Table 3, CX1, 120"}) {
    EXPECT_EQ(number(row).tolerance, 0.10);  // Section 4: accuracy above 90 %
    EXPECT_TRUE(number(row).passed().value_or(false)) << row;
  }
  for (const char* row : {"Table 3, HECToR, 72", "Table 3, CX1, 36", "Table 3, Tesla C2070"}) {
    EXPECT_FALSE(number(row).tolerance);
    EXPECT_LT(std::abs(*number(row).error()), 1e-3) << row;
  }
  EXPECT_EQ(number("Table 3, HECToR, 480").published, 2.09);
}

TEST(Mudalige2011, SaysWhatCannotBeComputed) {
  for (const char* row : {"Table 3, 2 x Intel", "Table 3, 2 x AMD", "Table 3, GeForce"}) {
    EXPECT_FALSE(number(row).computed);
    EXPECT_FALSE(number(row).note.empty());
  }
}

TEST(Mudalige2011, Table1AgreesListByList) {
  EXPECT_EQ(number("Table 1, rank X").computed, 10);
  EXPECT_EQ(number("Table 1, rank Y").computed, 10);
  EXPECT_NE(number("Table 1, rank Y").note.find("can only be 3"), std::string::npos);
}

TEST(Mudalige2011, WhatRestsOnUnprintedNumbersIsOnlyReported) {
  for (const ReproducedNumber& one : result().numbers) {
    if (!one.item.starts_with("Section")) continue;
    EXPECT_FALSE(one.tolerance) << one.item;
    EXPECT_FALSE(one.note.empty()) << one.item;
  }
}

}  // namespace
}  // namespace bellwether
