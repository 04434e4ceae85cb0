// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <random>

#include "models/errors.hpp"
#include "models/machine/full_machine.hpp"
#include "models/machine/machine_json.hpp"
#include "results/acceptance/judge.hpp"
#include "results/acceptance/outliers.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

/// Members of an undisturbed machine: each a little slower or faster for good, everything a little
/// from occasion to occasion, now and then much.
Occasions undisturbed(std::mt19937_64& engine, std::size_t members, std::size_t count) {
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<double> own;
  for (std::size_t i = 0; i < members; ++i) own.push_back(members < 5 ? 0 : 0.02 * normal(engine));
  Occasions all(count);
  for (auto& occasion : all) {
    const double machine = 0.1 * normal(engine);
    for (const double one : own)
      occasion.push_back(machine + one + 0.01 * normal(engine) +
                         (uniform(engine) < 0.05 ? 0.3 : 0));
  }
  return all;
}

TEST(Outliers, FalseAlarmsComeAtTheStatedRate) {
  constexpr double alpha = 0.05;
  constexpr int machines = 1000;
  std::mt19937_64 engine(7);
  for (const std::size_t members : {2, 3, 4, 5, 8, 30}) {
    int alarms = 0;
    for (int machine = 0; machine < machines; ++machine)
      for (const Standing& one : standings(undisturbed(engine, members, 14)))
        if (one.p <= alpha) {
          ++alarms;
          break;
        }
    // Three standard deviations of a binomial number about the rate; exact from five members on,
    // below it counts whole occasions and is less often wrong.
    const double expected = alpha * machines, spread = 3 * std::sqrt(expected * (1 - alpha));
    EXPECT_LE(alarms, expected + spread) << members;
    if (members >= 5) {
      EXPECT_GE(alarms, expected - spread) << members;
    }
  }
}

TEST(Outliers, FindTheSlowMember) {
  std::mt19937_64 engine(8);
  for (const std::size_t members : {3, 4, 5, 30}) {
    Occasions all = undisturbed(engine, members, 14);
    for (auto& occasion : all) occasion[1] += std::log(2.0);
    const std::vector<Standing> found = standings(all);
    EXPECT_EQ(found.front().member, 1U) << members;
    EXPECT_NEAR(found.front().log_ratio, std::log(2.0), 0.1);
    // Five members have a p of some thousandths at best: two spacings decide their spread.
    EXPECT_LT(found.front().p, members == 5 ? 0.05 : 0.001) << members;
    EXPECT_GT(found.at(1).p, 0.05);
  }
}

TEST(Outliers, CountWhatChanceCanDo) {
  EXPECT_NEAR(often_slowest_p(2, 3, 3), 0.25, 1e-12);
  EXPECT_NEAR(often_slowest_p(4, 2, 2), 0.25, 1e-12);
  EXPECT_EQ(often_slowest_p(2, 5, 2), 1);
  EXPECT_EQ(occasions_needed(2, 0.26), 3U);
  EXPECT_EQ(occasions_needed(5, 1e-4), 1U);
  EXPECT_TRUE(standings({{1.0}}).empty());
  EXPECT_GT(largest_deviation_p(10, 1), 0.9);
  EXPECT_LT(largest_deviation_p(10, 30), 1e-3);
  EXPECT_NEAR(largest_deviation_p(1000, 8) / largest_deviation_p(200, 8), 5, 1e-9);
}

TEST(StudentTail, IsThatOfTheTables) {
  EXPECT_NEAR(student_tail(0, 3), 0.5, 1e-9);
  EXPECT_NEAR(student_tail(6.314, 1), 0.05, 1e-4);
  EXPECT_NEAR(student_tail(2.764, 10), 0.01, 1e-5);
  EXPECT_NEAR(student_tail(-2.764, 10), 0.99, 1e-5);
}

const Material material{0.05, 0.15, "a test"};

/// An occasion: ranks' seconds, each on a node of its own or all on one.
json occasion(const std::vector<double>& memory, bool own_nodes, double at_s = 0) {
  json one{{"schema", siblings_schema}, {"ranks", {{"memory bandwidth", memory}}}};
  for (std::size_t rank = 0; rank < memory.size(); ++rank) {
    one["nodes"].push_back(own_nodes ? rank : 0);
    one["hosts"].push_back(own_nodes ? "node" + std::to_string(rank) : "here");
    one["clocks"]["steady_s"].push_back(at_s);
    one["clocks"]["system_s"].push_back(1e9 + at_s);
  }
  one["clocks"]["barrier_s"] = 1e-3;
  return one;
}

std::vector<json> occasions(std::vector<double> seconds, bool own_nodes, int count = 16) {
  std::mt19937_64 engine(9);
  std::normal_distribution<double> normal;
  std::vector<json> all;
  for (int at = 0; at < count; ++at) {
    std::vector<double> now = seconds;
    for (double& value : now) value *= std::exp(0.01 * normal(engine));
    all.push_back(occasion(now, own_nodes, 10 * at));
  }
  return all;
}

const Finding* first(const std::vector<Finding>& found, const std::string& quantity) {
  for (const Finding& one : found)
    if (one.quantity == quantity) return &one;
  return nullptr;
}

std::vector<Finding> judged(const std::vector<json>& all, const std::vector<json>& before = {}) {
  return judge_siblings(all, {}, material, 0.01, before);
}

TEST(Siblings, NameTheSlowRank) {
  const auto found = judged(occasions({1, 1, 2, 1, 1, 1.01, 1, 0.99}, false));
  const Finding* const slow = first(found, "memory bandwidth");
  ASSERT_NE(slow, nullptr);
  EXPECT_EQ(slow->verdict, Verdict::fail);
  EXPECT_EQ(slow->subject, "rank 2");
  EXPECT_NEAR(*slow->value, 0.5, 0.02);
  EXPECT_NE(slow->sentence.find("rank 2: its memory bandwidth is 0.50 of the others'"),
            std::string::npos)
      << slow->sentence;
  const auto alike = judged(occasions({1, 1, 1, 1, 1}, false));
  EXPECT_EQ(first(alike, "memory bandwidth")->verdict, Verdict::pass);
}

TEST(Siblings, OfTwoTheyDifferAndTheBaselineTellsWhich) {
  const auto two = occasions({1, 2}, true);
  const Finding differ = *first(judged(two), "memory bandwidth");
  EXPECT_EQ(differ.verdict, Verdict::fail);
  EXPECT_NE(differ.sentence.find("two alone cannot tell"), std::string::npos);
  EXPECT_EQ(differ.subject, "node0 (rank 0) and node1 (rank 1)");
  const Finding told = *first(judged(two, occasions({1, 1}, true)), "memory bandwidth");
  EXPECT_NE(told.sentence.find("node1 (rank 1) has changed"), std::string::npos) << told.sentence;
  // As it was before: nothing has changed, and it is still said.
  EXPECT_EQ(first(judged(occasions({1, 1.02}, true)), "memory bandwidth")->verdict, Verdict::pass);
}

TEST(Siblings, TooFewAreSaid) {
  EXPECT_EQ(judged({}).front().verdict, Verdict::not_judged);
  EXPECT_EQ(judged(occasions({1}, false)).front().verdict, Verdict::not_judged);
  EXPECT_EQ(first(judged(occasions({1, 3}, false, 4)), "memory bandwidth")->verdict,
            Verdict::not_judged);
}

/// All pairs of four nodes; the links of `slow` (a node or a pair) take twice as long.
std::vector<json> with_links(int slow_node, std::pair<int, int> slow_pair) {
  std::vector<json> all = occasions({1, 1, 1, 1}, true);
  std::mt19937_64 engine(10);
  std::normal_distribution<double> normal;
  for (json& one : all) {
    one["links"] = {{"members", "nodes"}, {"bytes", 1048576}, {"pairs", json::array()}};
    for (int a = 0; a < 4; ++a)
      for (int b = a + 1; b < 4; ++b) {
        const bool slow = a == slow_node || b == slow_node || slow_pair == std::pair(a, b);
        one["links"]["pairs"].push_back({a, b, 1e-5 * std::exp(0.02 * normal(engine)),
                                         (slow ? 2e-2 : 1e-2) * std::exp(0.02 * normal(engine))});
      }
  }
  return all;
}

TEST(Siblings, NameTheNodeOrTheLink) {
  const Finding node = *first(judged(with_links(2, {-1, -1})), "link bandwidth");
  EXPECT_EQ(node.verdict, Verdict::fail);
  EXPECT_EQ(node.subject, "node2");
  EXPECT_NE(node.sentence.find("3 of 3 pairs"), std::string::npos) << node.sentence;
  // Between ranks that share a core a small message waits for the core.
  std::vector<json> crowded = with_links(2, {-1, -1});
  for (json& one : crowded) one["shared_cores"] = true;
  EXPECT_EQ(first(judged(crowded), "link latency")->verdict, Verdict::not_judged);
  EXPECT_EQ(first(judged(crowded), "link bandwidth")->subject, "node2");
  const auto found = judged(with_links(-1, {1, 3}));
  int failed = 0;
  for (const Finding& one : found)
    if (one.verdict == Verdict::fail) {
      ++failed;
      EXPECT_EQ(one.subject, "link node1 - node3");
    }
  EXPECT_EQ(failed, 1);
}

TEST(Siblings, ClocksThatRunWrongOrTellAnotherTime) {
  std::vector<json> all = occasions({1, 1, 1, 1}, true);
  EXPECT_EQ(first(judged(all), "clocks")->verdict, Verdict::pass);
  all.back()["clocks"]["steady_s"][3] = 160.0;
  all.back()["clocks"]["system_s"][1] = 1e9 + 3600;
  const auto found = judged(all);
  EXPECT_EQ(first(found, "clock rate")->subject, "node3 (rank 3)");
  EXPECT_EQ(first(found, "clock rate")->verdict, Verdict::fail);
  EXPECT_EQ(first(found, "time of day")->subject, "node1 (rank 1)");
  EXPECT_EQ(first(found, "time of day")->verdict, Verdict::warning);
}

/// A record as one line of results.jsonl, as far as it is judged.
json record(double measured_s, double predicted_s, const char* app = "lbm", bool passed = true) {
  const auto summary = [](double value) {
    return json{{"median", value}, {"low", 0.99 * value}, {"high", 1.01 * value}, {"count", 7}};
  };
  return {{"schema", "bellwether.record/1"},
          {"app", app},
          {"ranks", 2},
          {"problem", {{"cells", {8, 8, 8}}}},
          {"variant", {{"overlap", "off"}}},
          {"measured",
           {{"total_s", summary(measured_s)},
            {"terms",
             {{"compute.interior", summary(0.2 * measured_s)},
              {"network", summary(0.8 * measured_s)}}}}},
          {"predicted",
           {{"refined",
             {{"total_s", predicted_s},
              {"low_s", 0.98 * predicted_s},
              {"high_s", 1.02 * predicted_s},
              {"terms", {{"compute.interior", 0.2 * predicted_s}, {"network", 0.8 * predicted_s}}},
              {"outside_range", json::array()}}}}},
          {"error", {{"refined", predicted_s / measured_s - 1}}},
          {"verification",
           {{"passed", passed},
            {"what", "mode decay"},
            {"value", passed ? 1e-8 : 1.0},
            {"tolerance", 1e-6}}}};
}

TEST(Right, AWrongRepeatIsWrong) {
  EXPECT_EQ(judge_right({record(1, 1), record(1, 1)}).at(0).verdict, Verdict::pass);
  const auto found = judge_right({record(1, 1), record(1, 1, "lbm", false)});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].verdict, Verdict::wrong);
  EXPECT_NE(found[0].sentence.find("WRONG RESULT: mode decay, error 1,"), std::string::npos);
}

TEST(Promised, BoundsComeFromTheResidual) {
  const Residual residual = *residual_of("lbm");
  EXPECT_NEAR(residual.bound(0.5, 1), residual.median, 1e-12);
  EXPECT_GT(residual.bound(0.01, 10), residual.bound(0.01, 1));
  EXPECT_FALSE(residual_of("stream").has_value());
  const double warning = 1 + std::hypot(0.02, residual.bound(0.01, 1));
  const double failure = 1 + std::hypot(0.02, residual.bound(0.001, 1));
  const auto verdict = [](double ratio) {
    return judge_promised({record(ratio, 1)}, 0.01).at(0).verdict;
  };
  EXPECT_EQ(verdict(0.3), Verdict::pass);
  EXPECT_EQ(verdict(warning - 0.01), Verdict::pass);
  EXPECT_EQ(verdict(warning + 0.01), Verdict::warning);
  EXPECT_EQ(verdict(failure + 0.01), Verdict::fail);
  const Finding slow = judge_promised({record(3, 1)}, 0.01).at(0);
  EXPECT_NE(slow.sentence.find("network explains 80 %"), std::string::npos) << slow.sentence;
  EXPECT_EQ(slow.sources.size(), 2U);
  EXPECT_NE(slow.sources[1].find("results/validation"), std::string::npos);
}

TEST(Promised, WhatCannotBeHeldAgainstItIsSaid) {
  json crowded = record(9, 1), unpredicted = record(9, 1);
  crowded["oversubscribed"] = true;
  unpredicted["predicted"] = json::object();
  for (const json& one : {crowded, unpredicted, record(9, 1, "stream"), record(9, 1, "lbm", false)})
    EXPECT_EQ(judge_promised({one}, 0.01).at(0).verdict, Verdict::not_judged);
}

TEST(Promised, AnExtrapolationIsSaidAndNeverFails) {
  const auto judged_at = [](double ratio, bool outside) {
    json one = record(ratio, 1);
    if (outside) one["predicted"]["refined"]["outside_range"] = {"64 ranks", "1 GB a message"};
    return judge_promised({one}, 0.01).at(0);
  };
  const Finding within = judged_at(1, false);
  const double between = (*within.warning_bound + *within.failure_bound) / 2;
  EXPECT_EQ(judged_at(between, false).verdict, Verdict::warning);
  EXPECT_EQ(judged_at(between, true).verdict, Verdict::pass);
  EXPECT_EQ(judged_at(9, false).verdict, Verdict::fail);
  EXPECT_EQ(judged_at(9, true).verdict, Verdict::warning);
  EXPECT_DOUBLE_EQ(*judged_at(1, true).warning_bound, *within.failure_bound);
  EXPECT_FALSE(judged_at(1, true).failure_bound.has_value());
  EXPECT_TRUE(judged_at(1, true).sentence.ends_with("outside the calibrated range: 64 ranks"));
  Acceptance acceptance{"tiny", {}, 0.01, {judged_at(1, true)}, {}};
  EXPECT_EQ(to_json(acceptance).at("findings").at(0).at("outside_range").size(), 2U);
  EXPECT_NE(
      verdict_text(acceptance, "out").find("1 case is predicted outside the calibrated range"),
      std::string::npos);
  acceptance.findings = {within};
  EXPECT_EQ(verdict_text(acceptance, "out").find("calibrated range"), std::string::npos);
}

TEST(Waiting, NamesTheRankWhoseCoreOthersTookAndNotTheModel) {
  const auto waited = [](const std::vector<double>& shares) {
    json one = record(9, 1);
    one["provenance"]["waited_for_core"] = shares;
    return one;
  };
  EXPECT_TRUE(judge_waiting({record(1, 1)}, material).empty());
  EXPECT_FALSE(longest_waiting(record(1, 1)).has_value());
  const auto found = [&](double share) {
    return judge_waiting({waited({0.001, share}), waited({0.002, share})}, material).at(0);
  };
  EXPECT_EQ(found(0.01).verdict, Verdict::pass);
  EXPECT_EQ(found(0.1).verdict, Verdict::warning);
  EXPECT_EQ(found(0.5).verdict, Verdict::fail);
  EXPECT_NEAR(*found(0.5).value, 2, 1e-12);
  EXPECT_TRUE(found(0.5).sentence.starts_with("rank 1: other programs took 0.50 of its core"));
  const Finding disturbed = judge_promised({waited({0.5, 0})}, 0.01).at(0);
  EXPECT_EQ(disturbed.verdict, Verdict::not_judged);
  EXPECT_NE(disturbed.sentence.find("took 0.50 of rank 0's core"), std::string::npos);
  EXPECT_EQ(judge_promised({waited({0.01, 0})}, 0.01).at(0).verdict, Verdict::fail);
}

Baseline acceptance(const std::vector<double>& totals_s) {
  Baseline one{"a", {}, nullptr, {}};
  for (const double total_s : totals_s) one.records.push_back(record(total_s, 1));
  return one;
}

TEST(Before, AChangeCountsBeyondSpreadAndIntervals) {
  const std::vector<Baseline> quiet{acceptance({1}), acceptance({1.002}), acceptance({0.998}),
                                    acceptance({1.001}), acceptance({1})};
  const std::vector<Baseline> restless{acceptance({1}), acceptance({1.3}), acceptance({0.8}),
                                       acceptance({1.2}), acceptance({0.9})};
  const auto verdict = [](double total_s, const std::vector<Baseline>& before) {
    return judge_before(acceptance({total_s}), before, material, 0.01).at(0).verdict;
  };
  EXPECT_EQ(verdict(1.01, quiet), Verdict::pass);
  EXPECT_EQ(verdict(1.12, quiet), Verdict::warning);
  EXPECT_EQ(verdict(1.4, quiet), Verdict::fail);
  EXPECT_EQ(verdict(0.5, quiet), Verdict::pass);
  EXPECT_EQ(verdict(1.4, restless), Verdict::pass);
  EXPECT_EQ(verdict(4, restless), Verdict::fail);
  // One baseline does not tell how acceptances differ.
  EXPECT_EQ(verdict(1.4, {acceptance({1})}), Verdict::warning);
  EXPECT_EQ(verdict(1.4, {acceptance({1, 1.5})}), Verdict::pass);
  EXPECT_TRUE(judge_before(acceptance({1}), {}, material, 0.01).empty());
}

TEST(Before, OfTheCalibrationSpeedsCountAndNoiseDoesNot) {
  const auto calibrated = [](const char* path, double factor) {
    Baseline one{"a", {}, to_json(full_machine()), {}};
    json& value = one.machine.at(json::json_pointer(path));
    for (const char* key : {"value", "low", "high"})
      value[key] = factor * value.at(key).get<double>();
    return one;
  };
  const auto worst = [&](const char* path, double factor) {
    const Baseline same = calibrated(path, 1);
    Verdict found = Verdict::pass;
    for (const Finding& one :
         judge_before(calibrated(path, factor), {same, same, same}, material, 0.01))
      found = std::max(found, one.verdict);
    return found;
  };
  EXPECT_EQ(worst("/noise/tail/scale_s", 5), Verdict::pass);
  EXPECT_EQ(worst("/barrier/0/time_s", 5), Verdict::fail);
}

TEST(Steady, TheLaterHalfMayNotBeSlower) {
  // Exactly: of 3 and 2 there are ten orders, one with all six pairs, one with five.
  EXPECT_NEAR(later_slower_p({1, 2, 3}, {4, 5}), 0.1, 1e-12);
  EXPECT_NEAR(later_slower_p({1, 2, 4}, {3, 5}), 0.2, 1e-12);
  EXPECT_NEAR(later_slower_p({4, 5}, {1, 2, 3}), 1, 1e-12);
  const std::vector<double> many(60, 1.0);
  EXPECT_NEAR(later_slower_p(many, many), 0.5, 0.01);
  const auto verdict = [](double later, int repeats) {
    std::vector<json> records;
    for (int i = 0; i < repeats; ++i)
      records.push_back(record((2 * i < repeats ? 1 : later) * (1 + 0.001 * (i % 3)), 1));
    const auto found = judge_steady(records, material, 0.01);
    return found.empty() ? Verdict::not_judged : found.at(0).verdict;
  };
  EXPECT_EQ(verdict(1, 12), Verdict::pass);
  EXPECT_EQ(verdict(0.5, 12), Verdict::pass);
  EXPECT_EQ(verdict(1.1, 12), Verdict::warning);
  EXPECT_EQ(verdict(1.3, 12), Verdict::fail);
  EXPECT_EQ(verdict(1.3, 6), Verdict::not_judged);
}

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
  Acceptance all = judge_acceptance(now, {{"ranks", 5}}, {"tiny", 0.03, material}, {}, nullptr, "");
  EXPECT_EQ(all.verdict(), Verdict::wrong);
  EXPECT_EQ(all.findings.front().verdict, Verdict::wrong);
  const std::string text = verdict_text(all, "out");
  EXPECT_TRUE(text.starts_with("VERDICT: fail (suite tiny; 1 wrong, ")) << text;
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 24);
  // What is not judged for one reason is one line.
  Acceptance unjudged{"tiny", {}, 0.01, judged(occasions({1}, false)), {}};
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
  all = judge_acceptance(now, {}, {"tiny", 0.03, material}, {}, nullptr, "");
  for (const Finding& one : all.findings)
    EXPECT_FALSE(one.kind == "promised" && one.subject.starts_with("lbm")) << one.subject;
}

TEST(SiblingsFile, PassesOverATornLineAndRefusesOthers) {
  const std::string file = testing::TempDir() + "siblings.jsonl";
  const std::string line = occasion({1, 2}, false).dump();
  std::ofstream(file) << line << "\n" << line.substr(0, 40);
  EXPECT_EQ(read_siblings(file).size(), 1U);
  std::ofstream(file) << line << "\n" << occasion({1, 2, 3}, false).dump() << "\n";
  EXPECT_THROW(read_siblings(file), BadInput);
  EXPECT_TRUE(read_siblings(file + ".none").empty());
}

}  // namespace
}  // namespace bellwether
