// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>

#include "results/reproduce/papers.hpp"

namespace bellwether {
namespace {

const ReproducedNumber& item(const Reproduction& all, const std::string& name) {
  return *std::find_if(all.numbers.begin(), all.numbers.end(),
                       [&](const auto& one) { return one.item.find(name) != name.npos; });
}

// Eq. 1 by hand: 1 / (1 / F_peak + B / F / B_peak), Gflop/s.
TEST(ReproduceShimokawabe, GivesTheThreeRooflineEstimates) {
  const Reproduction all = reproduce_shimokawabe({});
  const struct {
    const char* name;
    double published;
    double by_hand;
  } expected[] = {
      {"diffusion on one M2050", 56.8, 1 / (1 / 1030. + 32 / 13. / 148)},
      {"diffusion on one K20X", 99.0, 1 / (1 / 3950. + 32 / 13. / 250)},
      {"lattice Boltzmann on one M2050", 214.5, 1 / (1 / 1030. + 1 / 1.83 / 148)},
  };
  for (const auto& one : expected) {
    const ReproducedNumber& number = item(all, one.name);
    EXPECT_EQ(number.published, one.published);
    EXPECT_NEAR(number.computed.value(), one.by_hand, 1e-9);
    EXPECT_EQ(number.tolerance, 0.002);
    EXPECT_EQ(number.met(), true) << one.name;
  }
}

TEST(ReproduceShimokawabe, EveryJudgedNumberPasses) {
  const Reproduction all = reproduce_shimokawabe({});
  EXPECT_EQ(all.numbers.size(), 3u + 4);
  for (const ReproducedNumber& number : all.numbers)
    EXPECT_TRUE(number.met().value_or(true)) << number.item;
}

TEST(ReproduceShimokawabe, TheMeasurementIsJudgedByEq1Alone) {
  const Reproduction all = reproduce_shimokawabe({});
  const ReproducedNumber& rate = item(all, "measured rate");
  EXPECT_EQ(rate.published, 198.0);
  EXPECT_EQ(rate.evidence, Evidence::measurement);
  EXPECT_EQ(rate.tolerance, 0.1);
  EXPECT_NEAR(item(all, "one M2050, refined form").computed.value(), 198, 0.2);
  EXPECT_EQ(item(all, "one M2050, refined form").evidence, Evidence::fitted);
  const ReproducedNumber& updates = item(all, "of the measurement");
  EXPECT_NEAR(updates.computed.value(), 198e3 / 476, 1e-9);
  EXPECT_EQ(updates.met(), std::nullopt);
}

/// Both machines with other links.
Reproduction with_network(double bandwidth_factor, double latency_factor) {
  PaperMachines machines;
  for (const char* name : {"tsubame2.0", "cray-xk6m"}) {
    Machine machine = machines.at(name);
    for (auto& [path, link] : machine.links)
      for (LinkTiming* timing : {&link.one_way, link.unaligned ? &*link.unaligned : nullptr})
        if (timing != nullptr) {
          timing->bandwidth_bytes_per_s.value *= bandwidth_factor;
          timing->latency_s.value *= latency_factor;
        }
    machines.put(machine);
  }
  return reproduce_shimokawabe(machines);
}

TEST(ReproduceShimokawabe, TrendsHoldAndCanFail) {
  const std::vector<ReproducedTrend> trends = reproduce_shimokawabe({}).trends;
  ASSERT_EQ(trends.size(), 3u);
  for (const ReproducedTrend& trend : trends) EXPECT_TRUE(trend.holds) << trend.item;
  for (const ReproducedTrend& trend : with_network(1e3, 1e-3).trends)
    EXPECT_FALSE(trend.holds) << trend.item << ": " << trend.computed;
}

// j of Eq. 3: 2048^3, by hand as below with j messages in place of four.
TEST(ReproduceShimokawabe, SaysHowMuchTheNumberOfMessagesMatters) {
  std::string wanted;
  for (const int messages : {4, 2, 1}) {
    int last = 0;
    for (int q = 2; q <= 64; ++q) {
      const double side = (2048 + q - 1) / q;
      const double bytes = 4. * 2048 * side;
      const double communication =
          messages * (6 * (7.47e-6 + bytes / 5.80e9) + 2 * (16.9e-6 + bytes / 4.29e9));
      if (communication <= 2048. * side * side * (13 / 1030e9 + 32 / 148e9)) last = q;
    }
    if (messages == 4) wanted = "up to " + std::to_string(last * last) + " devices (j = 4";
    if (messages == 2) wanted += "; j = 2: up to " + std::to_string(last * last) + " devices";
    if (messages == 1) {
      EXPECT_EQ(last, 64);
      wanted += "; j = 1: on all 4096 devices)";
    }
  }
  EXPECT_NE(wanted.find("324"), std::string::npos);
  EXPECT_NE(wanted.find("1225"), std::string::npos);
  const std::vector<std::string> said = reproduce_shimokawabe({}).statements;
  EXPECT_TRUE(std::any_of(said.begin(), said.end(), [&](const auto& one) {
    return one.find("2048x2048x2048") != one.npos && one.find(wanted) != one.npos;
  })) << wanted;
}

// 512^3 diffusion, Q x Q devices, three to a node: V/P against 4 (6 t_net + 2 t_pcie), by hand the
// last Q at which computation still takes longer.
TEST(ReproduceShimokawabe, SaysHowFarOverlapHides) {
  int last = 0;
  for (int q = 2; q <= 64; ++q) {
    const double side = (512 + q - 1) / q;
    const double compute = 512. * side * side * (13 / 1030e9 + 32 / 148e9);
    const double bytes = 4. * 512 * side;
    const double communication =
        4 * (6 * (7.47e-6 + bytes / 5.80e9) + 2 * (16.9e-6 + bytes / 4.29e9));
    if (communication <= compute) last = q;
  }
  ASSERT_GT(last, 1);
  const std::string wanted =
      "diffusion of 512x512x512 on tsubame2.0 (computed, 1xQxQ devices): overlap hides the whole "
      "communication up to " +
      std::to_string(last * last) + " devices";
  bool said = false;
  for (const std::string& statement : reproduce_shimokawabe({}).statements)
    said |= statement.find(wanted) != statement.npos;
  EXPECT_TRUE(said) << wanted;
}

}  // namespace
}  // namespace bellwether
