// SPDX-License-Identifier: MIT
#include "results/history/trend.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "results/example_record_test.hpp"
#include "results/schema_file_test.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;

class Trends : public testing::Test {
 protected:
  Trends() : folder_(fs::path(testing::TempDir()) / "bellwether_trends") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Trends() override { fs::remove_all(folder_); }

  /// A run of the example's case at noon of a day of March, its times scaled.
  static Record run(int day, double scale, const char* driver = "550", int second = 0) {
    Record record = example_record();
    Summary& total = record.measured.total_s;
    for (double* value : {&total.median, &total.low, &total.high}) *value *= scale;
    record.provenance["time"] = fmt::format("2026-03-{:02}T12:00:{:02}Z", day, second);
    record.provenance["gpu"] = {{"driver", driver}, {"temperature", 40 + day + second}};
    return record;
  }
  std::vector<Trend> trends(const std::vector<Record>& records) {
    const std::string results = folder_ / "r.jsonl", store = folder_ / "h.sqlite";
    for (const Record& record : records) append_record(results, record);
    HistoryStore(store, HistoryStore::Access::add).add({results});
    return trends_of(HistoryStore(store, HistoryStore::Access::read), "", "*");
  }

 private:
  fs::path folder_;
};

TEST_F(Trends, RepeatsOfAnHourOrJobAreOneOccasion) {
  Record wrong = run(1, 9, "550", 3);
  wrong.verification.passed = false;
  Record job = run(2, 1.2);
  job.provenance["environment"] = {{"SLURM_JOB_ID", "77"}};
  Record later = job;
  later.provenance["time"] = "2026-03-02T15:00:00Z";
  const std::vector<Trend> all =
      trends({run(1, 1), run(1, 1.1, "550", 1), run(1, 1.3, "550", 2), wrong, job, later});
  ASSERT_EQ(all.size(), 1u);
  const Trend& trend = all[0];
  EXPECT_EQ(trend.host, "node1");
  EXPECT_EQ(trend.layout, "2 ranks on 1 node");
  EXPECT_EQ(trend.answer, "too few");
  EXPECT_EQ(trend.wrong, 1);
  ASSERT_EQ(trend.occasions.size(), 2u);
  EXPECT_NEAR(trend.occasions[0].time_s.value, 1.1 * 10.3e-3, 1e-12);
  EXPECT_NEAR(trend.occasions[0].time_s.low, 10.1e-3, 1e-12);
  EXPECT_NEAR(trend.occasions[0].time_s.high, 1.3 * 10.5e-3, 1e-12);
  EXPECT_EQ(trend.occasions[0].time_s.runs, 3);
  EXPECT_EQ(trend.occasions[1].job, "77");
  EXPECT_EQ(trend.occasions[1].time_s.runs, 2);
}

TEST_F(Trends, AStepHasItsSizeAndWhatChangedWithIt) {
  std::vector<Record> records;
  for (int day = 1; day <= 20; ++day)
    // The driver changed a day before the step: of the four days on either side three agree.
    records.push_back(
        run(day, (day <= 10 ? 1 : 1.05) * (1 + 0.001 * (day % 4)), day <= 9 ? "550" : "560"));
  const Trend trend = trends(records).at(0);
  EXPECT_EQ(trend.answer, "slower");
  ASSERT_EQ(trend.levels.size(), 2u);
  EXPECT_FALSE(trend.levels[0].change);
  const Level& after = trend.levels[1];
  EXPECT_EQ(after.since, "2026-03-11T12:00:00Z");
  EXPECT_EQ(after.until, "2026-03-20T12:00:00Z");
  ASSERT_TRUE(after.change);
  EXPECT_NEAR(after.change->relative.value, 0.05, 0.002);
  EXPECT_LE(after.change->relative.low, 0.05);
  EXPECT_GE(after.change->relative.high, 0.05);
  // Temperatures differ from run to run, which is no difference between the sides.
  ASSERT_EQ(after.change->provenance.size(), 1u);
  EXPECT_EQ(after.change->provenance[0].what, "gpu.driver");
  EXPECT_EQ(after.change->provenance[0].before, "550");
  EXPECT_EQ(after.change->provenance[0].after, "560");
}

TEST_F(Trends, CasesHostsAndLayoutsAreApart) {
  Record elsewhere = run(1, 1), off = run(1, 1), two_nodes = run(1, 1);
  elsewhere.provenance["host"] = "node2";
  off.variant["overlap"] = "off";
  two_nodes.provenance["layout"] = {{"nodes", 2}};
  const std::vector<Trend> all = trends({run(1, 1), elsewhere, off, two_nodes});
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "diffusion 64x64x64 f32, 2 ranks, overlap off");
  EXPECT_EQ(all[1].host, "2 nodes");
  EXPECT_EQ(all[1].layout, "2 ranks on 2 nodes");
  EXPECT_EQ(all[1].name, "diffusion 64x64x64 f32, 2 ranks, overlap on");
  EXPECT_EQ(all[3].host, "node2");
}

TEST(HistorySchema, FileHoldsWhatTheDescriptionYields) {
  expect_published("history/history.schema.json", history_json_schema());
}

}  // namespace
}  // namespace bellwether
