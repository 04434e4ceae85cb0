// SPDX-License-Identifier: MIT
#include "miniapps/driver/run_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/fake_case_test.hpp"
#include "models/machine/machine_file.hpp"

namespace bellwether {
namespace {

class RunLoop : public testing::Test {
 protected:
  Record run(Case& app, const RunOptions& options, const Machine* machine = nullptr) {
    return run_case(test_session(), app, heartbeat_, options, machine).record;
  }
  static long timed_steps(const Record& record) { return record.result.at("timed_steps"); }

  Heartbeat heartbeat_;
};

/// The value of rank 0 on all.
template <class T>
T first_ranks(T value) {
  MPI_Bcast(&value, sizeof value, MPI_BYTE, 0, test_session().world());
  return value;
}

RunOptions exactly(long steps) { return {.steps = steps}; }
RunOptions for_seconds(double budget) { return {.time_budget_s = budget}; }

TEST_F(RunLoop, ExactlySoManyTimedStepsFromTheInitialState) {
  for (const long steps : {1, 2, 7, 50, 1234}) {
    FakeCase app;
    app.step_time = std::chrono::microseconds(steps < 100 ? 1000 : 0);
    app.longest = 5;  // does not bound what was asked for
    const Record record = run(app, exactly(steps));
    EXPECT_EQ(timed_steps(record), steps);
    EXPECT_EQ(record.result.at("steps"), steps);
    EXPECT_EQ(app.verified_steps.back(), steps);
    EXPECT_TRUE(record.verification.passed);
  }
}

TEST_F(RunLoop, MoreStepsThanTheStateHoldsAreVerifiedBeforeItsEndToo) {
  FakeCase app;
  app.longest = 5;
  run(app, exactly(1234));
  ASSERT_GE(app.verified_steps.size(), 3u);  // the warm-up, the last that tells, the end
  EXPECT_EQ(app.verified_steps.back(), 1234);
  EXPECT_EQ(*(app.verified_steps.end() - 2), 5);
}

TEST_F(RunLoop, EveryStretchIsVerifiedAndNoneIsLongerThanTheStateHolds) {
  for (const long longest : {1, 2, 23}) {
    FakeCase app;
    app.longest = longest;
    const Record record = run(app, for_seconds(0.1));
    ASSERT_GE(app.restarted_after.size(), 2u);
    std::vector<long> stretches = app.restarted_after;
    stretches.push_back(app.steps_in_stretch);
    EXPECT_EQ(app.verified_steps, stretches);
    for (const long steps : stretches) {
      EXPECT_GE(steps, 1);
      EXPECT_LE(steps, longest);
    }
    EXPECT_TRUE(record.verification.passed);
    EXPECT_EQ(record.verification.value, 1);
  }
}

TEST_F(RunLoop, WhatWentWrongInOneStretchStaysWrong) {
  for (const double value :
       {9.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const int stretch : {0, 1, 2}) {
      FakeCase app;
      app.longest = 20;
      app.wrong_stretches = {stretch};
      app.wrong_value = value;
      const Record record = run(app, for_seconds(0.05));
      ASSERT_GT(app.verified_steps.size(), 3u);
      EXPECT_FALSE(record.verification.passed) << "stretch " << stretch;
      EXPECT_TRUE(record.verification.value == value || std::isnan(value));
      EXPECT_FALSE(to_json(record).contains("rate"));
    }
  }
}

TEST_F(RunLoop, TheFinalStatesKindOfCheckIsSaid) {
  FakeCase app;
  app.other_kind_from = 50;
  const Record record = run(app, exactly(50));
  EXPECT_TRUE(record.verification.passed);
  EXPECT_EQ(record.verification.what, "other");
  app.wrong_stretches = {static_cast<int>(app.restarted_after.size())};  // the next warm-up
  EXPECT_EQ(run(app, exactly(50)).verification.what, "fake");
}

TEST_F(RunLoop, AFailedPictureLosesNoRecord) {
  FakeCase app;
  app.write_error = "no room";
  const CaseResult result = run_case(test_session(), app, heartbeat_, exactly(5), nullptr);
  EXPECT_TRUE(result.record.verification.passed);
  EXPECT_EQ(timed_steps(result.record), 5);
  EXPECT_GT(result.record.rate.value, 0);
  ASSERT_NE(result.picture_error, nullptr);
  EXPECT_THROW(std::rethrow_exception(result.picture_error), BadInput);
}

TEST_F(RunLoop, AWrongWarmUpFailsExactSteps) {
  FakeCase app;
  app.wrong_stretches = {0};
  EXPECT_FALSE(run(app, exactly(3)).verification.passed);
}

TEST_F(RunLoop, WhatIsBrokenEndsTheRunAndSaysWhy) {
  FakeCase app;
  app.breaks_after = 500;
  app.step_time = std::chrono::microseconds(50);
  const Record record = run(app, exactly(1000000));
  EXPECT_LT(timed_steps(record), 5000);
  EXPECT_FALSE(record.verification.passed);
  EXPECT_EQ(record.verification.what, "broken");
}

TEST_F(RunLoop, FieldsAreWrittenOnceOfTheLastState) {
  FakeCase app;
  run(app, exactly(50));
  EXPECT_EQ(app.written_after, std::vector<long>{50});
}

TEST_F(RunLoop, AllRanksAgreeOnStepsAndTimesThoughTheirClocksDiffer) {
  FakeCase app;
  app.step_time = std::chrono::microseconds(200 * test_session().rank());
  const Record record = run(app, for_seconds(0.2));
  EXPECT_EQ(timed_steps(record), first_ranks(timed_steps(record)));
  EXPECT_EQ(record.measured.total_s.median, first_ranks(record.measured.total_s.median));
  EXPECT_EQ(record.measured.total_s.count, first_ranks(record.measured.total_s.count));
  EXPECT_GE(record.measured.total_s.min, 200e-6 * (test_session().size() - 1));
}

TEST_F(RunLoop, AtLeastSevenSamplesAndNotMuchBeyondTheBudget) {
  FakeCase app;
  app.step_time = std::chrono::milliseconds(4);
  RunOptions options = for_seconds(0.4);
  options.precision = 0;  // never tight enough
  const auto begin = std::chrono::steady_clock::now();
  const Record record = run(app, options);
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  EXPECT_GE(record.measured.total_s.count, 7);
  const double timed = record.measured.total_s.median * static_cast<double>(timed_steps(record));
  const long per_sample = record.result.at("steps_per_sample");
  EXPECT_EQ(timed_steps(record), record.measured.total_s.count * per_sample);
  EXPECT_GE(first_ranks(spent.count()), 0.4);
  // However long steps take on a busy machine: the budget or seven samples, and one that exceeds
  // it. A median is at most twice the mean.
  const double longest_s = record.measured.total_s.max * static_cast<double>(per_sample);
  EXPECT_LT(timed, 2 * (std::max(0.4, 6 * longest_s) + longest_s));
}

TEST_F(RunLoop, RateFractionAndPrediction) {
  FakeCase app;
  app.step_time = std::chrono::milliseconds(1);
  const Record alone = run(app, exactly(8));
  EXPECT_EQ(alone.ranks, test_session().size());
  EXPECT_DOUBLE_EQ(alone.rate.value, 1000 / alone.measured.total_s.median);
  EXPECT_EQ(alone.rate.unit, "units/s");
  EXPECT_EQ(alone.rate.fraction_of_limit, 0);
  EXPECT_TRUE(alone.predicted.empty());
  EXPECT_FALSE(alone.probe.has_value());
  EXPECT_FALSE(alone.measured.hidden_fraction.has_value());

  const Machine machine = find_machine("tsubame2.0");
  const Record predicted = run(app, exactly(8), &machine);
  ASSERT_EQ(predicted.predicted.size(), 1u);
  const double limit = machine.device.memory_bandwidth_bytes_per_s.value * test_session().size();
  EXPECT_DOUBLE_EQ(predicted.rate.fraction_of_limit,
                   8000 / predicted.measured.total_s.median / limit);
  ASSERT_EQ(predicted.rate.terms.size(), 1u) << "one is not measured";
  const TermRate& term = predicted.rate.terms.front();
  EXPECT_EQ(term.term, "compute.interior");
  EXPECT_DOUBLE_EQ(term.bytes_per_s, 6000 / predicted.measured.terms.front().second.median);
  EXPECT_DOUBLE_EQ(term.fraction_of_limit, term.bytes_per_s / limit);
  ASSERT_EQ(alone.rate.terms.size(), 1u);
  EXPECT_EQ(alone.rate.terms.front().fraction_of_limit, 0);
}

TEST_F(RunLoop, TheProbeMeasuresBeforeTheFirstSampleAndAfterEach) {
  FakeCase app;
  app.step_time = std::chrono::milliseconds(1);
  RunOptions options = exactly(40);
  options.probe = true;
  const Record record = run(app, options);
  ASSERT_TRUE(record.probe.has_value());
  EXPECT_EQ(record.probe->rate.count, record.measured.total_s.count + 1);
  EXPECT_EQ(app.probes, record.measured.total_s.count + 1);
  EXPECT_TRUE(std::isfinite(record.probe->rate.max));
  EXPECT_GT(record.probe->rate.min, 0);
  ASSERT_EQ(record.probe->samples.size(), static_cast<std::size_t>(record.measured.total_s.count));
  double least = record.measured.total_s.max, most = 0;
  for (const ProbeResult::Sample& sample : record.probe->samples) {
    EXPECT_GE(sample.rate, record.probe->rate.min);
    EXPECT_LE(sample.rate, record.probe->rate.max);
    EXPECT_NEAR(sample.core_rate, 2 / (1 / 5. + 1 / 6.), 1e-9) << "between one of 5 and one of 6";
    least = std::min(least, sample.total_s);
    most = std::max(most, sample.total_s);
  }
  EXPECT_EQ(least, record.measured.total_s.min);
  EXPECT_EQ(most, record.measured.total_s.max);
  EXPECT_EQ(record.probe->of, "memory");
  EXPECT_EQ(record.probe->calibrated_rate, 0);
}

TEST_F(RunLoop, TheLimitsShareIsToldForTheMomentOfTheRunToo) {
  FakeCase app;
  app.step_time = std::chrono::milliseconds(1);
  const Machine machine = find_machine("tsubame2.0");
  RunOptions options = exactly(8);
  options.probe = true;
  const nlohmann::json rate = to_json(run(app, options, &machine)).at("rate");
  const double now = rate.at("fraction_of_limit_at_probe"), then = rate.at("fraction_of_limit");
  EXPECT_GT(now / then, 50 / 21.5);  // the probe gave 20 or 21 of 50
  EXPECT_LT(now / then, 50 / 19.5);
  EXPECT_FALSE(
      to_json(run(app, exactly(8), &machine)).at("rate").contains("fraction_of_limit_at_probe"));
}

TEST_F(RunLoop, ExactlyThreeFactorizationsAreRestartedThreeTimesAndVerifiedThreeTimes) {
  FakeFactorization app;
  const Record record = run(app, exactly(3));
  EXPECT_EQ(app.factorizations, 3);
  EXPECT_EQ(app.restarts, 3);
  EXPECT_EQ(app.verifications, 3);
  EXPECT_EQ(app.factored_again, 0);
  EXPECT_EQ(record.measured.total_s.count, 3);
  EXPECT_EQ(timed_steps(record), 3);
  EXPECT_TRUE(record.verification.passed);
}

TEST_F(RunLoop, EachFactorizationsWarmUpIsRenewedAndVerifiedAsWell) {
  FakeFactorization app;
  app.how.warm_ups = 2;
  EXPECT_EQ(run(app, exactly(3)).measured.total_s.count, 3);
  EXPECT_EQ(app.restarts, 5);
  EXPECT_EQ(app.verifications, 5);
  EXPECT_EQ(app.factored_again, 0);
}

TEST_F(RunLoop, OneWrongFactorizationIsEnough) {
  for (const int which : {0, 1, 2}) {
    FakeFactorization app;
    app.wrong_factorization = which;
    const Record record = run(app, exactly(3));
    EXPECT_FALSE(record.verification.passed) << which;
    EXPECT_EQ(record.verification.value, 100);
  }
}

RunOptions twice(long steps) { return {.steps = steps, .verify_twice = true}; }

/// The first once more; the others are held against it.
TEST_F(RunLoop, TwiceAFactorizationThatEndsInOtherBitsIsSeenWhicheverItIs) {
  for (const int count : {1, 3}) {
    FakeFactorization right;
    const Record record = run(right, twice(count));
    EXPECT_TRUE(record.verification.passed);
    EXPECT_EQ(record.verification.what, "residual, and twice the same bits");
    EXPECT_EQ(right.factorizations, count + 1);
    EXPECT_EQ(right.factored_again, 0);
    EXPECT_EQ(timed_steps(record), count);
    for (int which = 1; which <= count + 1; ++which) {
      FakeFactorization app;
      app.flipped_factorization = which;
      const Record flipped = run(app, twice(count));
      EXPECT_FALSE(flipped.verification.passed) << which;
      EXPECT_EQ(flipped.verification.what, "runs of as many steps that ended in other bits");
      FakeFactorization once;
      once.flipped_factorization = which;
      EXPECT_TRUE(run(once, exactly(count)).verification.passed);
    }
  }
}

/// In warm-ups, in the steps that are asked for and where they are taken again.
TEST_F(RunLoop, TwiceAStepThatFlipsABitIsSeenWhicheverItIs) {
  FakeCase right;
  right.longest = 7;  // verified before its end too, for which a step is taken
  right.verify_takes = 1;
  const Record record = run(right, twice(12));
  EXPECT_TRUE(record.verification.passed);
  EXPECT_EQ(timed_steps(record), 12);
  EXPECT_GE(right.all_steps, 2 * 12);
  for (long step = 1; step <= right.all_steps; ++step) {
    FakeCase app;
    app.longest = 7;
    app.verify_takes = 1;
    app.flipped_step = step;
    EXPECT_FALSE(run(app, twice(12)).verification.passed) << step;
  }
}

TEST_F(RunLoop, TwiceIsOnceWhereTheOrderOfSumsIsLeftOpen) {
  FakeFactorization app;
  app.how.repeats_to_the_bit = false;
  EXPECT_EQ(run(app, twice(2)).verification.what, "residual");
  EXPECT_EQ(app.factorizations, 2);
}

TEST_F(RunLoop, AFactorizationThatTakesTheWholeBudgetIsTimedOnce) {
  FakeFactorization app;
  app.step_time = std::chrono::milliseconds(60);
  EXPECT_EQ(run(app, for_seconds(0.05)).measured.total_s.count, 1);
  FakeFactorization more;
  more.how.fewest_samples = 2;
  more.step_time = std::chrono::milliseconds(60);
  EXPECT_EQ(run(more, for_seconds(0.05)).measured.total_s.count, 2);
}

TEST_F(RunLoop, SetupIsDoneOnceAndNoPartOfAStep) {
  FakeFactorization app;
  app.step_time = std::chrono::milliseconds(4);
  const Record record = run(app, exactly(2));
  EXPECT_EQ(app.setups, 1);
  ASSERT_EQ(record.setup.size(), 3u);
  EXPECT_EQ(record.setup[0], std::pair(std::string("coarsening"), 2e-3));
  EXPECT_EQ(record.setup[1], std::pair(std::string("products"), 1e-3));
  EXPECT_EQ(record.setup[2].first, "other");
  for (const auto& term : record.measured.terms) EXPECT_NE(term.first, "coarsening");
  EXPECT_EQ(to_json(record).at("setup").at("terms").at("coarsening"), 2e-3);
  FakeCase without;
  EXPECT_FALSE(to_json(run(without, exactly(2))).contains("setup"));
}

TEST_F(RunLoop, TheHiddenShareIsThatOfAllNetworkTermsTogether) {
  FakeFactorization app;
  app.overlaps = true;
  app.bare_s = 12e-3;
  const Record record = run(app, exactly(3));
  ASSERT_TRUE(record.measured.hidden_fraction.has_value());
  EXPECT_DOUBLE_EQ(*record.measured.hidden_fraction, 0.75);  // 3 of 12 ms were left
  app.overlaps = false;
  EXPECT_FALSE(run(app, exactly(3)).measured.hidden_fraction.has_value());
}

TEST_F(RunLoop, TheLimitIsTheWorksOwn) {
  FakeFactorization app;
  app.step_time = std::chrono::milliseconds(1);
  Machine machine = find_machine("tsubame2.0");
  machine.device.gemm_flops_per_s["f64"] = Quantity::exact(1e6);
  const Record record = run(app, exactly(2), &machine);
  EXPECT_EQ(record.rate.limit, "matrix product");
  EXPECT_DOUBLE_EQ(record.rate.fraction_of_limit,
                   1000 / record.measured.total_s.median / (1e6 * test_session().size()));
}

TEST_F(RunLoop, EveryRanksOwnMediansAreKept) {
  FakeCase app;
  app.step_time = std::chrono::milliseconds(2 * (1 + test_session().rank()));
  RunOptions options = exactly(8);
  options.device = "device of " + std::to_string(test_session().rank());
  const Record record = run(app, options);
  ASSERT_EQ(record.per_rank.size(), static_cast<std::size_t>(test_session().size()));
  for (int rank = 0; rank < test_session().size(); ++rank) {
    const RankResult& one = record.per_rank[static_cast<std::size_t>(rank)];
    EXPECT_EQ(one.host, test_session().hosts()[static_cast<std::size_t>(rank)]);
    EXPECT_EQ(one.device, "device of " + std::to_string(rank));
    EXPECT_FALSE(one.cores.empty());
    ASSERT_EQ(one.terms.size(), 3u);
    EXPECT_EQ(one.terms[0].first, "compute.interior");
    EXPECT_GE(one.terms[0].second, 2e-3 * (1 + rank)) << "its own sleep";
    EXPECT_EQ(one.terms[2].first, "total");
    EXPECT_GE(one.terms[2].second, one.terms[0].second);
  }
  EXPECT_EQ(to_json(record).at("per_rank").size(), record.per_rank.size());
  options.per_rank = false;
  EXPECT_FALSE(to_json(run(app, options)).contains("per_rank"));
}

TEST_F(RunLoop, GpusAreToldOfEachRankWhereTheyDiffer) {
  FakeCase app;
  RunOptions options = exactly(3);
  const auto told = [&](const std::string& uuid) {
    const GpuMonitor monitor({"a GPU", uuid, "", "CUDA"}, "/nowhere/libnvidia-ml.so.1");
    options.gpu = &monitor;
    const CaseResult result = run_case(test_session(), app, heartbeat_, options, nullptr);
    EXPECT_EQ(result.gpu.at("uuid"), uuid);
    return result.record.per_rank;
  };
  for (const RankResult& rank : told("GPU-1")) EXPECT_TRUE(rank.gpu.is_null());
  if (test_session().size() > 1) {
    const auto ranks = told("GPU-" + std::to_string(test_session().rank() % 2));
    for (std::size_t rank = 0; rank < ranks.size(); ++rank)
      EXPECT_EQ(ranks[rank].gpu.at("uuid"), "GPU-" + std::to_string(rank % 2));
  }
  options.gpu = nullptr;
  EXPECT_TRUE(run_case(test_session(), app, heartbeat_, options, nullptr).gpu.is_null());
}

TEST_F(RunLoop, TheHeartbeatCountsEveryStep) {
  FakeCase app;
  app.step_time = std::chrono::milliseconds(1);
  run(app, exactly(5));
  long steps = app.steps_in_stretch;
  for (const long before : app.restarted_after) steps += before;
  EXPECT_EQ(heartbeat_.step.load(), steps);
}

TEST_F(RunLoop, ALongStepSaysOnRankZeroHowFarItIsAndWhatIsLeft) {
  const auto said = [&](double share) {
    FakeFactorization app;
    app.shares = {share};
    testing::internal::CaptureStderr();
    Progress progress("on", test_session().rank());
    RunOptions options = exactly(1);
    options.progress = &progress;
    run(app, options);
    EXPECT_EQ(app.report != nullptr, test_session().rank() == 0);
    return testing::internal::GetCapturedStderr();
  };
  const bool speaks = test_session().rank() == 0;
  EXPECT_EQ(said(0), speaks ? "0 %, column 3 of 8: fake factorization\n" : "");
  EXPECT_EQ(said(0.5), speaks ? "50 %, column 3 of 8: fake factorization, about 0 s left\n" : "");
  FakeFactorization unseen;
  run(unseen, exactly(1));
  EXPECT_EQ(unseen.report, nullptr);
}

}  // namespace
}  // namespace bellwether
