// SPDX-License-Identifier: MIT
// A run that goes wrong is found out, on all ranks alike; one that does not fit is refused before.
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <string>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "miniapps/driver/watched_device_test.hpp"
#include "miniapps/lbm/lbm_geometry.hpp"
#include "miniapps/lbm/lbm_halo.hpp"
#include "miniapps/lbm/lbm_problem.hpp"

namespace bellwether {
namespace {

class LbmVerify : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    watched_.emplace(device());
  }
  [[nodiscard]] WatchedDevice& watched() { return *watched_; }
  static LbmProblem box(const char* precision, const char* geometry = "none") {
    LbmProblem problem;
    problem.cells = {12, 11, 10};
    problem.precision = precision;
    problem.geometry = geometry;
    return problem;
  }
  [[nodiscard]] std::unique_ptr<Case> make_app(const LbmProblem& problem, bool overlap = false) {
    return set_up(make_lbm_case(site_on(watched(), device().backend()), problem, {overlap}));
  }
  /// Adds to one population of the last cell of the highest rank: a pair's, where an even number of
  /// steps was done.
  template <class T>
  void spoil(const Case& app, T change) {
    const Session& session = test_session();
    if (session.rank() != session.size() - 1) return;
    const Decomposition decomposition({12, 11, 10}, app.problem().at("decomposition"), true);
    const LbmLayout layout = lbm_layout(decomposition, session.rank(), sizeof(T));
    const auto lattice =
        std::find_if(watched().allocations.begin(), watched().allocations.end(),
                     [&](const auto& one) { return one.bytes == layout.elements() * sizeof(T); });
    ASSERT_NE(lattice, watched().allocations.end());
    const auto& cells = layout.cells();
    const auto at = own_slot(2, 0) * layout.slot_pitch() +
                    layout.field().at(cells[0] - 1, cells[1] - 1, cells[2] - 1);
    T value = 0;
    T* const place = static_cast<T*>(lattice->memory) + at;
    device().copy(&value, place, sizeof value, stream());
    device().fence(stream());
    value += change;
    device().copy(place, &value, sizeof value, stream());
    device().fence(stream());
  }

 private:
  std::optional<WatchedDevice> watched_;
};

/// Mass that comes from nowhere is seen; what is not finite is named, wherever it is.
TEST_P(LbmVerify, OneWrongPopulationFails) {
  each_precision([this](auto zero) {
    using T = decltype(zero);
    for (const char* geometry : {"none", "sphere"}) {
      for (const T change :
           {T(1e-3), std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::infinity()}) {
        watched().allocations.clear();
        const auto app = make_app(box(sizeof(T) == 4 ? "f32" : "f64", geometry));
        take_steps(*app, 4);
        spoil(*app, change);
        const Verification verified = app->verify();
        EXPECT_FALSE(verified.passed) << change;
        if (!std::isfinite(change)) {
          EXPECT_EQ(verified.what,
                    "values not finite: step 4, rank " + std::to_string(test_session().size() - 1) +
                        ", cell (11, 10, 9), the first of 1; the same steps again gave "
                        "none: a fault of the machine or a race");
        }
        app->restart();
        take_steps(*app, 4);
        EXPECT_TRUE(app->verify().passed) << "the initial state is not renewed";
      }
    }
  });
}

/// The first solid cell, or link, of rank 0 in its lowest bit.
TEST_P(LbmVerify, AFlippedBitOfTheGeometryIsNamed) {
  const auto app = make_app(box("f64", "channel"));
  take_steps(*app, 2);
  ASSERT_TRUE(app->verify().passed);
  std::set<std::string> found;
  unsigned long count = watched().allocations.size();
  MPI_Bcast(&count, 1, MPI_UNSIGNED_LONG, 0, test_session().world());
  for (std::size_t n = 0; n < count; ++n) {
    const auto flip = [&] {
      if (test_session().rank() == 0) flip_first_bit(device(), watched().allocations[n], stream());
    };
    flip();
    const std::string what = app->verify().what;
    flip();
    if (what.starts_with("constant arrays")) found.insert(what);
  }
  EXPECT_EQ(found, (std::set<std::string>{"constant arrays that changed: links on rank 0",
                                          "constant arrays that changed: solid cells on rank 0"}));
}

TEST_P(LbmVerify, AGlanceNowAndThenSeesWhatIsNotFinite) {
  const auto app = make_app(box("f32"));
  take_steps(*app, 2);
  spoil(*app, std::numeric_limits<float>::quiet_NaN());
  EXPECT_FALSE(broken(*app).has_value()) << "not at every step";
  take_steps(*app, 98);
  const auto found = broken(*app);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->passed);
  EXPECT_NE(found->what.find("step 100"), std::string::npos) << found->what;
  EXPECT_NE(found->what.find("the same steps again gave none"), std::string::npos) << found->what;
  app->restart();
  take_steps(*app, 100);
  EXPECT_FALSE(broken(*app).has_value());
}

/// Between plates too, where vortices do not show it.
TEST_P(LbmVerify, LostMessagesFail) {
  if (test_session().size() == 1) GTEST_SKIP() << "one rank sends no messages";
  for (const bool overlap : {false, true}) {
    for (const char* geometry : {"none", "channel"}) {
      const auto app = make_app(box("f64", geometry), overlap);
      take_steps(*app, 1);
      ASSERT_TRUE(app->verify().passed);
      watched().loses_messages = true;
      take_steps(*app, 2);
      watched().loses_messages = false;
      EXPECT_FALSE(app->verify().passed) << geometry << ", overlap " << overlap;
    }
  }
}

TEST_P(LbmVerify, AGeometryWithoutFluidIsRefused) {
  LbmProblem problem = box("f32", "channel");
  problem.cells = {6, 5, 2};
  if (test_session().size() > 2) problem.decomposition = "1x4x1";
  if (test_session().size() == 3) problem.decomposition = "1x3x1";
  try {
    (void)make_app(problem);
    FAIL() << "not refused";
  } catch (const BadInput& error) {
    EXPECT_STREQ(error.what(), "--geometry: channel leaves no fluid among 6 x 5 x 2 cells");
  }
}

TEST_P(LbmVerify, TooLittleMemoryIsRefusedWithTheFiguresBeforeAnyIsTaken) {
  watched().memory = std::size_t{1} << 30;
  LbmProblem problem = box("f64");
  problem.cells = {1000, 1000, 1000};
  try {
    (void)make_app(problem);
    FAIL() << "not refused";
  } catch (const BadEnvironment& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("1.00 GiB are available"), std::string::npos) << message;
    // One lattice of 141.6 GiB of cells: of all ranks that share the device.
    std::smatch found;
    ASSERT_TRUE(std::regex_search(message, found, std::regex("need ([0-9.]+) GiB"))) << message;
    const double lattice = 141.6 * ranks_sharing(test_session(), device()) / test_session().size();
    EXPECT_GE(std::stod(found[1]), lattice);
    EXPECT_LE(std::stod(found[1]), 1.05 * lattice);
  }
  EXPECT_TRUE(watched().allocations.empty());
}

TEST_P(LbmVerify, MemoryIsThatOfOneLatticeItsMaskLinksAndHalos) {
  LbmProblem problem = box("f32", "city");
  problem.cells = {64, 48, 56};
  const auto app = make_app(problem, true);
  const Decomposition decomposition({64, 48, 56}, app->problem().at("decomposition"), true);
  const int rank = test_session().rank();
  const LbmLayout layout = lbm_layout(decomposition, rank, sizeof(float));
  double expected =
      static_cast<double>(layout.elements() * sizeof(float) + layout.field().elements());
  const GridLayout ghosted(layout.cells(), 1);
  std::array<bool, 3> wraps{};
  for (int d = 0; d < 3; ++d) wraps[d] = decomposition.ranks()[d] == 1;
  expected += static_cast<double>(sizeof(LbmLink) *
                                  bounce_links(solid_cells(problem, decomposition, rank, ghosted),
                                               ghosted, layout.field(), wraps)
                                      .size());
  for (const HaloMessage& message : lbm_messages(decomposition, rank, layout, sizeof(float)))
    expected += 2.0 * static_cast<double>(message.bytes);  // the host's copies are not the device's
  double found = 0;
  for (const WatchedDevice::Allocation& one : watched().allocations)
    found += static_cast<double>(one.bytes);
  EXPECT_GE(found, expected);
  EXPECT_LE(found, 1.05 * expected);
}

INSTANTIATE_TEST_SUITE_P(Backends, LbmVerify, every_backend(), backend_in_name);

}  // namespace
}  // namespace bellwether
