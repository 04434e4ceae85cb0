// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"
#include "results/acceptance/judge.hpp"
#include "results/acceptance/test_examples.hpp"
#include "results/run_interval.hpp"

namespace bellwether {
namespace {

using nlohmann::json;

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
  EXPECT_EQ(residual_of("stream"), nullptr);
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

TEST(Promised, WhatIsSlowNowAndThenIsHeldByItsFastestRepeat) {
  const auto verdict = [](const std::vector<Record>& repeats) {
    return judge_promised(repeats, 0.01).at(0).verdict;
  };
  EXPECT_EQ(verdict({record(9, 1), record(1, 1), record(9, 1)}), Verdict::pass);
  EXPECT_EQ(verdict({record(9, 1), record(8, 1), record(9, 1)}), Verdict::fail);
}

TEST(Promised, AMachineThatIsUnsteadyMeanwhileIsHeldToNoLess) {
  // One of ten occasions, three times as slow, is the last tenth; of nine there is none.
  std::vector<SiblingOccasion> all;
  for (int at = 0; at < 9; ++at) all.push_back(occasion({1, 1, 1}, false, at));
  EXPECT_FALSE(unsteadiness(all));
  all.push_back(occasion({1, 3, 3}, false, 9));
  const auto unsteady = unsteadiness(all);
  ASSERT_TRUE(unsteady);
  EXPECT_DOUBLE_EQ(unsteady->share, 2);
  EXPECT_EQ(unsteady->quantity, "memory bandwidth");
  const Finding steady = judge_promised({record(2.9, 1)}, 0.01).at(0);
  const Finding finding = judge_promised({record(2.9, 1)}, 0.01, 0.05, unsteady).at(0);
  EXPECT_EQ(steady.verdict, Verdict::fail);
  EXPECT_EQ(finding.verdict, Verdict::pass);
  EXPECT_NE(finding.sources.back().find("200 % longer"), std::string::npos);
}

TEST(Promised, OneSickRankWidensNoBound) {
  std::vector<SiblingOccasion> all;
  for (int at = 0; at < 9; ++at) all.push_back(occasion({1, 1, 1}, false, at));
  all.push_back(occasion({1, 1, 9}, false, 9));
  EXPECT_FALSE(unsteadiness(all));
}

TEST(Promised, TheRecordsVerdictIsTheOne) {
  const auto judged_with = [](Answer answer) {
    Record one = record(9, 1);
    one.verdict.emplace();
    one.verdict->answer = answer;
    one.verdict->because = "it drifted";
    one.verdict->to_do = "calibrate again";
    return judge_promised({one}, 0.01).at(0);
  };
  EXPECT_EQ(judged_with(Answer::slower).verdict, Verdict::fail);
  EXPECT_EQ(judged_with(Answer::normal).verdict, Verdict::pass);
  const Finding untold = judged_with(Answer::cannot_tell);
  EXPECT_EQ(untold.verdict, Verdict::not_judged);
  EXPECT_TRUE(untold.cannot_tell);
  EXPECT_TRUE(untold.sentence.ends_with("cannot tell: it drifted; calibrate again"));
  const Acceptance acceptance{"tiny", {}, 0.01, {untold}, {}};
  EXPECT_STREQ(verdict_word(acceptance.verdict()), "pass with warnings");
  EXPECT_NE(verdict_text(acceptance, "out").find("0 judged, 1 cannot be told)"), std::string::npos);
  EXPECT_EQ(to_json(acceptance).at("findings").at(0).at("cannot_tell"), true);
}

TEST(Promised, WhatCannotBeHeldAgainstItIsSaid) {
  Record crowded = record(9, 1), unpredicted = record(9, 1);
  crowded.oversubscribed = true;
  unpredicted.predicted.clear();
  for (const Record& one :
       {crowded, unpredicted, record(9, 1, "stream"), record(9, 1, "lbm", false)})
    EXPECT_EQ(judge_promised({one}, 0.01).at(0).verdict, Verdict::not_judged);
}

TEST(Promised, AnExtrapolationIsSaidAndNeverFails) {
  const auto judged_at = [](double ratio, bool outside) {
    Record one = record(ratio, 1);
    if (outside) one.predicted[0].outside_range = {"64 ranks", "1 GB a message"};
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
    Record one = record(9, 1);
    one.provenance["waited_for_core"] = shares;
    return one;
  };
  EXPECT_TRUE(judge_waiting({record(1, 1)}, example_material).empty());
  EXPECT_FALSE(longest_waiting(record(1, 1)).has_value());
  const auto found = [&](double share) {
    return judge_waiting({waited({0.001, share}), waited({0.002, share})}, example_material).at(0);
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
  Record throttled = waited({0.5, 0});
  throttled.throttled.emplace();
  for (const Finding& one : {judge_waiting({throttled, waited({0.1, 0})}, example_material).at(0),
                             judge_promised({throttled}, 0.01).at(0)})
    EXPECT_NE(one.sentence.find("its control group's CPU quota, or other programs, took"),
              std::string::npos)
        << one.sentence;
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
    return judge_before(acceptance({total_s}), before, example_material, 0.01).at(0).verdict;
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
  EXPECT_TRUE(judge_before(acceptance({1}), {}, example_material, 0.01).empty());
}

TEST(Before, OfTheCalibrationSpeedsCountAndNoiseDoesNot) {
  // Of an interval that widens downwards by `open`.
  const auto calibrated = [](const char* path, double factor, double open = 1) {
    Baseline one{"a", {}, to_json(full_machine()), {}};
    json& value = one.machine.at(json::json_pointer(path));
    for (const char* key : {"value", "low", "high"})
      value[key] = factor * value.at(key).get<double>();
    value["low"] = value["low"].get<double>() / open;
    return one;
  };
  // All parameters of AMG's kernels of this name.
  const auto kernels = [&](const std::string& name, double factor) {
    Baseline one = calibrated("/allreduce/0/time_s", 1);
    json flat = one.machine.at("amg").at("kernels").flatten();
    for (const auto& item : flat.items())
      if (item.key().find("/" + name + "/") != std::string::npos)
        flat[item.key()] = factor * item.value().get<double>();
    one.machine["amg"]["kernels"] = flat.unflatten();
    return one;
  };
  const auto worst = [&](const Baseline& now) {
    const Baseline same = calibrated("/allreduce/0/time_s", 1);
    Verdict found = Verdict::pass;
    for (const Finding& one : judge_before(now, {same, same, same}, example_material, 0.01))
      found = std::max(found, one.verdict);
    return found;
  };
  EXPECT_EQ(worst(calibrated("/noise/tail/scale_s", 5)), Verdict::pass);
  EXPECT_EQ(worst(calibrated("/allreduce/0/time_s", 5)), Verdict::fail);
  EXPECT_EQ(worst(calibrated("/allreduce/0/time_s", 5, 6)), Verdict::pass);
  EXPECT_EQ(worst(calibrated("/collective_times/alltoall/1/time_s", 5)), Verdict::fail);
  EXPECT_EQ(worst(kernels("cold_s", 5)), Verdict::fail);
}

TEST(StudentTail, IsThatOfTheTables) {
  EXPECT_NEAR(student_tail(0, 3), 0.5, 1e-9);
  EXPECT_NEAR(student_tail(6.314, 1), 0.05, 1e-4);
  EXPECT_NEAR(student_tail(2.764, 10), 0.01, 1e-5);
  EXPECT_NEAR(student_tail(-2.764, 10), 0.99, 1e-5);
}

TEST(Steady, TheLaterHalfMayNotBeSlower) {
  // Exactly: of 3 and 2 there are ten orders, one with all six pairs, one with five.
  EXPECT_NEAR(later_slower_p({1, 2, 3}, {4, 5}), 0.1, 1e-12);
  EXPECT_NEAR(later_slower_p({1, 2, 4}, {3, 5}), 0.2, 1e-12);
  EXPECT_NEAR(later_slower_p({4, 5}, {1, 2, 3}), 1, 1e-12);
  const std::vector<double> many(60, 1.0);
  EXPECT_NEAR(later_slower_p(many, many), 0.5, 0.01);
  const auto verdict = [](double later, int repeats) {
    std::vector<Record> records;
    for (int i = 0; i < repeats; ++i)
      records.push_back(record((2 * i < repeats ? 1 : later) * (1 + 0.001 * (i % 3)), 1));
    const auto found = judge_steady(records, example_material, 0.01);
    return found.empty() ? Verdict::not_judged : found.at(0).verdict;
  };
  EXPECT_EQ(verdict(1, 12), Verdict::pass);
  EXPECT_EQ(verdict(0.5, 12), Verdict::pass);
  EXPECT_EQ(verdict(1.1, 12), Verdict::warning);
  EXPECT_EQ(verdict(1.3, 12), Verdict::fail);
  EXPECT_EQ(verdict(1.3, 6), Verdict::not_judged);
}

}  // namespace
}  // namespace bellwether
