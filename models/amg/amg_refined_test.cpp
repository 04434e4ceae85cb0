// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>

#include "models/amg/amg_extrapolation.hpp"
#include "models/amg/test_amg.hpp"

namespace bellwether {
namespace {

// As in the paper form's test: t_i x 1.25 x 2, two hops, 12 links.
constexpr double t0 = 1e-9 * 2.5, t1 = 2e-9 * 2.5, t2 = 3e-9 * 2.5;
constexpr double alpha = 2e-6 + 1e-7;
constexpr double beta(double messages) { return 8e-9 * (5 + messages / 12); }

AmgStep step() {
  const Machine machine = small_machine();
  const AmgPlacement placement = small_placement();
  return amg_cycle_refined(small_hierarchy(), placement,
                           AmgCosts(machine, placement, true, Bound::value, nullptr));
}
std::vector<PaperLevel> levels() { return paper_levels(step(), 3); }

Prediction refined(bool overlap, const AmgPlacement& placement = small_placement()) {
  return predict_amg_run(small_machine(), small_hierarchy(), placement, {}, "refined", overlap);
}

TEST(AmgRefined, WorkOfTheActiveProcesses) {
  const auto times = levels();
  EXPECT_NEAR(times[0].smooth.compute_s, 6 * 1000. / 16 * 7 * t0, 1e-18);
  EXPECT_NEAR(times[0].smooth.network_s, 3 * (4 * alpha + 100 * beta(24)), 1e-18);
  EXPECT_NEAR(times[0].restriction.compute_s, 2 * 1000. / 16 * 2 * t0, 1e-18)
      << "every entry of the interpolation";
  EXPECT_NEAR(times[1].restriction.compute_s, 2 * 100. / 16 * 3 * t1, 1e-18);
  EXPECT_NEAR(times[1].interpolation.compute_s, 2 * 1000. / 16 * 2 * t1, 1e-18);
  EXPECT_NEAR(times[2].interpolation.compute_s, 2 * 100. / 16 * 3 * t2, 1e-18);
  EXPECT_NEAR(times[2].interpolation.network_s, 3 * alpha + 10 * beta(8), 1e-18);
}

TEST(AmgRefined, ARowIsOneThreadsWork) {
  AmgHierarchy hierarchy = small_hierarchy();
  hierarchy.levels[1].unknowns = 12;  // on 8 processes of 2 threads
  const Machine machine = small_machine();
  const AmgPlacement placement = small_placement();
  const auto times =
      paper_levels(amg_cycle_refined(hierarchy, placement,
                                     AmgCosts(machine, placement, true, Bound::value, nullptr)),
                   3);
  EXPECT_NEAR(times[1].smooth.compute_s, 6 * 1. * 20 * t1, 1e-18);
}

// Of 1 ns a flop its 7.43 bytes take 0.371 at the 20 GB/s that a thread of two busy cores gets:
// they alone contend for memory, the rest for the core.
TEST(AmgRefined, ContentionForMemoryIsChargedToWhatMemoryTakes) {
  Machine machine = small_machine();
  for (AmgThreads& one : section<AmgParameters>(machine)->threads)
    one.bandwidth_bytes_per_s = Quantity::exact(10 * one.bandwidth_bytes_per_s.value);
  const double memory = (12 + 20. / 7) / 2 / 20;
  const auto nanoseconds = [&](int ranks, int threads, bool refined) {
    const AmgPlacement placement{4, 4 * ranks, ranks, threads};
    return 1e9 * AmgCosts(machine, placement, refined, Bound::value, nullptr).flop_time(0, 7);
  };
  EXPECT_NEAR(nanoseconds(2, 2, true), (1 - memory) * 1.25 + memory * 1.25 * 2, 1e-12);
  EXPECT_NEAR(nanoseconds(2, 2, false), 1.25 * 2, 1e-12);
  // Threads of one rank share cores as ranks do; what they get of memory holds that already.
  EXPECT_NEAR(nanoseconds(1, 4, true), (1 - memory) * 1.25 + memory * 4, 1e-12);
  EXPECT_NEAR(nanoseconds(4, 1, true), nanoseconds(4, 1, false), 1e-12);
}

TEST(AmgRefined, ForkAndJoinOfEachLoop) {
  const auto times = levels();
  // Two loops a product: four products down, one up; 1 us each.
  EXPECT_NEAR(times[0].fork_join_s, 2 * 4e-6, 1e-18);
  EXPECT_NEAR(times[1].fork_join_s, 2 * 5e-6, 1e-18);
  EXPECT_NEAR(times[2].fork_join_s, 2 * 1e-6, 1e-18);
  const AmgPlacement single{4, 8, 2, 1};
  const Machine machine = small_machine();
  for (const AmgStepOperation& one :
       amg_cycle_refined(small_hierarchy(), single,
                         AmgCosts(machine, single, true, Bound::value, nullptr))
           .operations)
    EXPECT_EQ(one.fork_join_s, 0);
}

TEST(AmgRefined, CoarsestLevelIsSolvedDirectly) {
  const auto times = levels();
  EXPECT_EQ(times[2].smooth.compute_s, 0);
  EXPECT_EQ(times[2].smooth.network_s, 0);
  // 5 unknowns on 4 processes: 2/3 125 + 2 25 flops of one thread, two stages of 40 bytes.
  EXPECT_NEAR(times[2].coarse_solve.compute_s, (250. / 3 + 50) * 3e-9 * 1.25, 1e-18);
  EXPECT_NEAR(times[2].coarse_solve.network_s, 2 * (alpha + 5 * 8e-9 * 5), 1e-18);
}

TEST(AmgRefined, OverlapHidesBehindOwnUnknowns) {
  const AmgLevel level = small_hierarchy().levels[0];
  // A row of 7 entries is cbrt(7) wide, a box of 125 unknowns 5: what a stencil loses at the ends.
  const double width = std::cbrt(7.), reach = width - (width * width - 1) / 20;
  const double local = std::pow(reach / width, 3);
  EXPECT_NEAR(local_share(level), local, 1e-12);
  const double residual = 2 * 1000. / 16 * 7 * t0;
  const double restriction = 2 * 1000. / 16 * 2 * t0;
  double hidden = 0, most = 0;
  for (const AmgStepOperation& one : step().operations)
    if (one.level == 0 && one.stage != AmgStage::interpolation) {
      hidden += one.hidden_s(true);
      most += one.stage == AmgStage::relax ? 0 : one.messages.network;
    }
  EXPECT_NEAR(hidden, local * (residual + restriction), 1e-15) << "less than their messages take";
  EXPECT_NEAR(most, 4 * alpha + 100 * beta(24) + 5 * alpha + 50 * beta(16), 1e-15);
  const Prediction off = refined(false), on = refined(true);
  EXPECT_EQ(off.hidden_fraction, 0);
  EXPECT_NEAR(off.total_s - on.total_s, on.hidden_fraction * on.communication_s, 1e-15);
  EXPECT_GE(off.total_s - on.total_s, hidden);
}

TEST(AmgRefined, ReadsTheLinksSegments) {
  Machine machine = small_machine();
  auto& timing = machine.links["network"].one_way;
  timing.segments = {{8, Quantity::exact(1e-6), Quantity::exact(1e9)},
                     {100, Quantity::exact(3e-6), Quantity::exact(2e9)}};
  const AmgCosts segmented(machine, small_placement(), true, Bound::value, nullptr);
  const AmgCosts paper(machine, small_placement(), false, Bound::value, nullptr);
  // 4 messages of 200 bytes: the second segment, and the contention beyond the bare bandwidth.
  const double contention = 800e-9 * (5 + 24. / 12 - 1);
  EXPECT_NEAR(segmented.messages({3, 4, 100, 7}, 8), 4 * (3e-6 + 1e-7 + 200 / 2e9) + contention,
              1e-18);
  EXPECT_NEAR(paper.messages({3, 4, 100, 7}, 8), 4 * (2e-6 + 1e-7) + 100 * beta(24), 1e-18);
}

TEST(AmgRefined, TermsAddUpInBothModes) {
  for (const bool overlap : {false, true}) {
    const Prediction prediction = refined(overlap);
    double sum = 0;
    for (const Term& term : prediction.terms) {
      EXPECT_GE(term.seconds, 0) << term.name;
      sum += term.seconds;
    }
    EXPECT_NEAR(sum, prediction.total_s, 1e-15);
    EXPECT_EQ(prediction.terms.size(), 6U);
    EXPECT_EQ(prediction.hidden_fraction > 0, overlap);
  }
}

}  // namespace
}  // namespace bellwether
