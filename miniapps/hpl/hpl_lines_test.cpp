// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_lines.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

namespace bellwether {
namespace {

/// N = 9000 in 5 s: 97.22 Gflop/s, of which half the columns take 4.4 s for 7/8 of the flops.
Record record() {
  Record made;
  made.problem = {{"size", 9000}, {"block", 192}, {"grid", {2, 16}}};
  made.variant = {{"overlap", "on"}, {"bcast", "two-rings-modified"}};
  made.measured.total_s.median = 5;
  made.verification.passed = true;
  made.result = {{"residual", 0.00296875}, {"curve", nlohmann::json::array()}};
  return made;
}

TEST(HplLines, ARecordAsHplPrintsIt) {
  EXPECT_EQ(hpl_result_lines(record()),
            "\n"
            "================================================================================\n"
            "T/V                N    NB     P     Q               Time                 Gflops\n"
            "--------------------------------------------------------------------------------\n"
            "WR13R2R8        9000   192     2    16               5.00             9.7224e+01\n"
            "--------------------------------------------------------------------------------\n"
            "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.96875000e-03 ...... PASSED\n"
            "================================================================================\n");
}

TEST(HplLines, TheCodeSaysLookAheadAndBroadcast) {
  const std::pair<const char*, const char*> codes[] = {{"ring", "WR00R2R8"},
                                                       {"ring-modified", "WR01R2R8"},
                                                       {"two-rings", "WR02R2R8"},
                                                       {"pipeline", "WR04R2R8"},
                                                       {"tree", "WR06R2R8"}};
  for (const auto& [bcast, code] : codes) {
    Record made = record();
    made.variant = {{"overlap", "off"}, {"bcast", bcast}};
    EXPECT_NE(hpl_result_lines(made).find("\n" + std::string(code) + " "), std::string::npos);
  }
}

TEST(HplLines, AWrongResultHasAResidualAndNoRate) {
  Record made = record();
  made.verification.passed = false;
  made.result["residual"] = 2.5e7;
  EXPECT_EQ(hpl_result_lines(made),
            "\n"
            "================================================================================\n"
            "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.50000000e+07 ...... FAILED\n"
            "================================================================================\n");
  made.result["residual"] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(hpl_result_lines(made), "");
}

TEST(HplLines, TheCurveHasTheRateOfEachStretchAndSoFar) {
  Record made = record();
  made.result["curve"] = {{4500, 4.4}, {9000, 4.8}};
  EXPECT_EQ(hpl_curve_lines(made),
            "\n"
            "    done    columns    seconds    Gflop/s     so far\n"
            "  87.5 %       4500      4.400       96.7       96.7\n"
            " 100.0 %       9000      4.800      152.0      101.3\n");
}

TEST(HplLines, TheCurveHasSome20RowsAndItsEnd) {
  Record made = record();
  for (int point = 1; point <= 50; ++point)
    made.result["curve"].push_back({180 * point, 0.1 * point});
  const std::string text = hpl_curve_lines(made);
  const auto rows = std::count(text.begin(), text.end(), '\n') - 2;
  EXPECT_GE(rows, 15);
  EXPECT_LE(rows, 21);
  EXPECT_NE(text.find(" 100.0 %       9000      5.000 "), std::string::npos);
  made.verification.passed = false;
  EXPECT_EQ(hpl_curve_lines(made), "");
}

}  // namespace
}  // namespace bellwether
