// SPDX-License-Identifier: MIT
#include "models/roofline/roofline.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

MemoryCurve curve(std::vector<BandwidthPoint> points) {
  return {.ranks = 1, .rereads = 0, .stores = "cached", .precision = "f32", .points = points};
}

const Quantity fast{8e9, 4e9, 16e9, {}};
const Quantity slow{2e9, 1e9, 4e9, {}};

TEST(MemoryCurve, IsItsPointsAtItsPoints) {
  const MemoryCurve measured = curve({{1e4, fast}, {1e6, slow}});
  EXPECT_DOUBLE_EQ(read_curve(measured, 1e4).value, 1 / 8e9);
  EXPECT_DOUBLE_EQ(read_curve(measured, 1e6).value, 1 / 2e9);
  EXPECT_FALSE(read_curve(measured, 1e6).outside);
}

TEST(MemoryCurve, IsLinearInSecondsPerByteAndLogWorkingSet) {
  const CurveReading middle = read_curve(curve({{1e4, fast}, {1e6, slow}}), 1e5);
  EXPECT_NEAR(middle.value, (1 / 8e9 + 1 / 2e9) / 2, 1e-22);
  EXPECT_NEAR(middle.low, (1 / 16e9 + 1 / 4e9) / 2, 1e-22);
  EXPECT_NEAR(middle.high, (1 / 4e9 + 1 / 1e9) / 2, 1e-22);
  EXPECT_FALSE(middle.outside);
}

TEST(MemoryCurve, IsHeldBeyondItsEndsAndSaysSo) {
  const MemoryCurve measured = curve({{1e4, fast}, {1e6, slow}});
  EXPECT_DOUBLE_EQ(read_curve(measured, 10).value, 1 / 8e9);
  EXPECT_TRUE(read_curve(measured, 10).outside);
  EXPECT_DOUBLE_EQ(read_curve(measured, 1e9).value, 1 / 2e9);
  EXPECT_TRUE(read_curve(measured, 1e9).outside);
  EXPECT_TRUE(read_curve(curve({{1e4, fast}}), 1e9).outside);
}

TEST(MemoryCurve, GoesOnWhereItIsFlat) {
  const MemoryCurve measured =
      curve({{1e4, fast}, {1e6, Quantity::exact(2.05e9)}, {1e8, Quantity::exact(2e9)}});
  EXPECT_FALSE(read_curve(measured, 1e10).outside);
  EXPECT_TRUE(read_curve(measured, 1e3).outside);
}

TEST(MemoryCurve, OfAPrecisionThatWasNotMeasuredIsTheOthers) {
  DeviceParameters device;
  EXPECT_TRUE(curves_of(device, "f32").empty());
  device.memory = {curve({{1e4, fast}}), curve({{1e4, slow}})};
  EXPECT_EQ(curves_of(device, "f64").size(), 2u);
  device.memory[1].precision = "f64";
  EXPECT_EQ(curves_of(device, "f64"), (std::vector<const MemoryCurve*>{&device.memory[1]}));
}

}  // namespace
}  // namespace bellwether
