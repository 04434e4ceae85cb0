// SPDX-License-Identifier: MIT
#include "results/verdict.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "results/comparison.hpp"
#include "results/example_record_test.hpp"

namespace bellwether {
namespace {

/// Measured in `measured_s`, predicted to take 10 ms, of which a quarter in the network.
Record judged(double measured_s, RunInterval::Ends run,
              std::optional<RunInterval::Ends> at_probe = {}) {
  Record record = example_record();
  record.probe.reset();
  Prediction refined;
  refined.form = "refined";
  refined.terms = {{"compute.interior", 7.5e-3}, {"network", 2.5e-3}};
  refined.total_s = 10e-3;
  refined.low_s = 9e-3;
  refined.high_s = 11e-3;
  record.predicted = {refined};
  record.measured.total_s = summarize({measured_s, measured_s, measured_s});
  record.measured.terms = {{"compute.interior", summarize({7.5e-3})},
                           {"network", summarize({measured_s - 7.5e-3})}};
  record.interval.emplace();
  record.interval->run = run;
  record.interval->at_probe = at_probe;
  record.interval->calibration = {0.9, 1.1};
  record.interval->drift = {0.5, 1.5};
  record.interval->model = {0.95, 1.05};
  record.interval->model_runs = 64;
  record.interval->slowest_probe_of = "memory";
  record.interval->slowest_probe = 2.68;
  return record;
}

constexpr RunInterval::Ends narrow{10e-3, 8e-3, 12e-3}, wide{10e-3, 3.3e-3, 33e-3};

TEST(RunVerdict, SaysWhetherTheRunIsOneOfTheNineInTen) {
  EXPECT_EQ(verdict_of(judged(9e-3, narrow)).answer, Answer::normal);
  EXPECT_EQ(verdict_of(judged(12.1e-3, narrow)).answer, Answer::slower);
  EXPECT_EQ(verdict_of(judged(7.9e-3, narrow)).answer, Answer::faster);
  EXPECT_EQ(verdict_of(judged(9e-3, narrow)).because, "");
}

TEST(RunVerdict, AnIntervalWiderThanAFactorOfTwoJudgesNothing) {
  for (const double measured_s : {1e-3, 8.2e-3, 10e-3, 29e-3, 100e-3}) {
    const RunVerdict verdict = verdict_of(judged(measured_s, wide));
    EXPECT_EQ(verdict.answer, Answer::cannot_tell) << measured_s;
    EXPECT_EQ(verdict.for_machine, Answer::cannot_tell);
    EXPECT_EQ(verdict.because,
              "the calibration was disturbed: its probes of memory took up to 2.7 times as long as "
              "usual");
    EXPECT_NE(verdict.to_do.find("calibrate again"), std::string::npos);
  }
  EXPECT_EQ(verdict_of(judged(7e-3, {10e-3, 6e-3, 12e-3})).answer, Answer::normal);
  EXPECT_EQ(verdict_of(judged(7e-3, {10e-3, 6e-3, 12.1e-3})).answer, Answer::cannot_tell);
  EXPECT_EQ(verdict_of(judged(7e-3, {10e-3, 0, 12e-3})).answer, Answer::cannot_tell);
}

TEST(RunVerdict, SaysWhatMakesTheIntervalWide) {
  Record record = judged(10e-3, wide);
  record.interval->calibration = {0.4, 2.1};
  EXPECT_NE(verdict_of(record).because.find("0.40 to 2.10 times"), std::string::npos);
  EXPECT_NE(verdict_of(record).to_do.find("--quick"), std::string::npos);
  record.interval->model = {0.2, 3};
  EXPECT_NE(verdict_of(record).because.find("earlier runs took 0.20 to 3.00"), std::string::npos);
}

TEST(RunVerdict, TheSpeedDuringTheRunTellsMoreButNeverThatAllIsNormal) {
  const auto answer = [](double measured_s, RunInterval::Ends run, RunInterval::Ends at_probe) {
    return verdict_of(judged(measured_s, run, at_probe)).answer;
  };
  const RunInterval::Ends slow_then{14e-3, 12e-3, 16e-3};
  EXPECT_EQ(answer(11e-3, narrow, {11e-3, 10e-3, 12e-3}), Answer::normal);
  EXPECT_EQ(answer(14e-3, narrow, slow_then), Answer::slower) << "the machine is";
  EXPECT_EQ(answer(11e-3, narrow, {9e-3, 8e-3, 10e-3}), Answer::slower);
  EXPECT_EQ(answer(11e-3, wide, slow_then), Answer::faster);
  EXPECT_EQ(answer(14e-3, wide, slow_then), Answer::cannot_tell);
  EXPECT_EQ(answer(50e-3, wide, wide), Answer::cannot_tell);
  EXPECT_EQ(answer(9e-3, narrow, wide), Answer::normal);
  const RunVerdict verdict = verdict_of(judged(14e-3, narrow, slow_then));
  EXPECT_EQ(verdict.for_machine, Answer::slower);
  EXPECT_EQ(verdict.at_probe, Answer::normal);
}

TEST(RunVerdict, WithoutTheDriftTheMachinesIntervalIsHeldAgainstTheMeasuredOne) {
  Record record = judged(10e-3, narrow);
  record.interval.reset();
  const auto answer = [&](double measured_s) {
    record.measured.total_s = summarize({0.99 * measured_s, measured_s, 1.01 * measured_s});
    return verdict_of(record).answer;
  };
  EXPECT_EQ(answer(11e-3), Answer::normal);
  EXPECT_EQ(answer(11.2e-3), Answer::slower);
  EXPECT_EQ(answer(8e-3), Answer::faster);
  Prediction& refined = record.predicted.front();
  refined.low_s = refined.high_s = refined.total_s;
  EXPECT_EQ(answer(10e-3), Answer::cannot_tell) << "of width zero: it is not known";
  EXPECT_EQ(verdict_of(record).because, "the machine file gives no interval");
  refined.low_s = 5e-3;
  EXPECT_EQ(answer(10e-3), Answer::normal);
  refined.high_s = 10.1e-3;
  EXPECT_EQ(answer(10e-3), Answer::cannot_tell);
}

TEST(RunVerdict, NothingIsToldOfRanksThatShareCoresNorOfAWrongResult) {
  Record record = judged(50e-3, narrow, narrow);
  EXPECT_EQ(verdict_of(record).answer, Answer::slower);
  record.oversubscribed = true;
  EXPECT_EQ(verdict_of(record).answer, Answer::cannot_tell);
  EXPECT_EQ(verdict_of(record).at_probe, Answer::cannot_tell);
  EXPECT_EQ(verdict_of(record).because, "ranks share cores and wait for one another");
  record.verification.passed = false;
  EXPECT_EQ(verdict_of(record).answer, Answer::wrong_result);
  record = judged(10e-3, narrow);
  record.predicted.clear();
  EXPECT_EQ(verdict_of(record).answer, Answer::not_predicted);
}

TEST(RunVerdict, TheTermThatExplainsMostIsNamedBeyondAQuarterWhateverTheAnswer) {
  const auto explanation = [](double measured_s, RunInterval::Ends run) {
    return verdict_of(judged(measured_s, run)).explanation;
  };
  EXPECT_EQ(explanation(12.5e-3, {10e-3, 7e-3, 13e-3}), "") << "20 %";
  EXPECT_EQ(explanation(14e-3, {10e-3, 7.5e-3, 14.5e-3}),
            "The refined total is 28.6 % too low; network explains 100 % of the difference "
            "(predicted 2.500 ms, measured 6.500 ms).");
  EXPECT_EQ(explanation(14e-3, wide), explanation(14e-3, {10e-3, 7.5e-3, 14.5e-3}));
  EXPECT_NE(explanation(12.5e-3, narrow).find("the run is not one of the 90 %; network explains"),
            std::string::npos);
}

TEST(RunVerdict, TableAndDocumentShowOneAndTheSame) {
  Record record = judged(29e-3, wide);
  const std::string table = format_table(record, "title");
  const auto in_table = [&](const std::string& text) {
    return table.find(text) != std::string::npos;
  };
  EXPECT_TRUE(in_table("\nCANNOT TELL for this machine: 90 % of its runs take [3.300, 33.000] ms"))
      << table;
  EXPECT_TRUE(in_table("\ncannot tell: the calibration was disturbed: ")) << table;
  EXPECT_TRUE(in_table("; network explains 100 %")) << table;
  EXPECT_FALSE(in_table("normal")) << table;
  const nlohmann::json verdict = to_json(record).at("verdict");
  EXPECT_EQ(verdict.at("answer"), "cannot tell");
  EXPECT_TRUE(in_table(verdict.at("because").get<std::string>()));
  EXPECT_TRUE(in_table(verdict.at("to_do").get<std::string>()));
  EXPECT_TRUE(in_table(verdict.at("explanation").get<std::string>()));
}

TEST(RunVerdict, OfARecordThatWasWrittenWithoutIsTheSame) {
  for (const Record& record : {judged(14e-3, narrow), judged(9e-3, narrow, narrow),
                               judged(29e-3, wide, narrow), judged(9e-3, wide), example_record()}) {
    const nlohmann::json whole = to_json(record);
    nlohmann::json without = whole;
    without.erase("verdict");
    without.at("error").erase("terms");
    const nlohmann::json read = to_json(parse_record(without, "earlier"));
    EXPECT_EQ(read.at("verdict"), whole.at("verdict"));
    EXPECT_EQ(read.at("error"), whole.at("error"));
  }
}

TEST(Explanation, NamesTheTermThatIsMostOff) {
  EXPECT_EQ(verdict_of(example_record()).explanation,
            "The refined total is 8.7 % too low, and its interval and the measured one do not "
            "overlap; network explains 67 % of the difference (predicted 0.300 ms, measured "
            "0.900 ms).");
}

TEST(Explanation, IsSilentWhileTheIntervalsTouch) {
  Record record = example_record();
  record.predicted[1].high_s = record.measured.total_s.low;
  EXPECT_EQ(verdict_of(record).explanation, "");
  record.predicted[1].low_s = 20e-3;
  record.predicted[1].high_s = 21e-3;
  EXPECT_NE(verdict_of(record).explanation, "");
  record.predicted[1].low_s = record.measured.total_s.high;
  EXPECT_EQ(verdict_of(record).explanation, "");
}

TEST(Explanation, LooksInTheDirectionOfTheDifference) {
  // 2 ms too high in all although the network, most wrong by far, is 3 ms too low.
  Record record = example_record();
  record.measured.terms = {{"compute.interior", milliseconds(4, 4, 4)},
                           {"network", milliseconds(6, 6, 6)}};
  record.measured.total_s = milliseconds(10, 10, 10);
  Prediction& refined = record.predicted[1];
  refined.terms = {expected_milliseconds("compute.interior", 5.5),
                   expected_milliseconds("network", 3), expected_milliseconds("reduce", 3.5)};
  refined.total_s = 12e-3;
  refined.low_s = 11e-3;
  refined.high_s = 13e-3;
  EXPECT_EQ(verdict_of(record).explanation,
            "The refined total is 20.0 % too high, and its interval and the measured one do not "
            "overlap; reduce explains 175 % of the difference (predicted 3.500 ms, not measured).");
}

TEST(Explanation, NamesNoTermWhereNoneIsOff) {
  Record record = example_record();
  record.measured.terms.clear();
  record.predicted[1].terms.clear();
  record.predicted[0].terms.clear();
  EXPECT_EQ(verdict_of(record).explanation,
            "The refined total is 8.7 % too low, and its interval and the measured one do not "
            "overlap.");
}

}  // namespace
}  // namespace bellwether
