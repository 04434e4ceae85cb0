// SPDX-License-Identifier: MIT
#include "results/record_lines.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/errors.hpp"
#include "results/record.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

class RecordLines : public testing::Test {
 protected:
  RecordLines() {
    std::string name = (std::filesystem::temp_directory_path() / "lines-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~RecordLines() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& text) const {
    const std::string path = (folder_ / "r.jsonl").string();
    std::ofstream(path) << text;
    return path;
  }
  /// The lines that were taken, and what was said of others or the refusal.
  [[nodiscard]] std::pair<std::vector<std::int64_t>, std::string> read(
      const std::string& text) const {
    std::vector<std::int64_t> taken;
    testing::internal::CaptureStderr();
    std::string refusal;
    try {
      for_each_record(file(text), [&](const Record&, std::int64_t line) { taken.push_back(line); });
    } catch (const BadInput& error) {
      refusal = error.what();
    }
    return {taken, testing::internal::GetCapturedStderr() + refusal};
  }

  std::filesystem::path folder_;
};

std::string record(const std::string& schema = record_schema, const json& ranks = 2) {
  return json{{"schema", schema}, {"app", "diffusion"}, {"ranks", ranks}}.dump();
}

TEST_F(RecordLines, WhatAKillCutOffIsLeftOutAndSaid) {
  const std::string whole = record() + "\n";
  for (std::size_t length = 1; length + 1 < whole.size(); ++length) {
    const auto [taken, said] = read(whole + whole.substr(0, length) + "\n" + whole);
    EXPECT_EQ(taken, (std::vector<std::int64_t>{1, 3})) << length;
    EXPECT_NE(said.find("r.jsonl, line 2: was cut off, left out\n"), std::string::npos) << said;
  }
  EXPECT_EQ(read("\n" + record() + "\r\n\n" + record()),
            (std::pair{std::vector<std::int64_t>{2, 4}, std::string()}));
}

TEST_F(RecordLines, WhatIsNoRecordIsRefusedByItsLine) {
  const std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  for (const auto& [line, what] : std::vector<std::pair<std::string, std::string>>{
           {"hello", "line 2: no JSON"},
           {"{\"a\" 1}", "line 2: no JSON"},
           {deep, "nested too deep"},
           {"{\"a\":" + deep + "}", "nested too deep"},
           {"[1, 2]", "line 2: found no schema"},
           {"{}", "line 2: found no schema"},
           {record("bellwether.record/2"), "line 2: found schema 'bellwether.record/2', expected"},
           {record(record_schema, 4294967297), "line 2: key /ranks: found number 4294967297"},
           {record(record_schema, 0), "key /ranks: found number 0"},
           {record(record_schema, "2"), "key /ranks: found string"}}) {
    const auto [taken, said] = read(record() + "\n" + line + "\n" + record() + "\n");
    EXPECT_EQ(taken, std::vector<std::int64_t>{1}) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
  }
}

TEST_F(RecordLines, ADocumentIsToldFromRecords) {
  EXPECT_EQ(json_document(file("{\"a\": 1}")), json({{"a", 1}}));
  EXPECT_EQ(json_document(file("\xef\xbb\xbf\n{\n \"a\": 1\n}\n")), json({{"a", 1}}));
  for (const std::string& text :
       {record(), record() + "\n" + record(), "{\"sche\n" + record(), std::string("hello\nyou")})
    EXPECT_TRUE(json_document(file(text)).is_null()) << text;
  EXPECT_THROW((void)json_document(file("{\n \"a\": 1,\n \"b\"\n}\n")), BadInput);
}

TEST_F(RecordLines, CountsOfWhatWasAskedOnlyWhatPassed) {
  const json asked{{"app", "diffusion"}, {"cells", {5, 6, 7}}};
  EXPECT_EQ(FinishedCases((folder_ / "none").string()).count(asked), 0);
  std::string text;
  const auto line = [&](const json& request, bool passed) {
    json all = json::parse(record());
    all["provenance"] = {{"request", request}};
    all["verification"] = {{"passed", passed}};
    text += all.dump() + "\n";
  };
  line(asked, true);
  line({{"app", "diffusion"}, {"cells", {5, 6, 8}}}, true);
  line(asked, false);
  text += record() + "\n\n";
  line(asked, true);
  text += R"({"provenance": {"request": {"app": "diffu)";  // killed here
  testing::internal::CaptureStderr();
  FinishedCases finished(file(text));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("line 7: was cut off"), std::string::npos);
  EXPECT_EQ(finished.count(asked), 2);
  finished.add(asked);
  EXPECT_EQ(finished.count(asked), 3);
  EXPECT_EQ(finished.count("another"), 0);
}

}  // namespace
}  // namespace bellwether
