// SPDX-License-Identifier: MIT
#include "results/study/study.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "results/example_record_test.hpp"

namespace bellwether {
namespace {

/// 1000 units in so many seconds.
StudyTime thousand_in(double seconds) { return {seconds, seconds, seconds, 1000 / seconds}; }

TEST(Study, EfficiencyOfStrongScaling) {
  StudyCurve curve{"10x10x10", {{.ranks = 1}, {.ranks = 2}, {.ranks = 4}, {.ranks = 8}}};
  curve.points[0].predicted = thousand_in(8);
  curve.points[1].predicted = thousand_in(5);
  curve.points[2].predicted = thousand_in(4);
  const auto of = [&](std::size_t place, auto kind) {
    return efficiency(curve, curve.points[place], kind);
  };
  EXPECT_DOUBLE_EQ(of(1, &StudyPoint::predicted).value(), 0.8) << "8 s of one, 2 x 5 s";
  EXPECT_DOUBLE_EQ(of(2, &StudyPoint::predicted).value(), 0.5);
  EXPECT_FALSE(of(3, &StudyPoint::predicted));
  EXPECT_FALSE(of(1, &StudyPoint::measured));
  // What was measured begins at 2 ranks: both are held against that count.
  curve.points[1].measured = thousand_in(4);
  curve.points[2].measured = thousand_in(2.5);
  EXPECT_DOUBLE_EQ(of(1, &StudyPoint::measured).value(), 1);
  EXPECT_DOUBLE_EQ(of(2, &StudyPoint::measured).value(), 0.8) << "2 x 4 s, 4 x 2.5 s";
  EXPECT_DOUBLE_EQ(of(2, &StudyPoint::predicted).value(), 0.625) << "2 x 5 s, 4 x 4 s";
}

TEST(Study, EfficiencyOfWeakScaling) {
  StudyCurve curve{"10x10x10", {{.ranks = 1}, {.ranks = 4}}};
  curve.points[0].measured = StudyTime{2, 2, 2, 500};
  curve.points[1].measured = StudyTime{2.5, 2.5, 2.5, 1600};  // four times the work
  EXPECT_DOUBLE_EQ(efficiency(curve, curve.points[1], &StudyPoint::measured).value(), 0.8)
      << "2 s, 2.5 s";
}

TEST(Study, FinishedIsTheLastVerifiedRecordOfTheCommand) {
  const std::string file =
      std::filesystem::path(testing::TempDir()) / "bellwether_finished_record.jsonl";
  std::filesystem::remove(file);
  const std::vector<std::string> command{"run", "diffusion", "--cells", "9"};
  EXPECT_FALSE(finished_record(file, command, 2)) << "there is no file";
  const auto add = [&](double milliseconds, bool passed, const char* not_run, const char* cells) {
    Record record = example_record();
    record.verification.passed = passed;
    record.not_run = not_run;
    record.measured.total_s.median = milliseconds / 1e3;
    record.provenance["command_line"] = {"/some/bellwether", "run", "diffusion", "--cells", cells};
    append_record(file, record);
  };
  add(1, true, "", "8");
  add(2, false, "", "9");
  add(3, true, "no memory", "9");
  EXPECT_FALSE(finished_record(file, command, 2)) << "another problem, a wrong result, not run";
  add(4, true, "", "9");
  add(5, true, "", "9");
  add(6, false, "", "9");
  ASSERT_TRUE(finished_record(file, command, 2));
  EXPECT_DOUBLE_EQ(finished_record(file, command, 2)->measured.total_s.median, 5e-3);
  EXPECT_FALSE(finished_record(file, command, 4)) << "other ranks";
  EXPECT_FALSE(finished_record(file, {"run", "diffusion", "--cells"}, 2));
  std::ofstream(file, std::ios::app) << R"({"schema": "bellwether.rec)";
  EXPECT_TRUE(finished_record(file, command, 2)) << "a last line that was cut off";
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace bellwether
