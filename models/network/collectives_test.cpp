// SPDX-License-Identifier: MIT
#include "models/network/collectives.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/machine/test_full_machine.hpp"
#include "models/network/link.hpp"
#include "models/network/paths.hpp"

namespace bellwether {
namespace {

/// Of 8 B to 1 MiB on 2, 4, 8 and 16 ranks, four of which share a node: what `seconds` says.
template <class Law>
std::vector<CollectiveSample> samples_by(Law seconds) {
  std::vector<CollectiveSample> all;
  for (const double bytes : {1048576., 8., 64., 512., 4096., 16384., 65536., 262144.})
    for (const int ranks : {16, 2, 4, 8}) all.push_back({bytes, ranks, seconds(bytes, ranks)});
  return all;
}

/// 1 us and 0.1 ns a byte within nodes of four, 5 us and 1 ns between them.
double tree(double bytes, int ranks) {
  const int within = ranks > 2 ? 2 : 1, between = ranks == 16 ? 2 : ranks == 8 ? 1 : 0;
  return within * (1e-6 + 1e-10 * bytes) + between * (5e-6 + 1e-9 * bytes);
}

double ring(double bytes, int ranks) {
  const bool nodes = ranks > 4;
  return 2 * (ranks - 1.) * (nodes ? 4e-6 : 8e-7) +
         2 * (ranks - 1.) / ranks * bytes * (nodes ? 1e-9 : 2e-10);
}

TEST(CollectiveCounts, ByHand) {
  const auto of = [](const char* form, int ranks, int on_node) {
    const CollectiveCounts counts = collective_counts(form, ranks, on_node);
    return std::array{counts.rounds, counts.bytes, counts.node_rounds, counts.node_bytes};
  };
  using Counts = std::array<double, 4>;
  EXPECT_EQ(of("tree", 1, 4), (Counts{0, 0, 0, 0}));
  EXPECT_EQ(of("tree", 3, 4), (Counts{2, 2, 0, 0}));
  EXPECT_EQ(of("tree", 20, 4), (Counts{2, 2, 3, 3}));
  EXPECT_EQ(of("ring", 4, 4), (Counts{6, 1.5, 0, 0}));
  EXPECT_EQ(of("ring", 8, 4), (Counts{0, 0, 14, 1.75}));
}

TEST(FitCollective, FindsATreeWithinAndBetweenNodes) {
  const auto fit = fit_collective(samples_by(tree), 4);
  ASSERT_TRUE(fit.has_value());
  ASSERT_EQ(fit->segments.size(), 1U);
  const CollectiveSegment& one = fit->segments[0];
  EXPECT_EQ(one.form, "tree");
  EXPECT_NEAR(one.round_s.value, 1e-6, 1e-10);
  EXPECT_NEAR(one.byte_s.value, 1e-10, 1e-14);
  ASSERT_TRUE(one.node_round_s.has_value());
  EXPECT_NEAR(one.node_round_s->value, 5e-6, 1e-10);
  EXPECT_NEAR(one.node_byte_s->value, 1e-9, 1e-13);
  EXPECT_LT(fit->largest_residual, 1e-6);
  EXPECT_EQ(fit->most_ranks, 16);
  // 1024 ranks on 256 nodes: 2 rounds within, 8 between, which no sample had.
  EXPECT_NEAR(collective_time(*fit, 1024, 4, 8, Bound::value, 0), 2 * 1e-6 + 8 * 5e-6, 1e-7);
}

TEST(FitCollective, FindsARingOfLargeMessages) {
  const auto fit = fit_collective(samples_by([](double bytes, int ranks) {
                                    return bytes < 16384 ? tree(bytes, ranks) : ring(bytes, ranks);
                                  }),
                                  4);
  ASSERT_TRUE(fit.has_value());
  ASSERT_EQ(fit->segments.size(), 2U);
  EXPECT_EQ(fit->segments[0].form, "tree");
  EXPECT_EQ(fit->segments[1].form, "ring");
  EXPECT_EQ(fit->segments[1].from_bytes, 16384);
  EXPECT_NEAR(fit->segments[1].node_round_s->value, 4e-6, 1e-9);
  for (const double bytes : {256., 524288.})
    for (const int ranks : {2, 4, 16, 64})
      EXPECT_NEAR(collective_time(*fit, ranks, 4, bytes, Bound::value, 0),
                  bytes < 16384 ? (ranks == 64 ? tree(bytes, 16) + 2 * (5e-6 + 1e-9 * bytes)
                                               : tree(bytes, ranks))
                                : ring(bytes, ranks),
                  1e-3 * ring(bytes, ranks))
          << bytes << " on " << ranks;
}

TEST(FitCollective, OfTwoRanksIsATree) {
  std::vector<CollectiveSample> two = samples_by(ring);
  std::erase_if(two, [](const CollectiveSample& one) { return one.ranks > 2; });
  const auto fit = fit_collective(two, 2);
  ASSERT_TRUE(fit.has_value());
  for (const CollectiveSegment& one : fit->segments) {
    EXPECT_EQ(one.form, "tree");
    EXPECT_FALSE(one.node_round_s.has_value());
  }
  // What is between nodes costs a message each.
  EXPECT_NEAR(collective_time(*fit, 16, 2, 8, Bound::value, 1e-5), ring(8, 2) + 3e-5, 1e-8);
  EXPECT_FALSE(fit_collective({{8, 2, 1e-6}}, 2).has_value());
}

TEST(PathsAllreduce, BeyondWhatWasMeasuredIsByTheFit) {
  Machine machine = full_machine();
  machine.allreduce = {{2, Quantity::exact(1e-6)}, {8, Quantity::exact(7e-6)}};
  CollectiveParameters fits{"", 4, fit_collective(samples_by(tree), 4)};
  set_section(machine, fits);
  std::vector<std::string> notes;
  const auto at = [&](int ranks) {
    return Paths(machine, {4}).allreduce(ranks, Bound::value, notes);
  };
  EXPECT_DOUBLE_EQ(at(8), 7e-6);
  EXPECT_TRUE(notes.empty());
  EXPECT_NEAR(at(1024), 2 * 1e-6 + 8 * 5e-6, 1e-7);
  EXPECT_NEAR(at(16), 12e-6, 1e-7);
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_NE(notes[0].find("calibrated up to 16 ranks"), std::string::npos);
  // Of a node alone: between nodes messages, of the network's 8 bytes.
  for (CollectiveSegment& one : fits.allreduce->segments) one.node_round_s = one.node_byte_s = {};
  set_section(machine, fits);
  const double message = link_time(machine.links.at("network").one_way, 8, Bound::value);
  EXPECT_NEAR(at(1024), 2 * 1e-6 + 8 * message, 1e-7);
  EXPECT_NE(notes.back().find("between nodes by messages"), std::string::npos);
}

}  // namespace
}  // namespace bellwether
