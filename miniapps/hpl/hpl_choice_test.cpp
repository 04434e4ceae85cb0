// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_choice.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "models/hpl/hpl_curve.hpp"
#include "models/hpl/hpl_test_costs.hpp"
#include "models/machine/machine_file.hpp"

namespace bellwether {
namespace {

nlohmann::json json_of(const HplProblem& problem) {
  return to_json(HplAsked{problem.size, problem.block, problem.grid, {}});
}

TEST(HplChoice, WhatIsGivenStays) {
  const HplAsked asked{5000, 64, ProcessGrid{2, 3}, {}};
  const Machine machine = find_machine("mi50-cluster");
  for (const Machine* known : {static_cast<const Machine*>(nullptr), &machine})
    EXPECT_EQ(json_of(chosen_problem(asked, known, 8, 1, 0)), to_json(asked));
}

TEST(HplChoice, WithoutAMachineTheNearestSquareInBlocksOf192) {
  const HplProblem chosen = chosen_problem({5000, {}, {}, {}}, nullptr, 8, 1, 0);
  EXPECT_EQ(json_of(chosen).dump(), R"({"block":192,"grid":[2,4],"size":5000})");
  EXPECT_EQ(chosen_problem({100, {}, {}, {}}, nullptr, 1, 1, 0).block, 100);
}

TEST(HplChoice, WherePanelsAreFactoredOnTheDeviceBlocksOf512) {
  const Machine machine = find_machine("mi50-cluster");
  const auto block = [&](const char* panel, ProcessGrid grid, long size, bool on_host) {
    HplAsked asked{size, {}, grid, {}};
    asked.variant.panel = panel;
    const int alone = chosen_problem(asked, nullptr, 4, 4, 0, on_host).block;
    if (alone == 512) {
      EXPECT_EQ(chosen_problem(asked, &machine, 4, 4, 0, on_host).block, 512);
    }
    return alone;
  };
  EXPECT_EQ(block("", {1, 4}, 5000, false), 512);
  EXPECT_EQ(block("cusolver", {1, 1}, 5000, false), 512);
  EXPECT_EQ(block("device", {1, 1}, 100, false), 100);
  EXPECT_EQ(block("host", {1, 4}, 5000, false), 192);
  EXPECT_EQ(block("", {2, 2}, 5000, false), 192);
  EXPECT_EQ(block("device", {2, 2}, 5000, false), 512);
  EXPECT_EQ(block("", {1, 4}, 5000, true), 192);
}

TEST(HplChoice, WhereTheMachineKnowsThePanelsOfItsDeviceTheFastestBlocks) {
  const Machine machine = hpl_test_gpu(1e12, 1e-6, 1e10, 1e-5, 2e11);
  HplStudy study;
  study.size = 5000;
  study.blocks = usual_blocks();
  study.request.ranks_per_node = 4;
  const HplProblem fastest = fastest_refined(machine, study, 1, true);
  ASSERT_EQ(fastest.panel, "device");
  ASSERT_LT(fastest.block, 512);
  EXPECT_EQ(json_of(chosen_problem({5000, {}, {}, {}}, &machine, 1, 4, 0, false)),
            json_of(fastest));
  HplAsked asked{5000, {}, ProcessGrid{1, 1}, {}};
  asked.variant.panel = "cusolver";
  EXPECT_EQ(chosen_problem(asked, &machine, 1, 4, 0, false).block, 512);
  asked.variant.panel = "host";
  study.grid = asked.grid;
  study.how.panel = "host";
  EXPECT_EQ(json_of(chosen_problem(asked, &machine, 1, 4, 0, false)),
            json_of(fastest_refined(machine, study, 1, true)));
}

TEST(HplChoice, RefusesPanelsOnADeviceThatCannotFactorThem) {
  const auto refusal = [](const char* panel, bool on_host, int rows) -> std::string {
    try {
      return panel_chosen(panel, on_host, rows);
    } catch (const BadInput& error) {
      return error.what();
    }
  };
  EXPECT_EQ(refusal("", false, 1), "device");
  EXPECT_EQ(refusal("", false, 2), "host");
  EXPECT_EQ(refusal("device", false, 2), "device");
  EXPECT_EQ(refusal("", true, 1), "host");
  EXPECT_EQ(refusal("host", false, 1), "host");
  EXPECT_EQ(refusal("cusolver", false, 1), "cusolver");
  EXPECT_EQ(refusal("cusolver", false, 3).rfind("--panel: found cusolver on a grid of 3 rows", 0),
            0u);
  EXPECT_EQ(refusal("device", true, 1).rfind("--panel: found device, expected host: ", 0), 0u);
}

TEST(HplChoice, OnAMachineWhatTheRefinedFormFindsFastest) {
  const Machine machine = find_machine("mi50-cluster");
  HplStudy study;
  study.size = 60000;
  study.blocks = usual_blocks();
  study.request.ranks_per_node = 4;
  for (const bool look_ahead : {false, true}) {
    HplAsked asked{study.size, {}, {}, {.look_ahead = look_ahead}};
    EXPECT_EQ(json_of(chosen_problem(asked, &machine, 8, 4, 0)),
              json_of(fastest_refined(machine, study, 8, look_ahead)));
    asked.grid = ProcessGrid{1, 4};
    HplStudy of_grid = study;
    of_grid.grid = asked.grid;
    EXPECT_EQ(json_of(chosen_problem(asked, &machine, 8, 4, 0)),
              json_of(fastest_refined(machine, of_grid, 4, look_ahead)));
  }
}

TEST(HplChoice, AnAutomaticSizeIsWholeBlocksInFourFifthsOfTheMemoryOfTheGridsRanks) {
  const double rank_bytes = 1e9;
  for (const int block : {64, 192, 1000})
    for (const ProcessGrid grid : {ProcessGrid{1, 1}, ProcessGrid{2, 3}}) {
      const HplProblem chosen = chosen_problem({{}, block, grid, {}}, nullptr, 6, 6, rank_bytes);
      const auto bytes = [](double size) { return 8 * size * size; };
      const double most = 0.8 * rank_bytes * grid.rows * grid.columns;
      EXPECT_EQ(chosen.size % block, 0);
      EXPECT_LE(bytes(static_cast<double>(chosen.size)), most);
      EXPECT_GT(bytes(static_cast<double>(chosen.size + block)), most);
    }
  EXPECT_EQ(chosen_problem({{}, 64, ProcessGrid{1, 1}, {}}, nullptr, 1, 1, 0).size, 64);
}

}  // namespace
}  // namespace bellwether
