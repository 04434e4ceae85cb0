// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "models/amg/amg_parameters.hpp"
#include "models/amg/test_amg.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

// By hand for the small machine: 2 SMT threads and 2 OpenMP threads, so t_i x 1.25 x 4/2 on 16
// threads; two hops to the far side of the ring of 4; beta (B_max/B + m/l) with 12 links.
constexpr double t0 = 1e-9 * 2.5, t1 = 2e-9 * 2.5, t2 = 3e-9 * 2.5;
constexpr double alpha = 2e-6 + 1e-7;
constexpr double beta(double messages) { return 8e-9 * (5 + messages / 12); }

AmgStep step() {
  const Machine machine = small_machine();
  const AmgPlacement placement = small_placement();
  return amg_cycle_paper(small_hierarchy(), placement,
                         AmgCosts(machine, placement, false, Bound::value, nullptr));
}
std::vector<PaperLevel> levels() { return paper_levels(step(), 3); }

Prediction paper(bool overlap) {
  return predict_amg_run(small_machine(), small_hierarchy(), small_placement(), {}, "paper",
                         overlap);
}

TEST(AmgPaper, SmoothingOfEachLevel) {
  const auto times = levels();
  ASSERT_EQ(times.size(), 3U);
  EXPECT_NEAR(times[0].smooth.compute_s, 6 * 1000. / 16 * 7 * t0, 1e-18);
  EXPECT_NEAR(times[1].smooth.compute_s, 6 * 100. / 16 * 20 * t1, 1e-18);
  EXPECT_NEAR(times[2].coarse_solve.compute_s, 6 * 5. / 16 * 5 * t2, 1e-18);
  EXPECT_NEAR(times[0].smooth.network_s, 3 * (4 * alpha + 100 * beta(3 * 8)), 1e-18);
  EXPECT_NEAR(times[1].smooth.network_s, 3 * (7 * alpha + 20 * beta(5 * 8)), 1e-18);
  EXPECT_NEAR(times[2].coarse_solve.network_s, 3 * (3 * alpha + 2 * beta(3 * 4)), 1e-18);
}

TEST(AmgPaper, RestrictionFromAllButTheCoarsest) {
  const auto times = levels();
  EXPECT_NEAR(times[0].restriction.compute_s, 2 * 100. / 16 * 2 * t0, 1e-18);
  EXPECT_NEAR(times[1].restriction.compute_s, 2 * 5. / 16 * 3 * t1, 1e-18);
  EXPECT_NEAR(times[0].restriction.network_s, 5 * alpha + 50 * beta(2 * 8), 1e-18);
  EXPECT_NEAR(times[1].restriction.network_s, 3 * alpha + 10 * beta(1 * 8), 1e-18);
  EXPECT_EQ(times[2].restriction.compute_s, 0);
  EXPECT_EQ(times[2].restriction.network_s, 0);
}

TEST(AmgPaper, InterpolationToAllButTheFinest) {
  const auto times = levels();
  EXPECT_EQ(times[0].interpolation.compute_s, 0);
  EXPECT_EQ(times[0].interpolation.network_s, 0);
  EXPECT_NEAR(times[1].interpolation.compute_s, 2 * 1000. / 16 * 2 * t1, 1e-18);
  EXPECT_NEAR(times[2].interpolation.compute_s, 2 * 100. / 16 * 3 * t2, 1e-18);
  EXPECT_NEAR(times[1].interpolation.network_s, 5 * alpha + 50 * beta(2 * 8), 1e-18);
  EXPECT_NEAR(times[2].interpolation.network_s, 3 * alpha + 10 * beta(1 * 8), 1e-18);
}

TEST(AmgPaper, TermsAreTheLevelsSumsAndAddUp) {
  const Prediction prediction = paper(false);
  double finest_s = 0, total = 0;
  for (const AmgStepOperation& one : step().operations) {
    finest_s += one.level == 0 ? one.network_s(false) : 0;
    total += one.total_s();
  }
  EXPECT_NEAR(amg_term(prediction, "network.finest"), finest_s, 1e-15);
  EXPECT_NEAR(prediction.total_s, total, 1e-15);
  double sum = 0;
  for (const Term& term : prediction.terms) sum += term.seconds;
  EXPECT_NEAR(sum, prediction.total_s, 1e-15);
  EXPECT_EQ(prediction.terms.size(), 6U);
  EXPECT_TRUE(prediction.outside_range.empty());
  EXPECT_NEAR(
      amg_step_seconds(small_machine(), small_hierarchy(), small_placement(), {}, "paper", false),
      prediction.total_s, 1e-15);
}

TEST(AmgPaper, KnowsNoOverlapAndSaysSo) {
  const Prediction off = paper(false), on = paper(true);
  EXPECT_EQ(on.total_s, off.total_s);
  EXPECT_EQ(on.hidden_fraction, 0);
  EXPECT_FALSE(on.overlaps);
  EXPECT_TRUE(on.outside_range.empty());
}

TEST(AmgPaper, PenaltiesOfTableI) {
  const Machine machine = small_machine();
  const auto penalty = [&machine](int ranks, int threads) {
    const AmgPlacement placement{4, 4 * ranks, ranks, threads};
    return AmgCosts(machine, placement, false, Bound::value, nullptr).flop_time(0, 7) / 1e-9;
  };
  EXPECT_NEAR(penalty(2, 1), 1, 1e-12) << "P_OMP(1) = P_SMT(1) = 1";
  EXPECT_NEAR(penalty(1, 2), 2, 1e-12) << "P_OMP(2) alone";
  EXPECT_NEAR(penalty(1, 4), 4, 1e-12) << "one rank: P_SMT(min(1, 2)) = 1";
  EXPECT_NEAR(penalty(2, 2), 2.5, 1e-12);
  EXPECT_NEAR(penalty(4, 1), 1.25, 1e-12) << "P_SMT(2) alone";
  EXPECT_NEAR(penalty(1, 3), 4 / 1.5, 1e-12) << "linear between 2 and 4 threads";
}

TEST(AmgPaper, RefusesThreadsTheMachineDoesNotKnow) {
  const Machine machine = small_machine();
  EXPECT_THROW(AmgCosts(machine, {4, 4, 1, 5}, false, Bound::value, nullptr), BadInput);
  EXPECT_THROW(AmgCosts(machine, {4, 16, 4, 2}, false, Bound::value, nullptr), BadInput)
      << "four threads on a core";
  EXPECT_THROW(predict_amg_run(machine, small_hierarchy(), small_placement(), {}, "best", false),
               BadInput);
}

TEST(AmgPaper, WithoutItsSectionTheMemoryGivesTheTimePerFlop) {
  Machine machine = small_machine();
  machine.sections.erase("amg");
  const AmgPlacement placement{4, 8, 2, 1};
  std::vector<std::string> notes;
  const AmgCosts costs(machine, placement, false, Bound::value, &notes);
  // 20 entries: 20 x 12 + 20 bytes a row for 40 flops at 1 GB/s.
  EXPECT_NEAR(costs.flop_time(1, 20), 260. / 40 * 1e-9, 1e-18);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].starts_with("not calibrated for amg"));
  EXPECT_THROW(AmgCosts(machine, small_placement(), false, Bound::value, nullptr), BadInput);
}

TEST(AmgPaper, LinksOfAndBetweenNodes) {
  Machine machine = small_machine();
  Link shared;
  shared.one_way.latency_s = Quantity::exact(5e-7);
  shared.one_way.bandwidth_bytes_per_s = Quantity::exact(4e9);
  machine.links["shared_memory"] = shared;
  const AmgCosts costs(machine, {1, 4, 4, 1}, false, Bound::value, nullptr);
  EXPECT_NEAR(costs.messages({2, 3, 10, 7}, 4), 3 * 5e-7 + 80 / 4e9, 1e-18)
      << "no hops, no contention within a node";
  machine.links.erase("network");
  EXPECT_NO_THROW(AmgCosts(machine, {1, 4, 4, 1}, false, Bound::value, nullptr));
  EXPECT_THROW(AmgCosts(machine, {2, 4, 2, 1}, false, Bound::value, nullptr), BadInput);
  machine.links.clear();
  const AmgCosts alone(machine, {1, 1, 1, 1}, false, Bound::value, nullptr);
  EXPECT_EQ(alone.messages({2, 3, 10, 7}, 4), 0) << "one process sends nothing";
}

}  // namespace
}  // namespace bellwether
