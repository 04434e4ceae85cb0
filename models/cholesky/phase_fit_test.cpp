// SPDX-License-Identifier: MIT
#include "models/cholesky/phase_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Constants of a made-up phase and its times, by Eq. 1 and 2 written out.
struct Truth {
  double t_s0 = 1e-6, rate = 2e9, t_p0 = 50e-6, e_p = 0.8, overhead = 0;

  [[nodiscard]] PhaseSample sample(double n, int ranks, double error = 0,
                                   bool without_overhead = false) const {
    const double work = n * n * n, starts = n * n, parallel_starts = n;
    const double one = starts * t_s0 + work / rate;
    double seconds = one;
    if (ranks > 1) {
      seconds = parallel_starts * t_p0 + one / ranks / e_p;
      if (!without_overhead) seconds += parallel_starts * overhead;
    }
    return {"phase", n,      ranks,           seconds * (1 + error),
            work,    starts, parallel_starts, without_overhead};
  }
};

std::vector<PhaseSample> sweep(const Truth& truth, const std::vector<int>& ranks,
                               double noise = 0) {
  std::mt19937 random(3);
  std::normal_distribution<double> error(0, 1);
  std::vector<PhaseSample> samples;
  for (const int count : ranks)
    for (const double n : {50., 100., 200., 500., 1000., 2000.})
      samples.push_back(truth.sample(n, count, noise * error(random)));
  return samples;
}

TEST(PhaseFit, FindsTheConstantsOfEquations1And2) {
  const Truth truth;
  const PhaseFit fit = fit_phase(sweep(truth, {1, 2, 4, 16}), PhaseRole::parallel, 8e9);
  EXPECT_NEAR(fit.start_up_s.value, 1e-6, 1e-12);
  EXPECT_NEAR(fit.rate_per_s.value, 2e9, 1e3);
  EXPECT_NEAR(fit.efficiency->value, 0.25, 1e-6);
  EXPECT_NEAR(fit.parallel_start_up_s->value, 50e-6, 1e-10);
  EXPECT_NEAR(fit.parallel_efficiency->value, 0.8, 1e-6);
  EXPECT_FALSE(fit.overhead_s);
  EXPECT_LT(fit.largest_residual, 1e-6);
  const PhaseSample unseen = truth.sample(3000, 64);
  EXPECT_NEAR(fit.seconds(unseen), unseen.seconds, 1e-6 * unseen.seconds);
}

TEST(PhaseFit, NoiseStaysWithinTheIntervals) {
  const PhaseFit fit = fit_phase(sweep({}, {1, 2, 4, 8, 16, 32}, 0.02), PhaseRole::parallel, 8e9);
  const auto holds = [](const Quantity& quantity, double truth) {
    EXPECT_LE(quantity.low, truth);
    EXPECT_GE(quantity.high, truth);
    EXPECT_NEAR(quantity.value, truth, 0.1 * truth);
  };
  holds(fit.start_up_s, 1e-6);
  holds(fit.rate_per_s, 2e9);
  holds(*fit.efficiency, 0.25);
  holds(*fit.parallel_efficiency, 0.8);
  holds(*fit.parallel_start_up_s, 50e-6);
  EXPECT_GT(fit.rms_residual, 0.005);
  EXPECT_LT(fit.rms_residual, 0.06);
}

TEST(PhaseFit, SaysThatStartUpAndOverheadAreOneNumber) {
  Truth truth;
  truth.overhead = 30e-6;
  const PhaseFit fit = fit_phase(sweep(truth, {1, 2, 4, 16}), PhaseRole::parallel);
  EXPECT_NEAR(fit.parallel_start_up_s->value, 80e-6, 1e-10);
  EXPECT_FALSE(fit.overhead_s);
  ASSERT_EQ(fit.fitted_together.size(), 1u);
  EXPECT_NE(fit.fitted_together[0].find("t_p0 and t_povh"), std::string::npos);
  EXPECT_FALSE(fit.efficiency) << "no peak was given";
}

TEST(PhaseFit, TellsTheOverheadApartByTimesWithoutIt) {
  Truth truth;
  truth.overhead = 30e-6;
  std::vector<PhaseSample> samples = sweep(truth, {1, 2, 4, 16});
  for (const double n : {100., 1000.}) samples.push_back(truth.sample(n, 8, 0, true));
  const PhaseFit fit = fit_phase(samples, PhaseRole::parallel);
  EXPECT_NEAR(fit.parallel_start_up_s->value, 50e-6, 1e-10);
  EXPECT_NEAR(fit.overhead_s->value, 30e-6, 1e-10);
  EXPECT_TRUE(fit.fitted_together.empty());
  EXPECT_NEAR(fit.seconds(samples.back()), samples.back().seconds, 1e-9);
}

TEST(PhaseFit, OnlyTheProductWithoutTimesOnOneRank) {
  const PhaseFit fit = fit_phase(sweep({}, {2, 4, 16}), PhaseRole::parallel, 8e9);
  EXPECT_NEAR(fit.rate_per_s.value, 2e9 * 0.8, 1e4);
  EXPECT_NEAR(fit.start_up_s.value, 1e-6 / 0.8, 1e-11);
  EXPECT_EQ(fit.parallel_efficiency->value, 1);
  ASSERT_EQ(fit.fitted_together.size(), 2u);
  EXPECT_NE(fit.fitted_together[0].find("E_s and E_p"), std::string::npos);
}

TEST(PhaseFit, SerialPhasesTakeTheSameOnAnyNumberOfRanks) {
  std::vector<PhaseSample> samples;
  for (const int ranks : {1, 4})
    for (const double n : {10., 100., 1000.})
      samples.push_back({"scaling", n, ranks, n * 2e-6 + n * n / 1e8, n * n, n, n, false});
  const PhaseFit fit = fit_phase(samples, PhaseRole::serial);
  EXPECT_NEAR(fit.start_up_s.value, 2e-6, 1e-12);
  EXPECT_NEAR(fit.rate_per_s.value, 1e8, 1);
  EXPECT_FALSE(fit.parallel_efficiency);
  EXPECT_NEAR(fit.seconds(samples[4]), samples[4].seconds, 1e-9);
}

TEST(PhaseFit, CommunicationIsEquation3OfMoreThanOneRank) {
  std::vector<PhaseSample> samples = {{"network", 10, 1, 0, 0, 1, 1, false}};
  for (const int ranks : {2, 8})
    for (const double n : {10., 1e3, 1e5}) {
      const double bytes = 8 * n * std::log2(ranks);
      samples.push_back({"network", n, ranks, 3e-6 + bytes / 5e8, bytes, 1, 1, false});
    }
  const PhaseFit fit = fit_phase(samples, PhaseRole::communication, 1e9);
  EXPECT_NEAR(fit.start_up_s.value, 3e-6, 1e-12);
  EXPECT_NEAR(fit.efficiency->value, 0.5, 1e-9);
}

TEST(PhaseFit, TimeThatDoesNotGrowHasAFiniteRate) {
  std::vector<PhaseSample> samples;
  for (const double n : {10., 100., 1000.}) samples.push_back({"phase", n, 1, 1e-3, n});
  const PhaseFit fit = fit_phase(samples, PhaseRole::parallel);
  EXPECT_NEAR(fit.start_up_s.value, 1e-3, 1e-9);
  EXPECT_TRUE(std::isfinite(fit.rate_per_s.value));
  EXPECT_TRUE(std::isfinite(fit.rate_per_s.high));
  EXPECT_LT(1000 / fit.rate_per_s.value, 1e-6);
}

std::string refusal(const std::vector<PhaseSample>& samples, PhaseRole role) {
  try {
    (void)fit_phase(samples, role);
  } catch (const BadInput& error) {
    return error.what();
  }
  return {};
}

TEST(PhaseFit, RefusesTooFewPoints) {
  const Truth truth;
  EXPECT_NE(refusal({}, PhaseRole::serial).find("no samples"), std::string::npos);
  const std::vector<PhaseSample> two = {truth.sample(10, 1), truth.sample(20, 1)};
  EXPECT_NE(refusal(two, PhaseRole::parallel).find("at least 3"), std::string::npos);
  const std::vector<PhaseSample> one_size(4, truth.sample(10, 1));
  EXPECT_NE(refusal(one_size, PhaseRole::parallel).find("apart"), std::string::npos);
  // Three on one rank, but two on more.
  std::vector<PhaseSample> few = sweep(truth, {1});
  few.push_back(truth.sample(100, 2));
  few.push_back(truth.sample(100, 4));
  const std::string said = refusal(few, PhaseRole::parallel);
  EXPECT_NE(said.find("on several ranks"), std::string::npos) << said;
  EXPECT_NE(said.find("t_p0"), std::string::npos) << said;
}

TEST(PhaseFit, RefusesWhatIsNoPhaseOfThatRole) {
  std::vector<PhaseSample> mixed = sweep({}, {1});
  mixed.back().phase = "other";
  EXPECT_NE(refusal(mixed, PhaseRole::parallel).find("other"), std::string::npos);
  std::vector<PhaseSample> no_rank = sweep({}, {1});
  no_rank.back().ranks = 0;
  EXPECT_NE(refusal(no_rank, PhaseRole::parallel).find("0 ranks"), std::string::npos);
  // One size, growing with the rank count: not shared.
  std::vector<PhaseSample> growing = sweep({}, {1});
  for (const int ranks : {2, 4, 8, 16}) {
    growing.push_back(Truth().sample(100, ranks));
    growing.back().seconds = 1e-3 * ranks;
  }
  EXPECT_NE(refusal(growing, PhaseRole::parallel).find("does not fall"), std::string::npos);
}

}  // namespace
}  // namespace bellwether
