// SPDX-License-Identifier: MIT
#include "results/changes/change.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "models/errors.hpp"
#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"
#include "results/example_record_test.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// The example's record with all its measured times `slower` as long.
Record record(double slower, const char* overlap = "on") {
  Record one = example_record();
  one.variant["overlap"] = overlap;
  const auto scale = [slower](Summary& summary) {
    for (double* value : {&summary.median, &summary.low, &summary.high, &summary.min, &summary.max})
      *value *= slower;
  };
  scale(one.measured.total_s);
  for (auto& [name, summary] : one.measured.terms) scale(summary);
  return one;
}

std::string line(const Record& record) { return to_json(record).dump() + "\n"; }

/// The message of the BadInput that `call` throws; empty if it throws none.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const BadInput& error) {
    return error.what();
  }
  return "";
}

class Files : public testing::Test {
 protected:
  Files() : folder_(std::filesystem::path(testing::TempDir()) / "bellwether_changes") {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "a");
    std::filesystem::create_directories(folder_ / "b");
  }
  ~Files() override { std::filesystem::remove_all(folder_); }
  std::string file(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

TEST(Judge, WhatRangesCannotExplainCounts) {
  const Measured before{10, 9, 11, 1};
  EXPECT_EQ(judge(before, {12, 10.9, 13, 1}, Better::less), Judgement::noise);
  EXPECT_EQ(judge(before, {12, 11.1, 13, 1}, Better::less), Judgement::worse);
  EXPECT_EQ(judge(before, {12, 11.1, 13, 1}, Better::more), Judgement::better);
  EXPECT_EQ(judge(before, {8, 7, 8.9, 1}, Better::less), Judgement::better);
  EXPECT_EQ(judge(before, {8, 7, 8.9, 1}, Better::more), Judgement::worse);
  EXPECT_EQ(judge(before, {8, 7, 8.9, 1}, Better::neither), Judgement::different);
  EXPECT_EQ(judge(before, {8, 7, 8.9, 1}, Better::less, false), Judgement::unknown);
}

TEST(RecordChanges, SlowerCasesComeFirstWithTheTermThatExplainsThem) {
  Record slow = record(1);
  // 2 ms more in the network, of 10.3 ms.
  ASSERT_EQ(slow.measured.terms[3].first, "network");
  for (Summary* summary : {&slow.measured.total_s, &slow.measured.terms[3].second})
    for (double* value : {&summary->median, &summary->low, &summary->high}) *value += 2e-3;
  const Changes changes =
      changes_of_records({record(1, "off"), record(1)}, {slow, record(1.001, "off")});
  ASSERT_EQ(changes.changes.size(), 2u);
  const Change& worst = changes.changes[0];
  EXPECT_EQ(worst.judgement, Judgement::worse);
  EXPECT_EQ(worst.what, "diffusion 64x64x64 f32, 2 ranks, overlap on");
  EXPECT_NEAR(worst.relative(), 2 / 10.3, 1e-12);
  EXPECT_NEAR(worst.least(), 12.1 / 10.5 - 1, 1e-12);
  EXPECT_NEAR(worst.most(), 12.5 / 10.1 - 1, 1e-12);
  EXPECT_EQ(worst.because, "network +2 ms; memory at 1.00 of before");
  EXPECT_EQ(changes.changes[1].judgement, Judgement::noise);
  ASSERT_EQ(changes.remarks.size(), 1u);
  EXPECT_TRUE(changes.remarks[0].starts_with("2 of 2 cases ran once")) << changes.remarks[0];
}

TEST(RecordChanges, RepeatsWidenTheRange) {
  // Once 4 % apart counts: the intervals of one run are within 2 %.
  EXPECT_EQ(changes_of_records({record(1)}, {record(1.05)}).changes.at(0).judgement,
            Judgement::worse);
  const Changes changes =
      changes_of_records({record(1), record(1.04), record(0.98)}, {record(1.05), record(1.06)});
  EXPECT_EQ(changes.changes.at(0).judgement, Judgement::noise);
  EXPECT_EQ(changes.changes[0].before.runs, 3);
  EXPECT_NEAR(changes.changes[0].before.value, 10.3e-3, 1e-12);
  EXPECT_NEAR(changes.changes[0].before.high, 1.04 * 10.5e-3, 1e-12);
  EXPECT_NEAR(changes.changes[0].before.low, 0.98 * 10.1e-3, 1e-12);
  EXPECT_TRUE(changes.remarks.empty());
}

TEST(RecordChanges, WrongResultsComeBeforeAllOthers) {
  Record wrong = record(1);
  wrong.verification.passed = false;
  const Changes changes =
      changes_of_records({record(1, "off"), record(1)}, {record(2, "off"), wrong});
  EXPECT_EQ(changes.changes.at(0).judgement, Judgement::wrong);
  EXPECT_EQ(changes.changes[0].because, "the result is wrong after");
  EXPECT_EQ(changes.changes.at(1).judgement, Judgement::worse);
}

TEST(RecordChanges, WhatOnlyOneSideHasIsNamed) {
  Record elsewhere = record(1);
  elsewhere.ranks = 4;
  elsewhere.provenance["host"] = "node2";
  const Changes changes = changes_of_records({record(1)}, {elsewhere});
  EXPECT_TRUE(changes.changes.empty());
  EXPECT_EQ(changes.only_before, std::vector<std::string>{"diffusion 64x64x64 f32, 2 ranks"});
  EXPECT_EQ(changes.only_after, std::vector<std::string>{"diffusion 64x64x64 f32, 4 ranks"});
  EXPECT_EQ(changes.provenance.at("host"),
            std::make_pair(std::string("node1"), std::string("node2")));
}

TEST(RecordChanges, OtherKernelsAreSaid) {
  Record older = record(1), newer = record(1);
  older.provenance["kernel_sources"] = "0123";
  newer.provenance["kernel_sources"] = "0123";
  EXPECT_TRUE(changes_of_records({older, older}, {newer, newer}).remarks.empty());
  newer.provenance["kernel_sources"] = "4567";
  const Changes changes = changes_of_records({older, older}, {newer, newer});
  ASSERT_EQ(changes.remarks.size(), 1U);
  EXPECT_NE(changes.remarks[0].find("other kernels"), std::string::npos);
}

TEST(RecordChanges, ASingleSampleIsNotJudged) {
  Record once = record(3);
  once.measured.total_s.count = 1;
  EXPECT_EQ(changes_of_records({record(1)}, {once}).changes.at(0).judgement, Judgement::unknown);
}

TEST(MachineChanges, DirectionsFollowTheUnits) {
  const json before = to_json(full_machine());
  json after = before;
  const auto scale = [&](const char* where, double factor) {
    for (auto& item : after[json::json_pointer(where)].items())
      if (item.value().is_number()) item.value() = item.value().get<double>() * factor;
  };
  scale("/device/memory_bandwidth_bytes_per_s", 0.5);
  scale("/links/shared_memory/latency_s", 0.25);
  const Changes changes = changes_of_machines(before, after);
  ASSERT_GT(changes.changes.size(), 20u);
  EXPECT_EQ(changes.changes[0].what, "device.memory_bandwidth_bytes_per_s");
  EXPECT_EQ(changes.changes[0].judgement, Judgement::worse);
  EXPECT_EQ(changes.changes[1].what, "links.shared_memory.latency_s");
  EXPECT_EQ(changes.changes[1].judgement, Judgement::better);
  for (std::size_t i = 2; i < changes.changes.size(); ++i)
    EXPECT_DOUBLE_EQ(changes.changes[i].relative(), 0) << changes.changes[i].what;
  EXPECT_TRUE(changes.only_before.empty());
  const std::string text = changes_text(changes, false);
  EXPECT_NE(text.find("1 worse, 1 better"), std::string::npos) << text;
  EXPECT_NE(text.find("device "), std::string::npos) << text;
}

TEST(MachineChanges, ElementsOfListsAreKnownByWhatTheyAre) {
  const json before = to_json(full_machine());
  json after = before;
  json& stream = after["device"]["stream"];
  ASSERT_GT(stream.size(), 1u);
  std::reverse(stream.begin(), stream.end());
  for (const Change& change : changes_of_machines(before, after).changes)
    EXPECT_DOUBLE_EQ(change.relative(), 0) << change.what;
  stream.erase(stream.begin());
  EXPECT_EQ(changes_of_machines(before, after).only_before.size(), 1u);
}

TEST_F(Files, AreComparedByTheirKind) {
  const std::string lines = line(record(1)) + line(record(1, "off"));
  const std::string machine = to_json(full_machine()).dump();
  file("a/results.jsonl", lines);
  file("b/results.jsonl", lines + "{\"cut sh");
  file("a/machine.json", machine);
  file("b/machine.json", machine);
  const std::vector<Changes> both = compare_files(at("a"), at("b"));
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].kind, "machine");
  EXPECT_EQ(both[1].kind, "results");
  EXPECT_EQ(both[1].changes.size(), 2u);
  EXPECT_EQ(compare_files(at("a/machine.json"), at("b/machine.json")).size(), 1u);
  EXPECT_EQ(compare_files(at("a/results.jsonl"), at("b/results.jsonl")).at(0).kind, "results");
}

TEST_F(Files, UnusableOnesAreNamed) {
  const std::string good = file("a/results.jsonl", line(record(1)));
  const std::string machine = file("a/machine.json", to_json(full_machine()).dump());
  const auto message = [&](const std::string& other) {
    return refusal([&] { compare_files(good, other); });
  };
  EXPECT_NE(message(at("none")).find("none' is not there"), std::string::npos);
  EXPECT_NE(message(machine).find("one is a machine file"), std::string::npos);
  EXPECT_NE(message(at("b")).find("one is a folder"), std::string::npos);
  EXPECT_NE(refusal([&] { compare_files(at("a"), at("b")); }).find("neither results.jsonl"),
            std::string::npos);
  EXPECT_NE(message(file("empty", "\n")).find("holds no record"), std::string::npos);
  EXPECT_NE(message(file("text", "hello\nyou\n")).find("text, line 1: no JSON"), std::string::npos);
  EXPECT_NE(message(file("other", line(record(1)) + "{\"schema\":\"x/1\"}\n"))
                .find("other, line 2: found schema 'x/1', expected a record of schema "
                      "bellwether.record/1"),
            std::string::npos);
  json untimed = to_json(record(1));
  untimed["measured"].erase("total_s");
  EXPECT_NE(message(file("untimed", untimed.dump() + "\n")).find("found no measured.total_s"),
            std::string::npos);
}

TEST(ChangesText, FitsWhatChangedOnAScreen) {
  std::vector<Record> before, after;
  for (int edge = 10; edge < 40; ++edge) {
    for (auto* side : {&before, &after}) {
      side->push_back(record(side == &after ? 1 + 0.01 * edge : 1));
      side->back().problem["cells"] = {edge, edge, edge};
    }
  }
  const Changes changes = changes_of_records(before, after);
  const std::string text = changes_text(changes, false);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 24) << text;
  EXPECT_LT(text.find("39x39x39"), text.find("38x38x38"));
  EXPECT_NE(text.find("and 10 more (--details)"), std::string::npos) << text;
  const std::string all = changes_text(changes, true);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 33) << all;
  EXPECT_EQ(to_json({changes}).at("comparisons")[0].at("changes").size(), 30u);
}

}  // namespace
}  // namespace bellwether
