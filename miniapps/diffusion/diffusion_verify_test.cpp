// SPDX-License-Identifier: MIT
// A run that goes wrong is found out, on all ranks alike; one that does not fit is refused before.
#include <limits>
#include <optional>
#include <regex>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/comm/device_checks.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/diffusion/diffusion_problem.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "miniapps/driver/watched_device_test.hpp"
#include "miniapps/stencil/halo_messages.hpp"

namespace bellwether {
namespace {

class DiffusionVerify : public BackendTest {
 protected:
  void SetUp() override {
    BackendTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    watched_.emplace(device());
  }
  [[nodiscard]] WatchedDevice& watched() { return *watched_; }
  [[nodiscard]] std::unique_ptr<Case> make_app(const char* precision, bool overlap = false) {
    const DiffusionProblem problem{{12, 11, 10}, precision, "auto", "periodic"};
    return set_up(make_diffusion_case(site_on(watched(), device().backend()), problem, {overlap}));
  }
  /// The two fields are what an app allocates first.
  template <class T>
  [[nodiscard]] std::vector<T> download(int field) {
    std::vector<T> values(watched().allocations[field].bytes / sizeof(T));
    device().copy(values.data(), watched().allocations[field].memory, values.size() * sizeof(T),
                  stream());
    device().fence(stream());
    return values;
  }
  template <class T>
  void upload(int field, const std::vector<T>& values) {
    device().copy(watched().allocations[field].memory, values.data(), values.size() * sizeof(T),
                  stream());
    device().fence(stream());
  }
  /// Changes the last cell of the highest rank, in both fields since either may be the newer one.
  template <class T>
  void spoil(const Case& app, T change) {
    if (test_session().rank() != test_session().size() - 1) return;
    const Decomposition decomposition({12, 11, 10}, app.problem().at("decomposition"), true);
    const GridLayout layout(decomposition.local_cells(test_session().rank()), sizeof(T));
    const auto& cells = layout.cells();
    for (int field = 0; field < 2; ++field) {
      std::vector<T> values = download<T>(field);
      ASSERT_EQ(values.size(), layout.elements());
      values[layout.at(cells[0] - 1, cells[1] - 1, cells[2] - 1)] += change;
      upload(field, values);
    }
  }

 private:
  std::optional<WatchedDevice> watched_;
};

TEST_P(DiffusionVerify, OneWrongCellFails) {
  each_precision([this](auto zero) {
    using T = decltype(zero);
    for (const T change : {T(sizeof(T) == 4 ? 4e-6 : 4e-14), std::numeric_limits<T>::quiet_NaN(),
                           std::numeric_limits<T>::infinity()}) {
      watched().allocations.clear();
      const auto app = make_app(sizeof(T) == 4 ? "f32" : "f64");
      take_steps(*app, 3);
      ASSERT_TRUE(app->verify().passed);
      spoil(*app, change);
      const Verification verified = app->verify();
      EXPECT_FALSE(verified.passed) << change;
      EXPECT_FALSE(verified.value <= verified.tolerance);
      app->restart();
      take_steps(*app, 3);
      EXPECT_TRUE(app->verify().passed) << "the initial state is not renewed";
    }
  });
}

TEST_P(DiffusionVerify, AStepThatWasCountedAndNotTakenFails) {
  each_precision([this](auto zero) {
    using T = decltype(zero);
    watched().allocations.clear();
    const auto app = make_app(sizeof(T) == 4 ? "f32" : "f64");
    take_steps(*app, 3);
    const std::vector<T> before[] = {download<T>(0), download<T>(1)};
    take_steps(*app, 1);
    const int newer = same_bits(before[0], download<T>(0)) ? 1 : 0;
    ASSERT_TRUE(same_bits(before[1 - newer], download<T>(1 - newer)));
    upload(newer, before[1 - newer]);
    EXPECT_FALSE(app->verify().passed);
  });
}

TEST_P(DiffusionVerify, LostMessagesFail) {
  if (test_session().size() == 1) GTEST_SKIP() << "one rank sends no messages";
  for (const bool overlap : {false, true}) {
    const auto app = make_app("f32", overlap);
    take_steps(*app, 1);
    ASSERT_TRUE(app->verify().passed);
    watched().loses_messages = true;
    take_steps(*app, 2);
    watched().loses_messages = false;
    EXPECT_FALSE(app->verify().passed) << "overlap " << overlap;
  }
}

TEST_P(DiffusionVerify, TooLittleMemoryIsRefusedWithTheFiguresBeforeAnyIsTaken) {
  watched().memory = std::size_t{1} << 30;
  const DiffusionProblem problem{{2000, 2000, 2000}, "f64", "auto", "periodic"};
  try {
    make_diffusion_case(site_on(watched(), device().backend()), problem, {});
    FAIL() << "not refused";
  } catch (const BadEnvironment& error) {
    const std::string message = error.what();
    EXPECT_NE(message.find("1.00 GiB are available"), std::string::npos) << message;
    // Two fields of 59.6 GiB of cells, and a little for halos: of all ranks that share the device.
    std::smatch found;
    ASSERT_TRUE(std::regex_search(message, found, std::regex("need ([0-9.]+) GiB"))) << message;
    const double fields = 119.2 * ranks_sharing(test_session(), device()) / test_session().size();
    EXPECT_GE(std::stod(found[1]), fields);
    EXPECT_LE(std::stod(found[1]), 1.05 * fields);
  }
  EXPECT_TRUE(watched().allocations.empty());
}

TEST_P(DiffusionVerify, StoresAreThoseAskedForOrRefusedBeforeMemoryIsTaken) {
  const DiffusionProblem problem{{12, 11, 10}, "f32", "auto", "periodic"};
  const auto recorded = [&](const char* asked) {
    return set_up(make_diffusion_case(site_on(watched(), device().backend()), problem,
                                      {false, "staged", asked}))
        ->variant()
        .at("stores");
  };
  for (const Stores stores : device().store_kinds())
    EXPECT_EQ(recorded(name_of(stores)), name_of(stores));
  watched().stores = {Stores::cached};
  EXPECT_EQ(recorded("auto"), "cached");
  EXPECT_EQ(recorded("cached"), "cached");
  watched().allocations.clear();
  EXPECT_THROW(recorded("streaming"), BadEnvironment);
  EXPECT_TRUE(watched().allocations.empty());
}

TEST_P(DiffusionVerify, MemoryIsWithinAFewPercentOfTwoFieldsAndTheHalos) {
  const DiffusionProblem problem{{64, 48, 56}, "f32", "auto", "periodic"};
  const auto app = set_up(
      make_diffusion_case(site_on(watched(), device().backend()), problem, {true, "staged"}));
  const Decomposition decomposition({64, 48, 56}, app->problem().at("decomposition"), true);
  const int rank = test_session().rank();
  const GridLayout layout(decomposition.local_cells(rank), sizeof(float));
  double expected = 2.0 * static_cast<double>(layout.elements()) * sizeof(float);
  for (const HaloMessage& message : face_messages(decomposition, rank, layout, sizeof(float), true))
    expected += 2.0 * static_cast<double>(message.bytes);  // the host's copies are not the device's
  double found = 0;
  for (const WatchedDevice::Allocation& one : watched().allocations)
    found += static_cast<double>(one.bytes);
  EXPECT_GE(found, expected);
  EXPECT_LE(found, 1.05 * expected);
}

INSTANTIATE_TEST_SUITE_P(Backends, DiffusionVerify, every_backend(), backend_in_name);

}  // namespace
}  // namespace bellwether
