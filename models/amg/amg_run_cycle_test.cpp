// SPDX-License-Identifier: MIT
#include "models/amg/amg_run_cycle.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/amg/amg_curve.hpp"
#include "models/amg/test_amg.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

constexpr double call = 1e-6, entry = 1e-9, product = call + entry * 7700;
const AmgPlacement one_node = {
    .nodes = 1, .processes = 4, .ranks_per_node = 4, .threads_per_rank = 1};

std::vector<AmgRunLevel> levels(const Machine& machine, const AmgHierarchy& hierarchy,
                                const AmgPlacement& placement, const AmgVariant& variant = {}) {
  return levels_of(machine, hierarchy, placement, variant, false);
}

TEST(AmgRunCycle, GaussSeidelTakesItsPassDownAndUp) {
  const Machine machine = calibrated_machine();
  const AmgHierarchy hierarchy = told_hierarchy();
  for (const char* relax : {"hybrid-gauss-seidel", "l1-gauss-seidel"})
    EXPECT_NEAR(
        levels(machine, hierarchy, one_node, {.relax = relax, .sweeps = 2})[0].relax.compute_s,
        4 * (1e-6 + 2e-9 * 7700), 1e-15);
}

TEST(AmgRunCycle, OtherThreadsThanCalibratedAreNoted) {
  const auto residual_s = [](int threads, std::vector<std::string>& notes) {
    AmgPlacement placement = one_node;
    placement.threads_per_rank = threads;
    return levels_of(calibrated_machine(), told_hierarchy(), placement, {}, false, &notes)[0]
        .residual.compute_s;
  };
  std::vector<std::string> notes;
  EXPECT_NEAR(residual_s(1, notes), product, 1e-15);
  for (const std::string& note : notes) EXPECT_EQ(note.find("thread"), std::string::npos) << note;
  EXPECT_NEAR(residual_s(8, notes), product, 1e-15);
  EXPECT_EQ(std::count(notes.begin(), notes.end(),
                       "amg.kernels: calibrated with 1 thread of a rank, asked for 8"),
            1);
}

TEST(AmgRunCycle, ThePapersFormDividesByAllThreads) {
  const AmgHierarchy hierarchy = small_hierarchy();
  Machine machine = calibrated_machine();
  section<AmgParameters>(machine)->kernels->threads = 2;
  const AmgPlacement placement{
      .nodes = 1, .processes = 8, .ranks_per_node = 8, .threads_per_rank = 2};
  const auto paper =
      paper_levels(amg_cycle_paper(hierarchy, placement,
                                   AmgCosts(machine, placement, false, Bound::value, nullptr)),
                   hierarchy.levels.size());
  // 125 rows a rank are 62.5 on each of 2 threads, of which calibration had as many.
  EXPECT_NEAR(paper[0].smooth.compute_s, 3 * (call + entry * 125 * 7), 1e-14);
}

TEST(AmgRunCycle, AMixHasTheThreadsOfTheCalibration) {
  Machine machine = calibrated_machine();
  section<AmgParameters>(machine)->kernels->threads = 2;
  const std::vector<AmgMix> mixes = amg_mixes(machine, 4);
  ASSERT_EQ(mixes.size(), 1u);
  EXPECT_EQ(mixes[0].ranks_per_node, 2);
  EXPECT_EQ(mixes[0].threads_per_rank, 2);
}

TEST(AmgRunCycle, AGpusOperationsAreWithoutGaussSeidel) {
  Machine machine = calibrated_machine();
  AmgKernelParameters& kernels = *section<AmgParameters>(machine)->kernels;
  const auto with = levels(machine, told_hierarchy(), one_node, {.relax = "l1-jacobi"});
  kernels.gauss_seidel.clear();
  const auto without = levels(machine, told_hierarchy(), one_node, {.relax = "l1-jacobi"});
  EXPECT_EQ(without[0].relax.compute_s, with[0].relax.compute_s);
  EXPECT_GT(without[1].coarse_solve.compute_s, 0);  // as rows of products
  for (const char* relax : {"hybrid-gauss-seidel", "l1-gauss-seidel"}) try {
      (void)levels(machine, told_hierarchy(), one_node, {.relax = relax});
      ADD_FAILURE() << relax;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("machine small: key /amg/kernels/gauss_seidel: "),
                std::string::npos)
          << error.what();
    }
}

}  // namespace
}  // namespace bellwether
