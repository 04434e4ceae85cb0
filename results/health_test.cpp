// SPDX-License-Identifier: MIT
#include "results/health.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "models/errors.hpp"

namespace bellwether {
namespace {

using Sentences = std::vector<std::string>;
using nlohmann::json;

HealthReading lanes(int missing, const std::string& gpu = "GPU 0000:17:00.0") {
  return {"gpu_lanes_missing", gpu, missing,
          fmt::format("{} of 16 PCIe lanes are up", 16 - missing)};
}
HealthReading governor(const std::string& name) {
  return {"cpu_governor", "", json::array({name}), "cores have the governor " + name};
}

HealthLimits limits(const char* text) {
  static json document;
  document = json::parse(text);
  return health_limits_type().read(JsonNode(document, "suite.json"));
}

TEST(Health, WhatIsWithinItsLimitsIsNotMentioned) {
  const HealthFindings found = judge_health({{lanes(0), governor("performance")}}, {"node1"},
                                            limits(R"({"fail": {"gpu_lanes_missing": 0},
                              "warn": {"cpu_governor": ["performance", "userspace"]}})"));
  EXPECT_EQ(found.failures, Sentences{});
  EXPECT_EQ(found.warnings, Sentences{});
  EXPECT_EQ(found.untold, Sentences{});
}

TEST(Health, ASentenceNamesNodeValueExpectationAndWhatHelps) {
  const HealthFindings found = judge_health({{lanes(8), governor("powersave")}}, {"node1"},
                                            limits(R"({"fail": {"gpu_lanes_missing": 4},
                              "warn": {"gpu_lanes_missing": 0,
                                       "cpu_governor": ["performance", "userspace"]}})"));
  EXPECT_EQ(found.failures,
            Sentences{"node1: GPU 0000:17:00.0: 8 of 16 PCIe lanes are up (gpu_lanes_missing: "
                      "expected at most 4): reseat it, look at its riser and at the firmware's "
                      "slot settings"});
  EXPECT_EQ(
      found.warnings,
      Sentences{"node1: cores have the governor powersave (cpu_governor: expected performance "
                "or userspace): clocks follow the load; cpupower frequency-set -g performance "
                "changes it"})
      << "what fails is not warned of besides";
}

TEST(Health, BetweenBothLimitsIsAWarning) {
  const HealthFindings found = judge_health(
      {{lanes(4)}}, {"node1"},
      limits(R"({"fail": {"gpu_lanes_missing": 4}, "warn": {"gpu_lanes_missing": 0}})"));
  EXPECT_EQ(found.failures, Sentences{});
  ASSERT_EQ(found.warnings.size(), 1U);
  EXPECT_NE(
      found.warnings[0].find("12 of 16 PCIe lanes are up (gpu_lanes_missing: expected at most 0)"),
      std::string::npos);
}

TEST(Health, TheSameOfManyNodesIsSaidOnce) {
  const HealthLimits all = limits(R"({"warn": {"cpu_governor": ["performance"]}})");
  std::vector<std::vector<HealthReading>> of_ranks;
  Sentences hosts;
  for (int rank = 0; rank < 40; ++rank) {
    hosts.push_back(fmt::format("n{}", rank / 2));
    of_ranks.push_back({governor(rank < 4 ? "powersave" : rank < 38 ? "ondemand" : "performance")});
  }
  const Sentences some = judge_health(of_ranks, hosts, all).warnings;
  ASSERT_EQ(some.size(), 2U);
  EXPECT_EQ(some[0].substr(0, some[0].find('(')), "n0, n1: cores have the governor powersave ");
  EXPECT_EQ(some[1].substr(0, some[1].find('(')),
            "n2, n3, n4, n5, n6, n7, n8, n9, n10, n11, n12, n13, n14, n15, n16, n17 and 1 more: "
            "cores have the governor ondemand ");
  for (auto& readings : of_ranks) readings = {governor("schedutil")};
  const Sentences one = judge_health(of_ranks, hosts, all).warnings;
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].substr(0, one[0].find('(')), "all 20 nodes: cores have the governor schedutil ");
}

TEST(Health, OfANodesRanksTheWorstNumberCountsForEachGpu) {
  const Sentences found =
      judge_health({{lanes(8)}, {lanes(12)}, {lanes(0)}, {lanes(4, "GPU 0000:3d:00.0")}},
                   {"a", "a", "a", "a"}, limits(R"({"warn": {"gpu_lanes_missing": 0}})"))
          .warnings;
  ASSERT_EQ(found.size(), 2U);
  EXPECT_TRUE(found[0].starts_with("a: GPU 0000:17:00.0: 4 of 16")) << found[0];
  EXPECT_TRUE(found[1].starts_with("a: GPU 0000:3d:00.0: 12 of 16")) << found[1];
}

TEST(Health, ANetworkCardNearToOneRankIsNear) {
  const auto distance = [](int value) {
    return HealthReading{"network_distance", "", value, fmt::format("distance {}", value)};
  };
  const HealthLimits near = limits(R"({"warn": {"network_distance": 15}})");
  EXPECT_EQ(judge_health({{distance(32)}, {distance(10)}, {distance(32)}}, {"a", "a", "a"}, near)
                .warnings,
            Sentences{});
  EXPECT_EQ(judge_health({{distance(32)}, {distance(21)}, {distance(10)}}, {"a", "a", "b"}, near)
                .warnings.at(0)
                .substr(0, 14),
            "a: distance 21");
}

TEST(Health, WhatNothingTellsIsSaidOnce) {
  const HealthLimits two =
      limits(R"({"warn": {"cpu_governor": ["performance"], "numa_balancing": 0}})");
  EXPECT_EQ(judge_health({{}, {governor("performance")}, {}}, {"a", "b", "c"}, two).untold,
            (Sentences{"a, c: nothing tells cpu_governor, numa_balancing",
                       "b: nothing tells numa_balancing"}));
  EXPECT_EQ(judge_health({{}, {}}, {"a", "b"}, two).untold,
            Sentences{"all 2 nodes: nothing tells cpu_governor, numa_balancing"});
  EXPECT_EQ(judge_health({{}}, {"a"}, {}).untold, Sentences{}) << "and nothing is expected";
}

TEST(HealthLimits, AreReadStrictly) {
  for (const auto& [text, message] :
       {std::pair{R"({"warn": {"cpu_governor": 0}})",
                  "key /warn/cpu_governor: found number 0, expected a list"},
        {R"({"fail": {"gpu_xid_events": ["none"]}})",
         "key /fail/gpu_xid_events: found array [\"none\"], expected a number of at least 0"},
        {R"({"fail": {"gpu_xid_events": -1}})", "key /fail/gpu_xid_events"},
        {R"({"fail": {"gpu_errors": 1}})", "gpu_errors"},
        {R"({"stop": {}})", "stop"}})
    try {
      limits(text);
      FAIL() << text;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  const json written = health_limits_type().write(limits(R"({"warn": {"numa_balancing": 0}})"));
  EXPECT_EQ(written, json::parse(R"({"warn": {"numa_balancing": 0}})"));
}

}  // namespace
}  // namespace bellwether
