// SPDX-License-Identifier: MIT
// The result depends on nothing but the problem: not on ranks, decomposition, overlap, or the
// halo's path.
#include "miniapps/lbm/lbm_problem.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/counted_messages_test.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "miniapps/driver/watched_device_test.hpp"
#include "miniapps/lbm/lbm_reference_test.hpp"
#include "models/stencil/stencil_core.hpp"

namespace bellwether {
namespace {

constexpr int steps = 7;

LbmProblem box(std::array<long long, 3> cells, const char* geometry, const char* boundary) {
  LbmProblem problem;
  problem.cells = cells;
  problem.geometry = geometry;
  problem.boundary = boundary;
  problem.tau = 0.7;
  return problem;
}

/// Scattered obstacles, a file of this rank's own.
class Rubble {
 public:
  explicit Rubble(std::array<long long, 3> cells)
      : path_(fmt::format("lbm-rubble-{}.raw", getpid())) {
    Random random(5);
    std::ofstream file(path_, std::ios::binary);
    for (long long c = 0; c < cells[0] * cells[1] * cells[2]; ++c)
      file.put(random.below(6) == 0 ? '\1' : '\0');
  }
  ~Rubble() { unlink(path_.c_str()); }
  Rubble(const Rubble&) = delete;
  Rubble& operator=(const Rubble&) = delete;
  [[nodiscard]] const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

class LbmCase : public BackendTest {
 protected:
  void expect_one_result(LbmProblem problem) {
    each_precision([&](auto zero) {
      using T = decltype(zero);
      problem.precision = sizeof(T) == 4 ? "f32" : "f64";
      SCOPED_TRACE(fmt::format("{} {} {}", problem.geometry, problem.boundary, problem.cells[2]));
      LbmReference<T> reference(device(), problem);
      for (int s = 0; s < steps; ++s) reference.step();
      const std::uint64_t expected = reference.fingerprint();
      for (const auto& ranks : factorizations(test_session().size(), problem.grid()))
        for (const bool overlap : {false, true})
          for (const char* halo : {"staged", "direct"}) {
            if (!device().is_host() && std::string(halo) == "direct") continue;
            problem.decomposition = fmt::format("{}x{}x{}", ranks[0], ranks[1], ranks[2]);
            expect(problem, {overlap, halo}, expected);
          }
    });
  }
  void expect(const LbmProblem& problem, const StencilRunVariant& variant,
              std::uint64_t fingerprint) {
    SCOPED_TRACE(
        fmt::format("{}, overlap {}, {}", problem.decomposition, variant.overlap, variant.halo));
    const auto app = set_up(make_lbm_case(site_on(device(), device().backend()), problem, variant));
    take_steps(*app, steps);
    const nlohmann::json result = app->result();
    EXPECT_EQ(app->fingerprint(), fingerprint);
    EXPECT_EQ(result.at("steps"), steps);
    const Verification verified = app->verify();
    EXPECT_TRUE(verified.passed) << verified.what << " " << verified.value << " above "
                                 << verified.tolerance;
  }
};

TEST_P(LbmCase, OneResultAtTinySizes) {
  for (const char* boundary : {"periodic", "walls"}) {
    expect_one_result(box({1, 2, 4}, "none", boundary));
    expect_one_result(box({4, 1, 1}, "none", boundary));
    expect_one_result(box({3, 4, 2}, "none", boundary));
  }
}

TEST_P(LbmCase, OneResultAtOddSizes) {
  expect_one_result(box({17, 13, 11}, "none", "periodic"));
  expect_one_result(box({17, 13, 11}, "none", "walls"));
  expect_one_result(box({7, 5, 9}, "channel", "periodic"));
}

TEST_P(LbmCase, OneResultAmongObstacles) {
  const std::array<long long, 3> cells{19, 9, 12};
  const Rubble rubble(cells);
  expect_one_result(box(cells, rubble.path(), "periodic"));
  expect_one_result(box(cells, rubble.path(), "walls"));
  expect_one_result(box({18, 17, 16}, "sphere", "periodic"));
  expect_one_result(box({21, 14, 13}, "city", "walls"));
}

TEST_P(LbmCase, OneResultWithForceDriftAndEddies) {
  LbmProblem problem = box({11, 12, 10}, "none", "periodic");
  problem.drift = {0.01, 0.02, -0.01};
  expect_one_result(problem);
  problem.force = {1e-5, 2e-5, -3e-5};
  problem.les = 0.17;
  expect_one_result(problem);
}

TEST_P(LbmCase, OneResultWhereTheInteriorIsCutInParts) {
  expect_one_result(box({4, 70, 5}, "channel", "periodic"));
  expect_one_result(box({5, 4, 67}, "none", "walls"));
}

/// A device beside the host goes another way about a step: streams, events, copies beside kernels.
TEST_P(LbmCase, OneResultOnADeviceBesideTheHost) {
  LbmProblem problem = box({12, 11, 13}, "sphere", "walls");
  LbmReference<float> reference(device(), problem);
  for (int s = 0; s < steps; ++s) reference.step();
  const std::uint64_t expected = reference.fingerprint();
  WatchedDevice beside(device());
  beside.pool = "beside the host";
  for (const bool overlap : {false, true}) {
    const auto app = set_up(make_lbm_case(site_on(beside, device().backend()), problem, {overlap}));
    take_steps(*app, steps);
    EXPECT_EQ(app->fingerprint(), expected) << "overlap " << overlap;
  }
}

/// However many parts and neighbours: 42 and 18 of 2x2x2 ranks. Without more said only a GPU's
/// messages are copied.
TEST_P(LbmCase, AStepPacksUnpacksAndCopiesEachWayOnce) {
  const LbmProblem problem = box({12, 11, 10}, "sphere", "periodic");
  for (const bool on_host : {true, false}) {
    WatchedDevice watched(device());
    if (!on_host) watched.pool = "beside the host";
    const int copies = watched.is_host() ? 0 : 2;
    for (const bool overlap : {false, true}) {
      const auto app =
          set_up(make_lbm_case(site_on(watched, device().backend()), problem, {overlap}));
      for (int step = 0; step < 3; ++step) {
        watched.done = {};
        take_steps(*app, 1);
        const bool alone = test_session().size() == 1;
        EXPECT_EQ(watched.done,
                  alone ? WatchedDevice::Done{}
                        : (WatchedDevice::Done{.packs = 1, .unpacks = 1, .copies = copies}))
            << "overlap " << overlap;
      }
    }
  }
}

TEST_P(LbmCase, RestartGivesTheSameRunAgain) {
  const auto app = set_up(make_lbm_case(site_on(device(), device().backend()),
                                        box({12, 11, 10}, "sphere", "periodic"), {true}));
  std::vector<nlohmann::json> results;
  for (int run = 0; run < 2; ++run) {
    app->restart();
    take_steps(*app, steps);
    results.push_back(app->result());
    EXPECT_TRUE(app->verify().passed);
    (void)bare_communication(*app);
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST_P(LbmCase, ProbesLeaveTheStateAsItWas) {
  const auto app = set_up(make_lbm_case(site_on(device(), device().backend()),
                                        box({12, 11, 10}, "sphere", "periodic"), {}));
  take_steps(*app, steps);
  const nlohmann::json before = app->result();
  EXPECT_GT(make_probe(*app, nullptr)->measure(), 0);
  EXPECT_EQ(make_probe(*app, nullptr)->measure_core(), 0) << "not calibrated";
  Machine machine;
  machine.layout.ranks_per_node = test_session().ranks_on_node();
  StencilCore core{"lbm", "f32", Quantity::exact(1e-8), Quantity::exact(0), Quantity::exact(0)};
  core.probed_cells_per_s = Quantity::exact(1e8);
  set_section(machine, StencilCores{{core}});
  const auto probe = make_probe(*app, &machine);
  EXPECT_EQ(probe->measure_core() > 0, device().is_host());
  EXPECT_EQ(probe->calibrated_core(), device().is_host() ? 1e8 : 0);
  EXPECT_EQ(app->result(), before);
  take_steps(*app, 1);
  EXPECT_TRUE(app->verify().passed);
}

INSTANTIATE_TEST_SUITE_P(Backends, LbmCase, every_backend(), backend_in_name);

/// The Workload that the models are given is what the app really sends.
TEST(LbmMessages, AreThoseOfTheWorkload) {
  const Session& session = test_session();
  const auto device = make_device("kokkos", session.local_rank());
  LbmProblem problem;
  problem.cells = {7, 6, 5};
  for (const char* boundary : {"periodic", "walls"}) {
    for (const char* precision : {"f32", "f64"}) {
      for (const auto& ranks : factorizations(session.size(), {7, 6, 5})) {
        problem.boundary = boundary;
        problem.precision = precision;
        problem.decomposition = fmt::format("{}x{}x{}", ranks[0], ranks[1], ranks[2]);
        const Decomposition decomposition({7, 6, 5}, ranks, problem.periodic());
        for (const bool overlap : {false, true}) {
          const StencilRunVariant variant{overlap};
          const RankWorkload workload =
              stencil_workload(lbm_stencil(problem), decomposition, session.rank(),
                               stencil_variant(problem, variant, "in_place"));
          const auto app = set_up(make_lbm_case(site_on(*device, "kokkos"), problem, variant));
          const SentMessages sent = sent_by([&] { take_steps(*app, 1); });
          EXPECT_EQ(sent, messages_of(workload)) << problem.decomposition;
          EXPECT_EQ(bare_communication(*app).has_value(), session.size() > 1);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bellwether
