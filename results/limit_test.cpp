// SPDX-License-Identifier: MIT
#include "results/limit.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

Machine machine() {
  Machine machine;
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(50);
  machine.device.gemm_flops_per_s["f64"] = Quantity::exact(700);
  const auto curve = [](int ranks, const char* stores, const char* precision, int arrays,
                        double last) {
    return MemoryCurve{
        ranks, 0, stores, precision, {{1e3, Quantity::exact(900)}, {1e9, Quantity::exact(last)}},
        arrays};
  };
  machine.device.memory = {curve(1, "in_place", "f32", 1, 80), curve(2, "in_place", "f32", 1, 60),
                           curve(2, "in_place", "f32", 19, 40), curve(2, "in_place", "f64", 1, 61),
                           curve(2, "cached", "f32", 1, 30)};
  return machine;
}

StepWork bounded_by(WorkLimit limit, const char* precision) {
  StepWork work{.units = 10, .unit = "cells/s", .bytes = 1200, .flops = 7000};
  work.limit = limit;
  work.precision = precision;
  return work;
}

TEST(LimitOf, IsTheWorksOwn) {
  const Machine known = machine();
  const Limit copies = limit_of(bounded_by(WorkLimit::memory_bandwidth, "f32"), &known, 4, 2);
  EXPECT_EQ(copies.name, "memory bandwidth");
  EXPECT_EQ(copies.per_s, 200);
  EXPECT_EQ(copies.share(1200, 7000, 12), 0.5);

  const Limit product = limit_of(bounded_by(WorkLimit::matrix_product, "f64"), &known, 2, 2);
  EXPECT_EQ(product.name, "matrix product");
  EXPECT_EQ(product.per_s, 1400);
  EXPECT_EQ(product.share(1200, 7000, 10), 0.5);
  EXPECT_EQ(product.share_sustained(7000, 10), 0) << "not known";
  EXPECT_EQ(limit_of(bounded_by(WorkLimit::matrix_product, "f32"), &known, 2, 2).per_s, 0);
  Machine gpu = known;
  gpu.device.gemm_sustained_flops_per_s["f64"] = Quantity::exact(500);
  const Limit hot = limit_of(bounded_by(WorkLimit::matrix_product, "f64"), &gpu, 2, 2);
  EXPECT_EQ(hot.share(1200, 7000, 10), 0.5);
  EXPECT_EQ(hot.share_sustained(7000, 10), 0.7);

  const Limit none = limit_of(bounded_by(WorkLimit::none, "f64"), &known, 2, 2);
  EXPECT_EQ(none.name, "");
  EXPECT_EQ(none.share(1200, 7000, 10), 0);
}

TEST(LimitOf, AnUpdateInPlaceIsHeldAgainstOneBeyondTheCaches) {
  const Machine known = machine();
  const auto in_place = [&](const char* precision, int ranks, int on_node) {
    return limit_of(bounded_by(WorkLimit::update_in_place, precision), &known, ranks, on_node);
  };
  EXPECT_EQ(in_place("f32", 2, 2).name, "memory bandwidth in place");
  EXPECT_EQ(in_place("f32", 2, 2).per_s, 120);
  EXPECT_EQ(in_place("f32", 1, 1).per_s, 80);
  EXPECT_EQ(in_place("f32", 8, 4).per_s, 480) << "the nearest number of ranks";
  EXPECT_EQ(in_place("f64", 2, 2).per_s, 122);
}

TEST(LimitOf, AShareAboveAllOfItIsOfACacheOrOfACalibrationThatWasSlower) {
  const Machine known = machine();
  const StepWork work = bounded_by(WorkLimit::update_in_place, "f32");
  const auto why = [&](double held_bytes, double share) {
    return limit_of(work, &known, 2, 2, held_bytes).why_above(share);
  };
  EXPECT_EQ(why(2e3, 0.99), "");
  EXPECT_EQ(why(2e3, 1.5), "from a cache: 10 % of what that gives") << "90 of 900";
  EXPECT_EQ(why(2e9, 1.5), "the limit was calibrated slower than now") << "far beyond the caches";
  EXPECT_EQ(why(0, 1.5), "the limit was calibrated slower than now") << "nobody knows";
  const StepWork copies = bounded_by(WorkLimit::memory_bandwidth, "f32");
  EXPECT_EQ(limit_of(copies, &known, 2, 2, 2e3).of_cache_per_s, 1800);
  EXPECT_EQ(limit_of(copies, &known, 2, 2, 2e9).of_cache_per_s, 0);
  const StepWork product = bounded_by(WorkLimit::matrix_product, "f64");
  EXPECT_EQ(limit_of(product, &known, 2, 2, 2e3).why_above(1.1),
            "the limit was calibrated slower than now");
}

TEST(LimitOf, IsMemoryBandwidthWhereAnUpdateInPlaceWasNotMeasuredAndUnknownWithoutMachine) {
  Machine known = machine();
  known.device.memory.clear();
  const StepWork work = bounded_by(WorkLimit::update_in_place, "f32");
  EXPECT_EQ(limit_of(work, &known, 2, 2).name, "memory bandwidth");
  EXPECT_EQ(limit_of(work, &known, 2, 2).per_s, 100);
  EXPECT_EQ(limit_of(work, nullptr, 2, 2).name, "memory bandwidth in place");
  EXPECT_EQ(limit_of(work, nullptr, 2, 2).share(1200, 7000, 10), 0);
}

}  // namespace
}  // namespace bellwether
