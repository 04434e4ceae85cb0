// SPDX-License-Identifier: MIT
#include "models/amg/amg_kernel.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "models/amg/test_amg.hpp"

namespace bellwether {
namespace {

TEST(AmgKernel, ReadsTheTableAndBetweenItsLines) {
  const AmgKernel kernel(linear_kernel(1e-6, 1e-9), Bound::value);
  EXPECT_NEAR(kernel.seconds(1, 5), 1e-6 + 5e-9, 1e-18);
  EXPECT_NEAR(kernel.seconds(1e6, 5e7), 1e-6 + 5e-2, 1e-12);
  EXPECT_NEAR(kernel.seconds(2000, 2000 * 20), 1e-6 + 4e-5, 1e-15);
  EXPECT_NEAR(kernel.seconds(3e6, 3e7), 1e-6 + 3e-2, 1e-12) << "along the last two";
  EXPECT_NEAR(kernel.seconds(1e6, 1e8), 2 * (1e-6 + 5e-2), 1e-12) << "in proportion to entries";
  EXPECT_EQ(kernel.seconds(0, 0), 0);
  EXPECT_TRUE(kernel.covers(1e6, 2e7));
  EXPECT_FALSE(kernel.covers(2e6, 2e7));
  EXPECT_FALSE(kernel.covers(1e4, 1e6));
  EXPECT_FALSE(kernel.covers(1e4, 2e4));
}

TEST(AmgKernel, BoundsAreTheQuantities) {
  AmgKernelTable table = {{7, {{1000, {2, 1, 3, {}}, std::nullopt}}}};
  EXPECT_EQ(AmgKernel(table, Bound::value).seconds(1000, 7000), 2);
  EXPECT_EQ(AmgKernel(table, Bound::fastest).seconds(1000, 7000), 1);
  EXPECT_EQ(AmgKernel(table, Bound::slowest).seconds(2000, 14000), 6);
}

TEST(AmgKernel, NoiseIsLevelled) {
  const auto exact = Quantity::exact;
  const AmgKernel kernel({{5, {{10, exact(3, {}), {}}, {20, exact(2, {}), {}}}},
                          {10, {{10, exact(1, {}), {}}, {20, exact(4, {}), {}}}}},
                         Bound::value);
  EXPECT_EQ(kernel.seconds(20, 100), 3);
  EXPECT_EQ(kernel.seconds(10, 100), 3);
  EXPECT_EQ(kernel.seconds(20, 200), 4);
}

TEST(AmgKernel, CallsInTurnSaveWhatTheCachesHold) {
  // Of 1 ms per 1000 rows calls in turn save half up to 1000 rows and nothing from 100000 on.
  const auto exact = [](double value) { return Quantity::exact(value); };
  const AmgKernelTable table = {
      {10, {{1000, exact(1e-3), exact(5e-4)}, {100000, exact(0.1), exact(0.1)}}}};
  const AmgKernel kernel(table, Bound::value);
  EXPECT_NEAR(kernel.seconds(1000, 10000), 1e-3, 1e-12);
  EXPECT_NEAR(kernel.seconds(1000, 10000, 1), 5e-4, 1e-12);
  EXPECT_NEAR(kernel.seconds(1000, 10000, 0.5), 7.5e-4, 1e-12);
  EXPECT_NEAR(kernel.seconds(50500, 505000, 1), (5e-4 + 0.1) / 2, 1e-12) << "half way in rows";
  EXPECT_NEAR(kernel.seconds(200, 2000, 1), 1e-4, 1e-12) << "in proportion";
}

TEST(AmgKernel, CachesHoldLessOfMore) {
  // Products of 10 entries a row save half up to 10 MB, a quarter at 40 MB, a tenth at 160 MB;
  // those of 1000 rows are not asked, for which the call counts.
  const auto exact = [](double value) { return Quantity::exact(value); };
  const double row = amg_operator_bytes(1, 10);
  const AmgKernelTable table = {{10,
                                 {{1000, exact(1e-3), exact(1e-4)},
                                  {1e7 / row, exact(1), exact(0.5)},
                                  {4e7 / row, exact(4), exact(3)},
                                  {16e7 / row, exact(16), exact(14.4)}}}};
  const AmgCaches caches(AmgKernel(table, Bound::value));
  EXPECT_NEAR(caches.held(1e3, 1e3), 1, 1e-12);
  EXPECT_NEAR(caches.held(1e3, 1e7), 1, 1e-12);
  EXPECT_NEAR(caches.held(1e3, 2e7), 0.75, 1e-12);
  EXPECT_NEAR(caches.held(1e3, 4e7), 0.5, 1e-12);
  EXPECT_NEAR(caches.held(4e7, 4e7), 1, 1e-12) << "in turn it finds what it finds";
  EXPECT_NEAR(caches.held(4e7, 16e7), 0.4, 1e-12);
  EXPECT_NEAR(caches.held(4e7, 0), 1, 1e-12) << "its own bytes at least";
  EXPECT_NEAR(caches.held(1e3, 1e12), 0.2, 1e-12);
  // Where nothing tells, they hold all.
  EXPECT_EQ(AmgCaches(AmgKernel({{10, {{100, exact(1), {}}}}}, Bound::value)).held(1, 1e12), 1);
}

AmgKernelTable drawn_table() {
  AmgKernelTable table;
  double entries = 0;
  const int curves = *rc::gen::inRange(1, 4).as("curves");
  for (int curve = 0; curve < curves; ++curve) {
    entries += *rc::gen::inRange(1, 30).as("entries per row");
    AmgKernelCurve next{entries, {}};
    double rows = 0;
    const int points = *rc::gen::inRange(1, 5).as("points");
    for (int point = 0; point < points; ++point) {
      rows += *rc::gen::inRange(1, 100000).as("rows");
      const double cold = *rc::gen::inRange(1, 1000).as("cold") * 1e-6;
      next.times.push_back({rows, Quantity::exact(cold),
                            Quantity::exact(cold * *rc::gen::inRange(1, 15).as("again") / 10.0)});
    }
    table.push_back(next);
  }
  return table;
}

TEST(AmgKernel, SweepsGoThroughWhatProductsDoAndTheirVectors) {
  const AmgKernel product(linear_kernel(1e-6, 1e-9, 0.5), Bound::value);
  const std::optional<AmgKernel> other(AmgKernel(linear_kernel(1e-6, 2e-9), Bound::value));
  const auto sweep = [&](const char* relax) {
    return amg_sweep_s(relax, product, other, 1e3, 1e4, 0);
  };
  EXPECT_NEAR(sweep("l1-gauss-seidel"), 1e-6 + 2e-5, 1e-15);
  EXPECT_NEAR(sweep("l1-jacobi"), 1e-6 + 1.2e-5, 1e-15) << "two entries' bytes more a row";
  EXPECT_NEAR(sweep("chebyshev"), 1e-6 + 1e-5 + 0.5 * (1e-6 + 1.475e-5), 1e-15);
}

RC_GTEST_PROP(AmgKernel, MoreIsNeverFaster, ()) {
  const AmgKernel kernel(drawn_table(), Bound::value);
  const double rows = *rc::gen::inRange(1, 1000000).as("asked rows");
  const double per_row = *rc::gen::inRange(1, 200).as("asked entries") / 2.0;
  const double held = *rc::gen::inRange(0, 11).as("held, in tenths") / 10.0;
  const double seconds = kernel.seconds(rows, rows * per_row, held);
  RC_ASSERT(seconds > 0 && std::isfinite(seconds));
  RC_ASSERT(kernel.seconds(rows, rows * per_row * 1.2, held) >= seconds * (1 - 1e-12));
  RC_ASSERT(kernel.seconds(rows * 1.2, rows * 1.2 * per_row, held) >= seconds * (1 - 1e-12));
}

RC_GTEST_PROP(AmgKernel, WhatComesBackLaterIsNeverFaster, ()) {
  const AmgKernel kernel(drawn_table(), Bound::value);
  const AmgCaches caches(kernel);
  const double rows = *rc::gen::inRange(1, 1000000).as("asked rows");
  const double entries = rows * *rc::gen::inRange(1, 200).as("asked entries") / 2.0;
  const double since = *rc::gen::inRange(1, 1000000000).as("bytes");
  const double own = amg_operator_bytes(rows, entries);
  const double held = caches.held(own, since), later = caches.held(own, 2 * since);
  RC_ASSERT(held >= 0 && held <= 1 && later <= held);
  RC_ASSERT(kernel.seconds(rows, entries, held) >= 0);
  RC_ASSERT(kernel.seconds(rows, entries, later) >= kernel.seconds(rows, entries, held));
  RC_ASSERT(kernel.seconds(rows, entries) >= kernel.seconds(rows, entries, later));
}

}  // namespace
}  // namespace bellwether
