// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "results/acceptance/examples.hpp"
#include "results/acceptance/judge.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

TEST(Specified, TheWholeIntervalBeyondTheLimitFails) {
  const json machine = json::parse(
      R"({"device": {"memory": {"value": 9e10, "low": 8e10, "high": 1.1e11, "source": ""}}})");
  const auto verdict = [&](const char* bound, double limit) {
    const json spec{{"schema", "bellwether.spec/1"},
                    {"limits",
                     {{{"what", "memory"},
                       {"source", "contract"},
                       {"machine", "/device/memory"},
                       {bound, limit}}}}};
    return judge_specified(spec, "spec.json", machine, {}).at(0).verdict;
  };
  EXPECT_EQ(verdict("at_least", 8.5e10), Verdict::pass);
  EXPECT_EQ(verdict("at_least", 1e11), Verdict::warning);
  EXPECT_EQ(verdict("at_least", 2e11), Verdict::fail);
  EXPECT_EQ(verdict("at_most", 7e10), Verdict::fail);
  EXPECT_THROW(verdict("about", 7e10), BadInput);
  const json nowhere = json::parse(
      R"({"schema": "bellwether.spec/1", "limits": [{"what": "w", "source": "s", "machine": "/none", "at_least": 1}]})");
  EXPECT_THROW(judge_specified(nowhere, "spec.json", machine, {}), BadInput);
}

TEST(Acceptance, WorstFirstOnOneScreenAndForCiSystems) {
  Baseline now{
      "now", {record(1, 1), record(1, 1, "hpl", false)}, nullptr, occasions({1, 1, 2, 1, 1}, true)};
  Acceptance all =
      judge_acceptance(now, {{"ranks", 5}}, {"tiny", 0.03, example_material}, {}, nullptr, "");
  EXPECT_EQ(all.verdict(), Verdict::wrong);
  EXPECT_EQ(all.findings.front().verdict, Verdict::wrong);
  const std::string text = verdict_text(all, "out");
  EXPECT_TRUE(text.starts_with("VERDICT: fail (suite tiny; 1 wrong, ")) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 24);
  // What is not judged for one reason is one line.
  Acceptance unjudged{
      "tiny", {}, 0.01, judge_siblings(occasions({1}, false), {}, example_material, 0.01, {}), {}};
  const std::size_t before = unjudged.findings.size();
  unjudged.findings.push_back(unjudged.findings.front());
  unjudged.findings.back().sentence.replace(0, unjudged.findings.back().sentence.find(':'), "more");
  const auto lines = [&] {
    const std::string said = verdict_text(unjudged, "out");
    EXPECT_NE(said.find(", more: "), std::string::npos) << said;
    std::size_t count = 0;
    for (std::size_t at = said.find("\nnot judged"); at != std::string::npos;
         at = said.find("\nnot judged", at + 1))
      ++count;
    return count;
  };
  EXPECT_LE(lines(), before);
  const std::string junit = junit_text(all);
  EXPECT_NE(junit.find("<testsuite name=\"right\" tests=\"2\" failures=\"1\""), std::string::npos);
  EXPECT_NE(junit.find("<skipped message="), std::string::npos);
  EXPECT_EQ(junit.find("others' (p <"), std::string::npos);  // escaped
  EXPECT_EQ(to_json(all).at("verdict"), "fail");
  // What a case is not to be judged by, it is not.
  now.records[0]["provenance"]["judge"] = {"right"};
  all = judge_acceptance(now, {}, {"tiny", 0.03, example_material}, {}, nullptr, "");
  for (const Finding& one : all.findings)
    EXPECT_FALSE(one.kind == "promised" && one.subject.starts_with("lbm")) << one.subject;
}

}  // namespace
}  // namespace bellwether
