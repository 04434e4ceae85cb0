// SPDX-License-Identifier: MIT
#include "results/run_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "results/comparison.hpp"
#include "results/example_record_test.hpp"
#include "results/verdict.hpp"

namespace bellwether {
namespace {

/// Computes 8 ms of 10; of an app that validation does not know.
Record step() {
  Record record = example_record();
  record.app = "unknown";
  record.probe.reset();
  Prediction refined;
  refined.form = "refined";
  refined.terms = {{"compute.interior", 8e-3, 7.2e-3, 8.8e-3}, {"network", 2e-3, 1.8e-3, 2.2e-3}};
  refined.compute = ComputeTime{.memory_s = 8e-3};
  refined.total_s = 10e-3;
  refined.low_s = 9e-3;
  refined.high_s = 11e-3;
  record.predicted = {refined};
  record.rate.limit = "memory bandwidth";
  record.measured.total_s = summarize({10e-3});
  return record;
}

DriftParameters drifts(std::vector<double> memory, std::vector<double> network = {1}) {
  return {.source = {},
          .span_s = 60,
          .series = {{"memory", std::move(memory)},
                     {"network", std::move(network)},
                     {"matrix product", {0.5, 1, 2}}}};
}

TEST(RunInterval, NeedsAPredictionAndTheDrift) {
  const DriftParameters drift = drifts({1});
  EXPECT_FALSE(run_interval(step(), nullptr, false));
  Record unpredicted = step();
  unpredicted.predicted.clear();
  EXPECT_FALSE(run_interval(unpredicted, &drift, false));
}

TEST(RunInterval, OfASteadyMachineIsTheCalibrations) {
  const DriftParameters drift = drifts({1});
  const RunInterval interval = *run_interval(step(), &drift, false);
  EXPECT_EQ(interval.model_runs, 0);
  EXPECT_NEAR(interval.drift.second, 1, 1e-12);
  EXPECT_NEAR(interval.run.high_s, 10e-3 * std::pow(1.1, 1.645 / 1.96), 5e-5);
  EXPECT_NEAR(interval.run.low_s, 10e-3 * std::pow(0.9, 1.645 / 1.96), 5e-5);
  EXPECT_FALSE(interval.at_probe);
}

TEST(RunInterval, DriftReachesWhatItConcerns) {
  std::vector<double> twice(20, 1);
  twice.insert(twice.end(), 20, 2);  // a moment is half or twice as slow as another one
  const DriftParameters memory = drifts(twice), network = drifts({1}, twice);
  EXPECT_NEAR(run_interval(step(), &memory, false)->drift.first, 0.6, 1e-9);
  EXPECT_NEAR(run_interval(step(), &memory, false)->drift.second, 1.8, 1e-9);
  EXPECT_NEAR(run_interval(step(), &network, false)->drift.first, 0.9, 1e-9);
  EXPECT_NEAR(run_interval(step(), &network, false)->drift.second, 1.2, 1e-9);
  Record product = step();
  product.rate.limit = "matrix product";
  const auto [fast, slow] = run_interval(product, &memory, false)->drift;
  EXPECT_LT(fast, 0.7);
  EXPECT_GT(slow, 1.5);
  const std::vector<Term> terms = run_interval(step(), &memory, false)->terms;
  EXPECT_LT(terms.at(0).low, 8e-3 / 2 * 1.01);
  EXPECT_GT(terms.at(0).high, 8e-3 * 2 * 0.99);
  EXPECT_LT(terms.at(1).high, 2.3e-3);
}

TEST(RunInterval, TheCoreDriftsAsMatrixProductsDo) {
  const DriftParameters drift = drifts({1});  // the core alone: half or twice as fast
  const auto range = [&drift](const std::optional<ComputeTime>& compute) {
    Record record = step();
    record.predicted[0].compute = compute;
    return run_interval(record, &drift, false)->drift;
  };
  EXPECT_NEAR(range(ComputeTime{.memory_s = 8e-3}).second, 1, 1e-9);
  EXPECT_GT(range(ComputeTime{.memory_s = 4e-3, .beside_s = 4e-3}).second, 1.3);
  EXPECT_GT(range(ComputeTime{.core_s = 8e-3}).second,
            range(ComputeTime{.memory_s = 4e-3, .beside_s = 4e-3}).second);
  EXPECT_NEAR(range({}).second, range(ComputeTime{.core_s = 8e-3}).second, 0.05)
      << "of what may be either's, the wider drift";
}

TEST(RunInterval, AtTheProbeItIsNarrowerAndWhereTheMachineIs) {
  const DriftParameters drift = drifts({0.9, 1, 1, 1, 1.1, 1.8, 1.9, 2});
  Record record = step();
  record.measured.total_s = summarize({18e-3, 18e-3, 18e-3});
  record.probe = ProbeResult{"memory", "B/s", summarize({5e9}), 10e9, {}, {}};
  record.probe->samples = {{18e-3, 5e9}, {18e-3, 5e9}, {18e-3, 5e9}};
  const RunInterval interval = *run_interval(record, &drift, false);
  ASSERT_TRUE(interval.at_probe.has_value());
  EXPECT_NEAR(interval.at_probe->total_s, 18e-3, 1e-9);
  EXPECT_LT(interval.at_probe->high_s - interval.at_probe->low_s,
            0.1 * (interval.run.high_s - interval.run.low_s));
  record.interval = interval;
  EXPECT_EQ(verdict_of(record).at_probe, Answer::normal);
  record.measured.total_s = summarize({21e-3});
  record.measured.terms = {{"compute.interior", summarize({19e-3})},
                           {"network", summarize({2e-3})}};
  EXPECT_EQ(
      verdict_of(record).explanation,
      "At its speed during the run the refined total is 14.3 % too low, and the run is not one "
      "of the 90 %; compute.interior explains 100 % of the difference (then predicted 16.000 ms, "
      "measured 19.000 ms).");
}

TEST(RunInterval, HoldsWhatTheMachinesOwnComputationsScatterBy) {
  const DriftParameters drift = drifts({1});
  Record record = step();
  Prediction& refined = record.predicted[0];
  for (Term& term : refined.terms) term.low = term.high = term.seconds;
  refined.low_s = refined.high_s = refined.total_s;
  refined.compute->scatter = 0.1;
  record.probe = ProbeResult{"memory", "B/s", summarize({10e9}), 10e9, {}, {}};
  record.probe->samples = {{10e-3, 10e9}, {10e-3, 10e9}, {10e-3, 10e9}};
  const RunInterval interval = *run_interval(record, &drift, false);
  const double slow = std::exp(1.645 * 0.1), fast = 1 / slow;
  for (const RunInterval::Ends& ends : {interval.run, *interval.at_probe}) {
    EXPECT_NEAR(ends.high_s, 8e-3 * slow + 2e-3, 2e-5);
    EXPECT_NEAR(ends.low_s, 8e-3 * fast + 2e-3, 2e-5);
  }
  EXPECT_NEAR(interval.terms.at(0).high, 8e-3 * slow, 2e-5);
  EXPECT_EQ(interval.terms.at(1).high, 2e-3);
  EXPECT_NEAR(interval.calibration.second, 0.2 + 0.8 * slow, 2e-3);
}

TEST(RunInterval, BetweenNodesKnowsWhatRunsThereMissedBy) {
  const DriftParameters drift = drifts({1});
  Record record = step();
  record.app = "hpl";
  const RunInterval alone = *run_interval(record, &drift, false);
  const RunInterval between = *run_interval(record, &drift, true);
  EXPECT_EQ(alone.model_runs, model_spread("hpl")->runs);
  EXPECT_EQ(between.model_runs, model_spread("hpl", "total between nodes")->runs);
  EXPECT_NE(alone.model_runs, between.model_runs);
  EXPECT_GT(between.run.high_s, alone.run.high_s);
  record.app = "amg";  // was never run between nodes
  EXPECT_EQ(run_interval(record, &drift, true)->run.high_s,
            run_interval(record, &drift, false)->run.high_s);
}

TEST(RunInterval, StandsInTheRecordWithWhatItIsOf) {
  const DriftParameters drift = drifts({1, 1.2});
  Record record = step();
  record.interval = run_interval(record, &drift, false);
  const nlohmann::json refined = to_json(record).at("predicted").at("refined");
  EXPECT_EQ(refined.at("interval").at("of"), "90 % of runs");
  EXPECT_EQ(refined.at("high_s"), record.interval->run.high_s);
  EXPECT_EQ(refined.at("interval").at("machine_s"), (nlohmann::json{9e-3, 11e-3}));
}

TEST(RunInterval, TheTableAnswersWhetherTheRunIsNormal) {
  const DriftParameters drift = drifts({1});
  Record record = step();
  record.interval = run_interval(record, &drift, false);
  record.interval->at_probe = RunInterval::Ends{20e-3, 19e-3, 21e-3};
  const RunInterval::Ends& ends = record.interval->run;
  const auto table = [&](double measured_s) {
    record.measured.total_s = summarize({measured_s});
    return format_table(record, "title");
  };
  const auto begins_a_line = [](const std::string& text, const std::string& line) {
    return text.find("\n" + line) != std::string::npos;
  };
  const std::string normal = table((ends.low_s + ends.high_s) / 2);
  EXPECT_TRUE(begins_a_line(normal, "normal for this machine: 90 % of its runs take [")) << normal;
  EXPECT_EQ(normal.find("calibration "), std::string::npos)
      << "causes of what is normal: " << normal;
  const std::string slower = table(20e-3);
  EXPECT_GT(20e-3, ends.high_s);
  EXPECT_TRUE(begins_a_line(slower, "SLOWER THAN NORMAL for this machine: ")) << slower;
  EXPECT_NE(slower.find("; model not known)"), std::string::npos) << slower;
  EXPECT_TRUE(begins_a_line(slower, "normal for its speed during the run: ")) << slower;
  const std::string faster = table(ends.low_s / 2);
  EXPECT_TRUE(begins_a_line(faster, "FASTER THAN NORMAL for this machine: ")) << faster;
  EXPECT_TRUE(begins_a_line(faster, "FASTER THAN NORMAL for its speed during the run: ")) << faster;
}

/// What `accept` and others read beside them follows from the ratios.
TEST(ModelSpread, MediansAndExcessesOfTheFileAreThoseOfItsRatios) {
  const nlohmann::json all = nlohmann::json::parse(residual_files().front().text).at("residuals");
  int known = 0;
  for (const auto& [app, one] : all.items()) {
    if (!one.contains("ratios")) continue;
    ++known;
    auto ratios = one.at("ratios").at("total").get<std::vector<double>>();
    EXPECT_EQ(one.at("runs"), ratios.size()) << app;
    EXPECT_TRUE(std::is_sorted(ratios.begin(), ratios.end())) << app;
    const double median = summarize(ratios).median;
    EXPECT_NEAR(one.at("median"), median - 1, 1e-3) << app;
    const std::vector<double> slower(ratios.begin() + static_cast<long>(ratios.size() / 2),
                                     ratios.end());
    const double mean =
        std::accumulate(slower.begin(), slower.end(), 0.) / static_cast<double>(slower.size());
    EXPECT_NEAR(one.at("mean_excess"), mean - median, 1e-3) << app;
    const auto spread = model_spread(app);
    EXPECT_EQ(spread.has_value(), ratios.size() >= 12) << app;
    if (spread) {
      EXPECT_EQ(spread->runs, one.at("runs")) << app;
      // Between its quantiles at 0.49 and 0.51, each between two of the ratios.
      const auto place = [&](double p) { return p * static_cast<double>(ratios.size() + 1) - 1; };
      EXPECT_GE(spread->spread.ratio(0.5), ratios[static_cast<std::size_t>(place(0.49))]) << app;
      EXPECT_LE(spread->spread.ratio(0.5), ratios[static_cast<std::size_t>(place(0.51)) + 1])
          << app;
    }
  }
  EXPECT_EQ(model_spread("stream").has_value(), false);
  EXPECT_GE(known, 1);
}

}  // namespace
}  // namespace bellwether
