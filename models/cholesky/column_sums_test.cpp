// SPDX-License-Identifier: MIT
#include "models/cholesky/column_costs.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/machine/full_machine.hpp"
#include "models/network/topology.hpp"

namespace bellwether {
namespace {

RC_GTEST_PROP(ColumnSums, SlowestRankIsTheSlowestOfAllAtEveryStep, ()) {
  // Columns j + 1 to n remain; column k belongs to rank k mod ranks and has n - k + 1 values.
  const int n = *rc::gen::inRange(1, 40);
  const int ranks = *rc::gen::inRange(1, 50);
  double values = 0, columns = 0;
  for (int j = 1; j < n; ++j) {
    double most_values = 0, most_columns = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      double own_values = 0, own_columns = 0;
      for (int k = j + 1; k <= n; ++k) {
        if (k % ranks != rank) continue;
        own_values += n - k + 1;
        own_columns += 1;
      }
      most_values = std::max(most_values, own_values);
      most_columns = std::max(most_columns, own_columns);
    }
    values += most_values;
    columns += most_columns;
  }
  RC_ASSERT(std::abs(slowest_updated_values(n - 1, ranks) - values) < 1e-6);
  RC_ASSERT(std::abs(slowest_updated_columns(n - 1, ranks) - columns) < 1e-6);
}

TEST(ColumnSums, OneRankUpdatesEverything) {
  // Half of the paper's flops of do 20: n (n^2 - 1)/6.
  EXPECT_DOUBLE_EQ(slowest_updated_values(4999, 1), 5000. * (25e6 - 1) / 6);
  EXPECT_DOUBLE_EQ(slowest_updated_columns(4999, 1), 4999. * 5000 / 2);
}

LinkTiming stepped() {
  const auto exact = [](double value) { return Quantity::exact(value); };
  LinkTiming timing;
  timing.latency_s = exact(1e-6);
  timing.bandwidth_bytes_per_s = exact(1e9);
  timing.segments = {
      {8, exact(1e-6), exact(1e9)}, {100, exact(5e-6), exact(4e9)}, {128, exact(6e-6), exact(8e9)}};
  return timing;
}

RC_GTEST_PROP(ColumnSums, MessagesOfAllLengths, ()) {
  const int longest = *rc::gen::inRange(0, 80);
  const double bytes = *rc::gen::element(4, 8);
  const LinkTiming timing = stepped();
  double seconds = 0;
  for (int length = 1; length <= longest; ++length) {
    const double size = bytes * length;
    seconds += size >= 128   ? 6e-6 + size / 8e9
               : size >= 100 ? 5e-6 + size / 4e9
                             : 1e-6 + size / 1e9;
  }
  RC_ASSERT(std::abs(message_time_sum(timing, bytes, longest, Bound::value) - seconds) <= 1e-15);
}

TEST(ColumnSums, MessagesWithoutSegmentsAndAtTheirBounds) {
  LinkTiming timing;
  timing.latency_s = {2e-6, 1e-6, 3e-6, {}};
  timing.bandwidth_bytes_per_s = {2e9, 1e9, 4e9, {}};
  EXPECT_NEAR(message_time_sum(timing, 8, 10, Bound::value), 20e-6 + 440 / 2e9, 1e-18);
  EXPECT_NEAR(message_time_sum(timing, 8, 10, Bound::fastest), 10e-6 + 440 / 4e9, 1e-18);
  EXPECT_NEAR(message_time_sum(timing, 8, 10, Bound::slowest), 30e-6 + 440 / 1e9, 1e-18);
}

TEST(ColumnWay, OfOneSwitchIsThatOfAFlatNetwork) {
  Machine machine;
  machine.links["network"].one_way.latency_s = Quantity::exact(1e-6);
  machine.links["network"].one_way.bandwidth_bytes_per_s = Quantity::exact(1e9);
  const ColumnWay flat(machine, {1}, 8, 1e6);
  EXPECT_EQ(flat.sharing_between, 3);  // to the first, second and fourth behind it
  EXPECT_EQ(flat.added_between_s(1e5), 0);
  machine.topology = parse_topology("fat-tree:8");
  const ColumnWay way(machine, {1}, 8, 1e6);
  EXPECT_EQ(way.sharing_between, 1);
  for (const double bytes : {64., 1e3, 1e5, 1e6})
    EXPECT_NEAR(way.added_between_s(bytes), 2 * bytes / 1e9, 1e-12) << bytes;
  // On a ring of many the next is near, and the others' bytes come later than its own.
  machine.topology = parse_topology("torus:8");
  machine.topology->link_bandwidth_bytes_per_s = Quantity::exact(1e9);
  machine.topology->hop_latency_s = Quantity::exact(1e-6);
  EXPECT_NEAR(ColumnWay(machine, {1}, 8, 1e6).added_between_s(512), 0, 1e-15);
}

}  // namespace
}  // namespace bellwether
