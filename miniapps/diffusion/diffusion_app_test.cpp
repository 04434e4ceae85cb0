// SPDX-License-Identifier: MIT
// The result depends on nothing but the problem: not on ranks, decomposition, overlap, the halo's
// path, the kind of stores or the backend.
#include "miniapps/diffusion/diffusion_problem.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numbers>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/counted_messages_test.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/diffusion/diffusion_plain_test.hpp"
#include "miniapps/driver/take_steps_test.hpp"

namespace bellwether {
namespace {

constexpr int steps = 5;  // odd: the state ends in the other field

/// Every combination of decomposition, overlap, halo and stores that the ranks and backend allow,
/// and each decomposition with what a trial chooses.
template <class Check>
void each_way(const DiffusionProblem& problem, Device& device, const Check& check) {
  bool tried = false;
  for (const auto& ranks : factorizations(test_session().size(), problem.grid())) {
    DiffusionProblem divided = problem;
    divided.decomposition = fmt::format("{}x{}x{}", ranks[0], ranks[1], ranks[2]);
    for (const bool overlap : {false, true}) {
      for (const char* halo : {"staged", "direct"}) {
        if (!device.is_host() && std::string(halo) == "direct") continue;  // MPI may not know how
        for (const char* stores : {"cached", "streaming", "auto"}) {
          // What is chosen by trial, in its time, is one of the others: once.
          if (std::string(stores) == "auto" && (!overlap || std::exchange(tried, true))) continue;
          const StencilRunVariant variant{overlap, halo, stores, "roofline"};
          SCOPED_TRACE(
              fmt::format("{}, overlap {}, {}, {}", divided.decomposition, overlap, halo, stores));
          check(divided, variant);
        }
      }
    }
  }
}

class DiffusionCase : public BackendTest {
 protected:
  template <class T>
  void expect_the_plain_loops_bits(const DiffusionProblem& problem) {
    PlainDiffusion<T> plain(problem);
    for (int s = 0; s < steps; ++s) plain.step();
    const std::uint64_t expected = plain.fingerprint();
    each_way(
        problem, device(), [&](const DiffusionProblem& divided, const StencilRunVariant& variant) {
          const auto app =
              set_up(make_diffusion_case(site_on(device(), device().backend()), divided, variant));
          Heartbeat heartbeat;
          PhaseClock clock(heartbeat);
          for (int s = 0; s < steps; ++s) app->step(clock);
          app->finish(clock);
          const nlohmann::json result = app->result();
          EXPECT_EQ(app->fingerprint(), expected);
          EXPECT_EQ(result.at("steps"), steps);
          const Verification verified = app->verify();
          EXPECT_TRUE(verified.passed) << verified.value << " above " << verified.tolerance;
        });
  }

  void expect_the_plain_loops_bits_at(std::array<long long, 3> cells) {
    for (const char* boundary : {"periodic", "dirichlet"}) {
      SCOPED_TRACE(fmt::format("{}x{}x{} {}", cells[0], cells[1], cells[2], boundary));
      expect_the_plain_loops_bits<float>({cells, "f32", "auto", boundary});
      expect_the_plain_loops_bits<double>({cells, "f64", "auto", boundary});
    }
  }
};

TEST_P(DiffusionCase, BitsOfThePlainLoopAtTinySizes) {
  expect_the_plain_loops_bits_at({1, 1, 1});
  expect_the_plain_loops_bits_at({1, 2, 3});
  expect_the_plain_loops_bits_at({4, 1, 2});
  expect_the_plain_loops_bits_at({5, 7, 3});
}

TEST_P(DiffusionCase, BitsOfThePlainLoopAtOddSizes) {
  expect_the_plain_loops_bits_at({17, 13, 11});
}

TEST_P(DiffusionCase, BitsOfThePlainLoopBeyondACacheLine) {
  expect_the_plain_loops_bits_at({33, 18, 20});
}

TEST_P(DiffusionCase, BitsOfThePlainLoopWhereTheInteriorIsCutInParts) {
  expect_the_plain_loops_bits_at({5, 4, 131});
  expect_the_plain_loops_bits_at({4, 140, 5});
}

/// The factor per step is the scheme's own, 1 - 2 sum s (1 - cos angle).
TEST_P(DiffusionCase, TheModeDecaysByTheSchemesFactor) {
  const DiffusionProblem problem{{17, 13, 20}, "f64", "auto", "periodic"};
  double factor = 1;
  const double s[] = {0.11, 0.1, 0.09};
  for (int d = 0; d < 3; ++d) {
    const auto cells = static_cast<double>(problem.cells[d]);
    factor -= 2 * s[d] * (1 - std::cos(2 * std::numbers::pi / cells));
  }
  PlainDiffusion<double> plain(problem);
  EXPECT_LT(plain.largest_error(1), 1e-15);
  for (int n = 0; n < steps; ++n) plain.step();
  EXPECT_LT(plain.largest_error(std::pow(factor, steps)), 1e-14);
  EXPECT_GT(plain.largest_error(std::pow(factor, steps - 1)), 1e-3);

  const auto app = set_up(make_diffusion_case(site_on(device(), device().backend()), problem, {}));
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  for (int n = 0; n < steps; ++n) app->step(clock);
  app->finish(clock);
  EXPECT_NEAR(app->result().at("amplitude"), std::pow(factor, steps), 1e-12);
  EXPECT_LT(app->verify().value, 1e-14);
}

TEST_P(DiffusionCase, RestartGivesTheSameRunAgain) {
  const DiffusionProblem problem{{9, 8, 7}, "f32", "auto", "dirichlet"};
  std::vector<nlohmann::json> results;
  const auto app = set_up(
      make_diffusion_case(site_on(device(), device().backend()), problem, StencilRunVariant{true}));
  for (int run = 0; run < 2; ++run) {
    app->restart();
    Heartbeat heartbeat;
    PhaseClock clock(heartbeat);
    for (int s = 0; s < steps; ++s) app->step(clock);
    app->finish(clock);
    results.push_back(app->result());
  }
  for (const nlohmann::json& result : results) EXPECT_EQ(result, results[0]);
}

INSTANTIATE_TEST_SUITE_P(Backends, DiffusionCase, every_backend(), backend_in_name);

/// The Workload that the models are given is what the app really sends.
TEST(DiffusionMessages, AreThoseOfTheWorkload) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  for (const char* boundary : {"periodic", "dirichlet"}) {
    for (const char* precision : {"f32", "f64"}) {
      for (const auto& ranks : factorizations(session.size(), {7, 6, 5})) {
        const DiffusionProblem problem{
            {7, 6, 5}, precision, fmt::format("{}x{}x{}", ranks[0], ranks[1], ranks[2]), boundary};
        const Decomposition decomposition({7, 6, 5}, ranks, problem.periodic());
        for (const bool overlap : {false, true}) {
          for (const char* halo : {"staged", "direct"}) {
            const StencilRunVariant variant{overlap, halo, "cached"};
            const RankWorkload workload =
                stencil_workload(diffusion_stencil(), decomposition, session.rank(),
                                 stencil_variant(problem, variant, "cached"));
            const auto app =
                set_up(make_diffusion_case(site_on(*device, "kokkos"), problem, variant));
            const SentMessages sent = sent_by([&] { take_steps(*app, 1); });
            EXPECT_EQ(sent, messages_of(workload)) << problem.decomposition;
            EXPECT_EQ(bare_communication(*app).has_value(), session.size() > 1);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
