// SPDX-License-Identifier: MIT
#include "models/network/link.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "models/random_inputs_test.hpp"

namespace bellwether {
namespace {

LinkTiming line(double latency_s, double bandwidth) {
  return {.latency_s = Quantity::exact(latency_s),
          .bandwidth_bytes_per_s = Quantity::exact(bandwidth),
          .segments = {},
          .samples = {}};
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
  link.concurrent = {{1, line(2e-6, 9e8)}, {4, line(3e-6, 5e8)}};
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

TEST(ExchangeTimer, ThatOfSeveralNeighboursAtOnceIsTheRings) {
  Link link;
  link.one_way = line(1e-6, 1e9);
  link.exchange = line(2e-6, 9e8);
  const auto among = [&link](int ranks_on_node, int neighbours) {
    return ExchangeTimer({"network", &link}, ranks_on_node).seconds(1e6, Bound::value, neighbours);
  };
  EXPECT_DOUBLE_EQ(among(1, 2), 2e-6 + 1e6 / 9e8);  // no ring
  link.ring = line(3e-6, 4e8);
  const double ring = 3e-6 + 1e6 / 4e8;
  EXPECT_DOUBLE_EQ(among(1, 1), 2e-6 + 1e6 / 9e8);
  EXPECT_DOUBLE_EQ(among(1, 2), ring / 2);
  EXPECT_DOUBLE_EQ(among(1, 6), ring / 2);
  link.concurrent = {{1, line(2e-6, 9e8)}, {4, line(3e-6, 5e8)}};
  EXPECT_DOUBLE_EQ(among(1, 2), ring / 2);
  EXPECT_DOUBLE_EQ(among(4, 2), (3e-6 + 1e6 / 5e8) * ring / (2 * (2e-6 + 1e6 / 9e8)));
}

TEST(ExchangeTimer, WhatCanHideGoesWithTheSizeOfTheMessage) {
  Link link;
  const Path path{"network", &link};
  Machine machine;
  machine.device.kind = "cpu";
  const Paths paths(machine, {});
  const auto share = [&](double bytes, Bound bound = Bound::value) {
    return paths.hideable_share(path, bytes, bound);
  };
  EXPECT_EQ(share(1e6), 1);
  link.hideable_fraction = Quantity{0.7, 0.6, 0.8, {}};
  EXPECT_EQ(share(1e6), 0.7);
  link.hideable_by_size = {{1e3, {0.2, 0.1, 0.3, {}}}, {1e5, {0.6, 0.5, 0.7, {}}}};
  EXPECT_EQ(share(1), 0.2);
  EXPECT_EQ(share(1e3), 0.2);
  EXPECT_DOUBLE_EQ(share(1e4), 0.4);
  EXPECT_EQ(share(1e5), 0.6);
  EXPECT_EQ(share(1e9), 0.6);
  EXPECT_DOUBLE_EQ(share(1e4, Bound::fastest), 0.5);
  EXPECT_DOUBLE_EQ(share(1e4, Bound::slowest), 0.3);
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
