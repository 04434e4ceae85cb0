// SPDX-License-Identifier: MIT
#include "models/cholesky/phase_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "models/errors.hpp"

namespace bellwether {
namespace {

/// Paragon's factorization timed by its own equations (Orii, Table 2), in numbers.
std::vector<PhaseSample> paragon(const std::vector<double>& sizes) {
  std::vector<PhaseSample> samples;
  for (const double n : sizes) {
    const double flops20 = n * (n * n - 1) / 3, flops30 = n * n + n, pairs = n * (n - 1) / 2;
    const double one = pairs * 0.94e-6 + flops20 / 33.8e6;
    for (const int ranks : {1, 2, 4, 8, 16, 32, 64}) {
      const double seconds = ranks == 1 ? one : n * 0.4e-6 + one / ranks / 0.983;
      samples.push_back({"do 20", n, ranks, seconds, flops20, pairs, n, false});
      samples.push_back(
          {"do 30", n, ranks, n * 0.0017e-6 + flops30 / 0.38e6, flops30, n, n, false});
      const double bytes = 2 * 4 * n * n * std::log2(ranks);
      samples.push_back(
          {"tgdsun", n, ranks, bytes / 22.6e6 + bytes / 8 / 6.84e6, bytes, n, n, false});
    }
  }
  return samples;
}

const std::vector<PhaseDescription> described = {{"do 20", PhaseRole::parallel, 0.1e9},
                                                 {"do 30", PhaseRole::serial, 0.1e9},
                                                 {"tgdsun", PhaseRole::communication, 200e6}};

TEST(ProgramFit, FindsThePapersTable2AndP) {
  const ProgramFit fit = fit_program(paragon({500, 1000, 1500, 2000, 2500}), described);
  ASSERT_EQ(fit.phases.size(), 3u);
  EXPECT_NEAR(fit.phases[0].efficiency->value, 0.338, 1e-6);
  EXPECT_NEAR(fit.phases[0].start_up_s.value, 0.94e-6, 1e-9);
  EXPECT_NEAR(fit.phases[0].parallel_efficiency->value, 0.983, 1e-6);
  EXPECT_NEAR(fit.phases[0].parallel_start_up_s->value, 0.4e-6, 1e-8);
  EXPECT_NEAR(fit.phases[1].efficiency->value, 0.0038, 1e-8);
  // The additions travel with the bytes here: 8/22.6e6 s and 1/6.84e6 s for each 8 bytes.
  EXPECT_NEAR(fit.phases[2].rate_per_s.value, 1 / (1 / 22.6e6 + 1 / 8. / 6.84e6), 10);
  ASSERT_EQ(fit.sizes.size(), 5u);
  const SizeSummary& last = fit.sizes.back();
  const double do20 = 2500 * 2499 / 2. * 0.94e-6 + 2500 * (6.25e6 - 1) / 3 / 33.8e6;
  const double do30 = 2500 * 0.0017e-6 + 6.2525e6 / 0.38e6;
  EXPECT_EQ(last.problem_size, 2500);
  EXPECT_NEAR(last.one_processor_s, do20 + do30, 1e-3);
  EXPECT_NEAR(last.parallel_fraction, do20 / (do20 + do30), 1e-6);
  EXPECT_NEAR(last.speed_up_bound, (do20 + do30) / do30, 1e-3);
  for (std::size_t k = 1; k < fit.sizes.size(); ++k)
    EXPECT_GT(fit.sizes[k].parallel_fraction, fit.sizes[k - 1].parallel_fraction);
}

TEST(ProgramFit, SummarizesOnlySizesWithEveryKernel) {
  std::vector<PhaseSample> samples = paragon({500, 1000, 1500, 2000});
  std::erase_if(samples,
                [](const auto& one) { return one.phase == "do 30" && one.problem_size == 1000; });
  const ProgramFit fit = fit_program(samples, described);
  ASSERT_EQ(fit.sizes.size(), 3u);
  EXPECT_EQ(fit.sizes[1].problem_size, 1500);
}

TEST(ProgramFit, WithoutSerialKernelTheBoundIsInfinite) {
  std::vector<PhaseSample> samples = paragon({500, 1000, 1500});
  std::erase_if(samples, [](const auto& one) { return one.phase != "do 20"; });
  const ProgramFit fit = fit_program(samples, std::vector{described[0]});
  EXPECT_EQ(fit.sizes.at(0).parallel_fraction, 1);
  EXPECT_EQ(fit.sizes.at(0).speed_up_bound, std::numeric_limits<double>::infinity());
}

TEST(ProgramFit, RefusesPhasesWithoutRoleOrSamples) {
  const std::vector<PhaseSample> samples = paragon({500, 1000, 1500});
  EXPECT_THROW(fit_program(samples, std::vector{described[0]}), BadInput);
  std::vector<PhaseDescription> more = described;
  more.push_back({"do 40", PhaseRole::serial, 0});
  EXPECT_THROW(fit_program(samples, more), BadInput);
}

}  // namespace
}  // namespace bellwether
