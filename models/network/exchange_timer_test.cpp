// SPDX-License-Identifier: MIT
#include "models/network/link.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/network/test_links.hpp"
#include "models/random_inputs_test.hpp"

namespace bellwether {
namespace {

Link with_gap() {
  Link link;
  link.one_way = line(1e-6, 1e9);
  link.exchange = line(2e-6, 9e8);
  link.gap = line(5e-7, 6e8);
  return link;
}

double seconds(const std::string& name, const Link& link, int ranks_on_node, double bytes) {
  return ExchangeTimer({name, &link}, ranks_on_node).seconds(bytes, Bound::value);
}

TEST(ExchangeTimer, IsTwoOneWayTimesWhereNoExchangeWasMeasured) {
  Link link;
  link.one_way = line(1e-6, 1e9);
  EXPECT_DOUBLE_EQ(seconds("network", link, 1, 1e6), 2 * (1e-6 + 1e-3));
}

TEST(ExchangeTimer, TakesTheNearestFewerPairsAndSharesBeyondTheMost) {
  Link link;
  link.one_way = line(1e-6, 1e9);
  link.exchange = line(2e-6, 9e8);
  link.concurrent = {{4, line(3e-6, 5e8)}};
  EXPECT_DOUBLE_EQ(seconds("network", link, 1, 1e6), 2e-6 + 1e6 / 9e8);
  EXPECT_DOUBLE_EQ(seconds("network", link, 3, 1e6), 2e-6 + 1e6 / 9e8);
  EXPECT_DOUBLE_EQ(seconds("network", link, 4, 1e6), 3e-6 + 1e6 / 5e8);
  EXPECT_DOUBLE_EQ(seconds("network", link, 6, 1e6), 3e-6 + 1.5 * 1e6 / 5e8);
  // In shared memory two ranks make one pair.
  EXPECT_DOUBLE_EQ(seconds("shared_memory", link, 8, 1e6), 3e-6 + 1e6 / 5e8);
  std::vector<std::string> notes;
  ExchangeTimer({"network", &link}, 6).note(1e6, notes);
  EXPECT_EQ(notes, std::vector<std::string>{
                       "network: 6 pairs at once asked, calibrated up to 4; taken to share the "
                       "bandwidth"});
}

TEST(ExchangeTimer, WhatASweepAddsIsOfItsBytesAndTheMessages) {
  Link link = with_gap();
  const auto added = [&link](double swept, double bytes, Bound bound = Bound::value) {
    return ExchangeTimer({"network", &link}, 1).after_sweep(swept, bytes, bound);
  };
  EXPECT_EQ(added(1e9, 1e3), 0) << "not measured";
  link.after_sweep = {{1e6, {{10, {1e-6, 0, 2e-6, {}}}, {1000, Quantity::exact(3e-6)}}},
                      {1e8, {{10, Quantity::exact(5e-6)}, {1000, Quantity::exact(9e-6)}}}};
  EXPECT_NEAR(added(1e6, 10), 1e-6, 1e-18);
  EXPECT_NEAR(added(1e6, 100), 2e-6, 1e-18) << "half way in its logarithm";
  EXPECT_NEAR(added(1e7, 100), (2e-6 + 7e-6) / 2, 1e-18);
  EXPECT_NEAR(added(1e12, 1e9), 9e-6, 1e-18) << "beyond the last as there";
  EXPECT_NEAR(added(1e12, 0), 5e-6, 1e-18) << "MPI's own";
  EXPECT_NEAR(added(5e5, 1000), 1.5e-6, 1e-18) << "the smaller, the less";
  EXPECT_EQ(added(0, 1000), 0);
  EXPECT_NEAR(added(1e6, 10, Bound::slowest), 2e-6, 1e-18);
  EXPECT_EQ(added(1e6, 10, Bound::fastest), 0);
}

TEST(ExchangeTimer, FurtherExchangesAddAGapEach) {
  Link link = with_gap();
  link.gap->largest_bytes = 1e5;
  const auto together = [&link](int ranks_on_node, int neighbours, double bytes) {
    const ExchangeTimer timer({"network", &link}, ranks_on_node);
    return neighbours * timer.seconds(bytes, Bound::value, neighbours);
  };
  const double alone = 2e-6 + 1e3 / 9e8, gap = 5e-7 + 1e3 / 6e8;
  EXPECT_DOUBLE_EQ(together(1, 1, 1e3), alone);
  EXPECT_DOUBLE_EQ(together(1, 2, 1e3), alone + gap);
  EXPECT_DOUBLE_EQ(together(1, 6, 1e3), alone + 5 * gap);
  // Beyond what the gap was measured with it grows as an exchange does.
  const double grown = (2e-6 + 1e6 / 9e8) / (2e-6 + 1e5 / 9e8);
  EXPECT_DOUBLE_EQ(together(1, 6, 1e6), 2e-6 + 1e6 / 9e8 + 5 * grown * (5e-7 + 1e5 / 6e8));
  // Several pairs at once take as much longer as a lone exchange of each.
  link.concurrent = {{4, line(3e-6, 5e8)}};
  EXPECT_DOUBLE_EQ(together(4, 6, 1e3), (3e-6 + 1e3 / 5e8) * (alone + 5 * gap) / alone);
}

TEST(ExchangeTimer, WithoutAGapTheOverheadsAndTheBytesAddUp) {
  Link link;
  link.one_way = line(2e-6, 1e9);
  const Path path{"network", &link};
  const double alone = 2 * (2e-6 + 1e3 / 1e9);
  EXPECT_DOUBLE_EQ(6 * ExchangeTimer(path, 1).seconds(1e3, Bound::value, 6), 6 * alone);
  link.one_way.overhead_s = Quantity{4e-7, 3e-7, 6e-7, {}};
  const ExchangeTimer timer(path, 1);
  EXPECT_DOUBLE_EQ(timer.seconds(1e3, Bound::value, 1), alone);
  EXPECT_DOUBLE_EQ(6 * timer.seconds(1e3, Bound::value, 6), alone + 5 * (8e-7 + 2e3 / 1e9));
  EXPECT_DOUBLE_EQ(6 * timer.seconds(1e3, Bound::slowest, 6), alone + 5 * (1.2e-6 + 2e3 / 1e9));
}

TEST(ExchangeTimer, WhatCanHideIsAsMeasuredElseAllOfACards) {
  Link link;
  Machine machine;
  machine.device.kind = "cpu";
  const Paths paths(machine, {});
  EXPECT_EQ(paths.hideable_share({"network", &link}, 8, Bound::value), 1);
  EXPECT_EQ(paths.hideable_share({"shared_memory", &link}, 8, Bound::value), 0);
  link.exposed_exchange = {{1 << 14, {1.25, 1, 1.5, {}}}, {1 << 18, {0.25, 0.125, 0.5, {}}}};
  for (const char* path : {"network", "shared_memory"}) {
    const Path way{path, &link};
    EXPECT_EQ(paths.hideable_share(way, 8, Bound::value), -0.25);
    EXPECT_EQ(paths.hideable_share(way, 1 << 20, Bound::fastest), 0.875);
    EXPECT_EQ(paths.hideable_share(way, 1 << 20, Bound::slowest), 0.5);
    EXPECT_NEAR(paths.hideable_share(way, 1 << 16, Bound::value), 0.25, 1e-15);
  }
}

RC_GTEST_PROP(ExchangeTimer, GrowsWithTheMessage, ()) {
  Link link = random_link();
  const auto one_line = [](LinkTiming& timing) { timing.segments.clear(); };
  one_line(link.one_way);  // between segments the fit may fall
  if (link.exchange) one_line(*link.exchange);
  for (ConcurrentTiming& concurrent : link.concurrent) one_line(concurrent.timing);
  const int ranks = *rc::gen::inRange(1, 40);
  const double bytes = random_between(1, 1e9);
  RC_ASSERT(seconds("network", link, ranks, bytes * random_between(1, 100)) >=
            seconds("network", link, ranks, bytes));
}

RC_GTEST_PROP(ExchangeTimer, MoreNeighboursTakeLongerTogether, ()) {
  Link link = random_link();
  if (*rc::gen::arbitrary<bool>()) link.gap = random_timing();
  if (*rc::gen::arbitrary<bool>()) link.one_way.overhead_s = random_quantity(1e-8, 1e-5);
  const ExchangeTimer timer({"network", &link}, *rc::gen::inRange(1, 40));
  const double bytes = random_between(1, 1e9);
  const int neighbours = *rc::gen::inRange(2, 30);
  for (const Bound bound : {Bound::value, Bound::fastest, Bound::slowest})
    RC_ASSERT((neighbours + 1) * timer.seconds(bytes, bound, neighbours + 1) >=
              neighbours * timer.seconds(bytes, bound, neighbours));
}

RC_GTEST_PROP(ExchangeTimer, MorePairsThanCalibratedAreNotFaster, ()) {
  const Link link = random_link();
  const int most = link.concurrent.empty() ? 1 : link.concurrent.back().pairs;
  const int pairs = *rc::gen::inRange(most, 200);
  const double bytes = random_between(1, 1e9);
  RC_ASSERT(seconds("network", link, pairs + 1, bytes) >= seconds("network", link, pairs, bytes));
}

RC_GTEST_PROP(ExchangeTimer, WithoutLatencyAndTransferIsNothing, ()) {
  Link link = random_link();
  link.concurrent.clear();
  link.exchange = line(0, std::numeric_limits<double>::infinity());
  RC_ASSERT(seconds("network", link, *rc::gen::inRange(1, 40), random_between(1, 1e9)) == 0);
}

}  // namespace
}  // namespace bellwether
