// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "results/acceptance/judge.hpp"
#include "results/acceptance/test_examples.hpp"

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
    return judge_specified(read_specification(spec, "spec.json", {}), machine, {}).at(0).verdict;
  };
  EXPECT_EQ(verdict("at_least", 8.5e10), Verdict::pass);
  EXPECT_EQ(verdict("at_least", 1e11), Verdict::warning);
  EXPECT_EQ(verdict("at_least", 2e11), Verdict::fail);
  EXPECT_EQ(verdict("at_most", 7e10), Verdict::fail);
  EXPECT_THROW(verdict("about", 7e10), BadInput);
}

/// Of a limit of such a parameter or app, for a suite of hpl and lbm.
Specification specification_of(const char* key, const char* what) {
  return read_specification(
      {{"schema", "bellwether.spec/1"},
       {"limits", {{{"what", "w"}, {"source", "s"}, {key, what}, {"at_least", 1}}}}},
      "spec.json", {"hpl", "lbm"});
}

TEST(Specified, WhatNoCalibrationHasIsRefusedBeforeThereIsOne) {
  for (const char* parameter : {"none", "", "/none", "/devices/memory", "/device/~", "/"})
    EXPECT_THROW(specification_of("machine", parameter), BadInput) << parameter;
  EXPECT_NO_THROW(specification_of("machine", "/hpl/panel"));
  EXPECT_THROW(specification_of("app", "diffusion"), BadInput);
  for (const json& none : {json::array(), json::object(), json(1), json("spec")})
    EXPECT_THROW(read_specification(none, "spec.json", {}), BadInput) << none;
}

TEST(Specified, WhatIsNotThereIsMissing) {
  const Specification parameter = specification_of("machine", "/device/memory");
  EXPECT_THROW(judge_specified(parameter, {{"device", json::object()}}, {}), BadInput);
  EXPECT_EQ(judge_specified(parameter, nullptr, {}).at(0).verdict, Verdict::missing);
  EXPECT_EQ(judge_specified(specification_of("app", "hpl"), nullptr, {record(1, 1)}).at(0).verdict,
            Verdict::missing);
}

/// A record of a suite's case, in one of its variants.
Record record_of(const std::string& key, const char* overlap = "off") {
  Record one = record(1, 1);
  one.provenance["request"] = {{"case", "suite.json, " + key}, {"overlap", overlap}};
  return one;
}

TEST(Complete, WhatTheSuiteAskedForAndIsNotThereIsMissing) {
  const Asked asked{{{"/cases/0 (lbm)", 2, 2}, {"/cases/1 (amg)", 1, 1}}, 3};
  Baseline now{"now", {}, json::object(), occasions({1, 1}, true, 3)};
  for (const char* overlap : {"off", "on", "off", "on"})
    now.records.push_back(record_of("/cases/0 (lbm)", overlap));
  now.records.push_back(record_of("/cases/1 (amg)"));
  EXPECT_TRUE(judge_complete(now, asked).empty());
  const auto missing = [&](const Baseline& baseline, const Asked& wanted) {
    std::string all;
    for (const Finding& one : judge_complete(baseline, wanted))
      if (one.verdict == Verdict::missing) all += one.sentence + "\n";
    return all;
  };
  // Another repeat of one variant does not stand for the other's.
  Baseline cut = now;
  cut.records[1] = cut.records[0];
  EXPECT_EQ(missing(cut, asked),
            "/cases/0 (lbm): 3 of 4 records are there (--resume makes the others)\n");
  cut.records.resize(2);
  EXPECT_EQ(missing(cut, asked),
            "/cases/0 (lbm): 2 of 4 records are there (--resume makes the others)\n"
            "/cases/1 (amg): 0 of 1 records are there (--resume makes the others)\n");
  cut = now;
  cut.machine = nullptr;
  EXPECT_TRUE(missing(cut, asked).starts_with("calibration: ")) << missing(cut, asked);
  cut = now;
  cut.siblings.pop_back();
  EXPECT_TRUE(missing(cut, asked).starts_with("siblings: 2 of 3 ")) << missing(cut, asked);
  // What could not run is said. What ran once and not again is missing.
  Asked optional = asked;
  optional.records[1].left_out = true;
  cut = now;
  cut.records.pop_back();
  EXPECT_EQ(missing(cut, optional), "");
  EXPECT_EQ(judge_complete(cut, optional).at(0).verdict, Verdict::not_judged);
  // What could not run is no result, and its record says why.
  cut = now;
  cut.records.back().not_run = "not enough memory";
  cut.records.back().verification.passed = false;
  EXPECT_EQ(missing(cut, asked), "/cases/1 (amg): 0 of 1 records are there (not enough memory)\n");
  const Acceptance all = judge_acceptance(cut, {}, {"tiny", 0.03, example_material, asked}, {}, {});
  EXPECT_EQ(all.verdict(), Verdict::missing);
}

TEST(Complete, NoPassIsWithoutIt) {
  const Baseline now{"now", {}, nullptr, {}};
  Acceptance all = judge_acceptance(now, {}, {"tiny", 0.03, example_material, Asked{}}, {}, {});
  EXPECT_EQ(all.verdict(), Verdict::missing);
  EXPECT_EQ(to_json(all).at("verdict"), "incomplete");
  const std::string text = verdict_text(all, "out");
  EXPECT_TRUE(
      text.starts_with("VERDICT: incomplete (suite tiny; 0 wrong, 0 failed, 0 warned of, 1 "
                       "missing, "))
      << text;
  EXPECT_NE(text.find("\nEvidence: out/verdict.json, junit.xml\n"), std::string::npos) << text;
  EXPECT_NE(junit_text(all).find("<testsuite name=\"complete\" tests=\"1\" failures=\"1\""),
            std::string::npos);
}

TEST(Acceptance, WorstFirstOnOneScreenAndForCiSystems) {
  Baseline now{
      "now", {record(1, 1), record(1, 1, "hpl", false)}, nullptr, occasions({1, 1, 2, 1, 1}, true)};
  Acceptance all = judge_acceptance(now, {5, 5, 1, ""}, {"tiny", 0.03, example_material}, {}, {});
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
  now.records[0].provenance["judge"] = {"right"};
  all = judge_acceptance(now, {}, {"tiny", 0.03, example_material}, {}, {});
  for (const Finding& one : all.findings)
    EXPECT_FALSE(one.kind == "promised" && one.subject.starts_with("lbm")) << one.subject;
}

}  // namespace
}  // namespace bellwether
