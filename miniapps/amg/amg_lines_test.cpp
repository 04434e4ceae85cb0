// SPDX-License-Identifier: MIT
#include "miniapps/amg/amg_lines.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace bellwether {
namespace {

nlohmann::json sent(double average, double most, double elements, double per_row, double nonzeros) {
  return {{"average_sends", average},
          {"max_sends", most},
          {"max_elements", elements},
          {"nonzeros_per_row", per_row},
          {"total_nonzeros", nonzeros}};
}

nlohmann::json work(double compute, double network) {
  return {{"compute", compute}, {"network", network}};
}

/// Three levels of 64 unknowns on 4 ranks, of which one has none of the coarsest's.
Record record() {
  Record made;
  made.verification.passed = true;
  made.result["hierarchy"] = {
      {"processes", 4},
      {"ranks_per_node", 4},
      {"levels",
       {{{"unknowns", 64},
         {"active_processes", 4},
         {"solve", sent(2.5, 3, 16, 5.5, 352)},
         {"interpolation", sent(2, 3, 5, 2.25, 144)},
         {"restriction", sent(1.5, 2, 6, 2.25, 144)}},
        {{"unknowns", 16},
         {"active_processes", 4},
         {"solve", sent(3, 3, 7, 8, 128)},
         {"interpolation", sent(1, 1, 2, 1.5, 24)}},
        {{"unknowns", 3}, {"active_processes", 3}, {"solve", sent(2, 2, 1, 3, 9)}}}}};
  made.result["levels"] = {{{"relax", work(4e-3, 0.5e-3)},
                            {"residual", work(2e-3, 0.25e-3)},
                            {"restrict", work(1e-3, 0.125e-3)},
                            {"interpolate", work(1.5e-3, 0)}},
                           {{"relax", work(0.04e-3, 0.01e-3)},
                            {"residual", work(0.02e-3, 0.005e-3)},
                            {"restrict", work(0.01e-3, 0.001e-3)},
                            {"interpolate", work(0.015e-3, 0.001e-3)}},
                           {{"coarse_solve", work(0.003e-3, 0.02e-3)}}};
  return made;
}

TEST(AmgLines, TheHierarchy) {
  EXPECT_EQ(amg_hierarchy_lines(record(), false),
            "\n"
            "operator complexity 1.389, grid complexity 1.297; to multiply: messages of all ranks, "
            "neighbours and bytes of the busiest\n"
            "level        rows     nonzeros  per row  ranks   neighbours  messages     bytes\n"
            "    0          64          352      5.5      4            3        10       128\n"
            "    1          16          128      8.0      4            3        12        56\n"
            "    2           3            9      3.0      3            2         6         8\n");
}

TEST(AmgLines, TheInterpolationInDetail) {
  const std::string text = amg_hierarchy_lines(record(), true);
  EXPECT_EQ(
      text.substr(amg_hierarchy_lines(record(), false).size()),
      "\n"
      "     P from the next level                 to multiply by P                 by its "
      "transpose\n"
      "level    nonzeros  per row   neighbours  messages     bytes   neighbours  messages     "
      "bytes\n"
      "    0         144      2.2            3         8        40            2         6       "
      " 48\n"
      "    1          24      1.5            1         4        16            1         4       "
      " 16\n")
      << "where the transpose is not told apart it sends as the interpolation";
}

TEST(AmgLines, OneRankSendsNothing) {
  Record made = record();
  nlohmann::json& hierarchy = made.result["hierarchy"];
  hierarchy["processes"] = hierarchy["ranks_per_node"] = 1;
  for (nlohmann::json& level : hierarchy["levels"]) {
    level["active_processes"] = 1;
    level.erase("restriction");
    for (const char* one : {"solve", "interpolation"})
      if (level.contains(one)) level[one].update(sent(0, 0, 0, 2.5, 0));
  }
  EXPECT_EQ(amg_hierarchy_lines(made, true),
            "\n"
            "operator complexity 1.297, grid complexity 1.297\n"
            "level        rows     nonzeros  per row  ranks\n"
            "    0          64          160      2.5      1\n"
            "    1          16           40      2.5      1\n"
            "    2           3            8      2.5      1\n"
            "\n"
            "     P from the next level\n"
            "level    nonzeros  per row\n"
            "    0         160      2.5\n"
            "    1          40      2.5\n")
      << "entries from rows, where they are not told";
}

TEST(AmgLines, TimesOfLevelsAndOperations) {
  EXPECT_EQ(
      amg_level_lines(record()),
      "\n"
      "   ms            relax         residual         restrict      interpolate     coarse "
      "solve\n"
      "level  compute network  compute network  compute network  compute network  compute "
      "network     total\n"
      "    0    4.000   0.500    2.000   0.250    1.000   0.125    1.500   0.000              "
      "        9.375\n"
      "    1    0.040   0.010    0.020   0.005    0.010   0.001    0.015   0.001              "
      "        0.102\n"
      "    2                                                                        0.003   "
      "0.020     0.023\n"
      "  all    4.040   0.510    2.020   0.255    1.010   0.126    1.515   0.001    0.003   "
      "0.020     9.500\n");
  Record made = record();
  made.verification.passed = false;
  EXPECT_EQ(amg_level_lines(made), "");
  EXPECT_NE(amg_hierarchy_lines(made, false), "") << "what it was is to be known all the same";
}

TEST(AmgLines, LevelsPredictedBesideMeasured) {
  Record made = record();
  EXPECT_EQ(amg_prediction_lines(made), "") << "not predicted";
  nlohmann::json levels = made.result.at("levels");
  levels[0]["relax"]["compute"] = levels[0]["relax"]["compute"].get<double>() + 0.85e-3;
  levels[2]["coarse_solve"]["network"] = 10e-6;
  made.result["levels_predicted"] = levels;
  EXPECT_EQ(
      amg_prediction_lines(made),
      "\n"
      "   ms                      compute                      network                         "
      "both  of cycle\n"
      "level  predicted  measured   error  predicted  measured   error  predicted  measured   "
      "error\n"
      "    0      9.350     8.500   +10 %      0.875     0.875    +0 %     10.225     9.375    "
      "+9 %    98.7 %\n"
      "    1      0.085     0.085    +0 %      0.017     0.017    +0 %      0.102     0.102    "
      "+0 %     1.1 %\n"
      "    2      0.003     0.003    +0 %      0.010     0.020   -50 %      0.013     0.023   "
      "-43 %     0.2 %\n");
  made.verification.passed = false;
  EXPECT_EQ(amg_prediction_lines(made), "");
}

TEST(AmgLines, HowTheSolveWent) {
  Record made = record();
  made.variant["solver"] = "amg";
  made.result.update(
      {{"cycles", 44}, {"residual", 8.125e-9}, {"convergence_factor", 0.6545}, {"error", 1.5e-7}});
  const std::string solved =
      "\nsolved in 44 cycles: residual 8.12e-09, by a factor of 0.654 each; error of the solution "
      "1.50e-07\n";
  EXPECT_EQ(amg_solve_lines(made), solved);
  made.result["figure_of_merit"] = {
      {"value", 2.5e7}, {"nonzeros", 38'750'000}, {"setup_s", 0.35}, {"solve_s", 0.4}};
  EXPECT_EQ(amg_solve_lines(made),
            solved +
                "figure of merit 2.500e+07: 3.875e+07 entries of all levels / (setup 0.35 s + 3 x "
                "solve 0.4 s), as AMG2023's problem 2 has it\n");
  made.variant["solver"] = "pcg";
  EXPECT_EQ(amg_solve_lines(made).find("\nsolved in 44 iterations: "), 0u);
  made.result["cycles"] = 1;
  EXPECT_EQ(amg_solve_lines(made).find("\nsolved in 1 iteration: "), 0u);
  made.verification.passed = false;
  EXPECT_EQ(amg_solve_lines(made), "");
}

TEST(AmgLines, WhatOverlapMeans) {
  Record made = record();
  made.ranks = 4;
  made.variant = {{"overlap", "on"}, {"relax", "l1-gauss-seidel"}};
  EXPECT_EQ(amg_overlap_line(made),
            "overlap on: products compute with a rank's own values while others' travel; "
            "Gauss-Seidel waits for them first\n");
  made.variant["relax"] = "chebyshev";
  EXPECT_EQ(amg_overlap_line(made),
            "overlap on: products and relaxation compute with a rank's own values while others' "
            "travel\n");
  made.variant["overlap"] = "off";
  EXPECT_EQ(amg_overlap_line(made),
            "overlap off: every exchange is waited for before anything is computed\n");
  made.ranks = 1;
  EXPECT_EQ(amg_overlap_line(made), "");
}

}  // namespace
}  // namespace bellwether
