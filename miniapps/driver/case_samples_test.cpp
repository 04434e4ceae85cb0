// SPDX-License-Identifier: MIT
#include "miniapps/driver/case_samples.hpp"

#include <gtest/gtest.h>

#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

using Terms = std::vector<std::pair<std::string, double>>;

/// The highest rank is slowest and has a phase that the others lack; they have one that it lacks.
std::vector<PhaseClock::Phase> phases_of(bool slowest) {
  if (slowest) return {{"compute.interior", 4.0}, {"network", 1.0}};
  return {{"pack", 0.25}, {"compute.interior", 0.5}};
}

TEST(SlowestSample, IsTheSlowestRanksPhasesByTheirNamesPerStep) {
  const Session& session = test_session();
  const bool slowest = session.rank() == session.size() - 1;
  const StepSample sample =
      slowest_sample(session.world(), own_sample(slowest ? 8.0 : 1.0, phases_of(slowest), 4));
  EXPECT_EQ(sample.total_s, 2.0);
  EXPECT_EQ(sample.terms, (Terms{{"compute.interior", 1.0}, {"network", 0.25}, {"other", 0.75}}));
}

TEST(SlowestSample, TermsAddUpToTheTotal) {
  const StepSample sample = slowest_sample(
      MPI_COMM_WORLD,
      own_sample(1.0, {{"compute.interior", 0.1}, {"pack", 0.2}, {"network", 0.3}}, 7));
  double sum = 0;
  for (const auto& term : sample.terms) sum += term.second;
  EXPECT_DOUBLE_EQ(sum, sample.total_s);
  EXPECT_DOUBLE_EQ(sample.total_s, 1.0 / 7);
}

TEST(SlowestSample, NothingIsNegativeWherePhasesOverlap) {
  const StepSample sample = slowest_sample(MPI_COMM_WORLD, own_sample(1.0, {{"network", 1.5}}, 1));
  EXPECT_EQ(sample.terms, (Terms{{"network", 1.5}, {"other", 0.0}}));
}

TEST(CaseSamples, TermsStandInTheOrderOfTheirFirstAppearanceWithOtherLast) {
  CaseSamples samples;
  samples.add({3.0, {{"pack", 1.0}, {"other", 2.0}}});
  samples.add({5.0, {{"pack", 1.0}, {"network", 3.0}, {"other", 1.0}}});
  samples.add({4.0, {{"pack", 2.0}, {"network", 1.0}, {"other", 1.0}}});
  EXPECT_EQ(samples.count(), 3);
  const Measurement measured = samples.measurement();
  EXPECT_EQ(measured.total_s.median, 4.0);
  ASSERT_EQ(measured.terms.size(), 3u);
  EXPECT_EQ(measured.terms[0].first, "pack");
  EXPECT_EQ(measured.terms[1].first, "network");
  EXPECT_EQ(measured.terms[2].first, "other");
  EXPECT_EQ(measured.terms[1].second.median, 1.0);  // of 0, 3 and 1
  EXPECT_EQ(measured.terms[1].second.min, 0.0);
  EXPECT_EQ(measured.terms[1].second.count, 3);
  EXPECT_EQ(samples.median_of_all("network"), 1.0);
  EXPECT_EQ(samples.median_of_all("p"), 1.0);
  EXPECT_EQ(samples.median_of_all(""), 4.0);
  EXPECT_EQ(samples.median_of_all("unpack"), 0.0);
}

}  // namespace
}  // namespace bellwether
