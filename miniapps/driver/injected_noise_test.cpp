// SPDX-License-Identifier: MIT
#include "miniapps/driver/injected_noise.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/fake_case_test.hpp"
#include "miniapps/driver/run_loop.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

TEST(NoiseLaw, IsReadFromEndToEnd) {
  const NoiseLaw all = read_noise_law("--inject-noise", "exponential:100:1e-3");
  EXPECT_EQ(all.kind, "exponential");
  EXPECT_EQ(all.per_s, 100);
  EXPECT_EQ(all.mean_s, 1e-3);
  EXPECT_EQ(all.rank, -1);
  EXPECT_EQ(read_noise_law("--inject-noise", "constant:0:2.5e-4:3").rank, 3);
  for (const char* wrong :
       {"", "exponential", "exponential:100", "normal:100:1e-3", "exponential:100:1e-3:0:1",
        "exponential:-1:1e-3", "exponential:100:0", "exponential:1e-3s:1", "constant:1:1:-1",
        "constant:1:1:x", "constant:inf:1", "constant:1:nan", "constant::1"}) {
    try {
      (void)read_noise_law("--inject-noise", wrong);
      ADD_FAILURE() << wrong;
    } catch (const BadInput& error) {
      EXPECT_NE(std::string(error.what()).find("--inject-noise: found '"), std::string::npos);
    }
  }
}

TEST(NoiseLaw, IsWhatWaitingIsExpectedFrom) {
  // Rare detours: one rank's own share, and all of the others' waiting.
  const NoiseLaw rare{"constant", 0.1, 1e-3};
  const nlohmann::json four = describe_noise(rare, 4, 1e-3);
  EXPECT_NEAR(four.at("expected_own_s"), 1e-7, 1e-10);
  EXPECT_NEAR(four.at("expected_wait_s"), 3e-7, 1e-9);
  NoiseLaw one = rare;
  one.rank = 2;
  const nlohmann::json alone = describe_noise(one, 4, 1e-3);
  EXPECT_NEAR(alone.at("expected_own_s"), 0.25e-7, 1e-10);
  EXPECT_NEAR(alone.at("expected_wait_s"), 0.75e-7, 1e-10);
  EXPECT_NE(noise_line_of(alone).find("on rank 2"), std::string::npos);
  EXPECT_NE(noise_line_of(four).find("on all ranks"), std::string::npos);
}

double seconds_of_spins(const NoiseLaw& law, int rank, int spins) {
  InjectedNoise noise(law, rank);
  const auto begin = std::chrono::steady_clock::now();
  for (int spin = 0; spin < spins; ++spin) noise.spin(1e-3);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

TEST(InjectedNoise, TakesAtLeastWhatItsLawSays) {
  // 1000 detours of 50 us within five of their standard deviations; a busy machine adds.
  EXPECT_GT(seconds_of_spins({"constant", 1000, 5e-5}, 0, 1000), 0.05 * (1 - 5 / 31.6));
  EXPECT_GT(seconds_of_spins({"exponential", 1000, 5e-5}, 0, 1000), 0.05 * (1 - 5 * 1.41 / 31.6));
}

TEST(InjectedNoise, IsOfTheNamedRankAlone) {
  EXPECT_LT(seconds_of_spins({"constant", 100, 1000., 1}, 0, 100), 1000);
  EXPECT_LT(seconds_of_spins({"constant", 0, 1000.}, 0, 100), 1000);
}

TEST(InjectedNoise, IsATermOfEachStepAndStandsInTheRecord) {
  Heartbeat heartbeat;
  FakeCase app;
  app.step_time = std::chrono::milliseconds(1);
  RunOptions options{.steps = 200};
  options.noise = NoiseLaw{"constant", 500, 1e-3};
  const Record record = run_case(test_session(), app, heartbeat, options, nullptr).record;
  const nlohmann::json& noise = record.result.at("injected_noise");
  EXPECT_EQ(noise.at("rank"), "all");
  EXPECT_GE(noise.at("work_s").get<double>(), 1e-3);
  // A millisecond of work or more in a step has half a detour of one, or more: of 200 steps and
  // five standard deviations.
  EXPECT_GT(noise.at("mean_own_s").get<double>(), 0.5e-3 * (1 - 5 / 10.));
  EXPECT_GE(noise.at("mean_step_s").get<double>(), noise.at("mean_own_s").get<double>());
  EXPECT_EQ(record.measured.terms.at(1).first, "injected");
  EXPECT_TRUE(record.verification.passed);
  options.noise.reset();
  const Record quiet = run_case(test_session(), app, heartbeat, options, nullptr).record;
  EXPECT_FALSE(quiet.result.contains("injected_noise"));
  for (const auto& [term, seconds] : quiet.measured.terms) EXPECT_NE(term, "injected");
}

}  // namespace
}  // namespace bellwether
