// SPDX-License-Identifier: MIT
// Cases as a run drives them, and matrices that no solve gets along with.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/amg/amg_case.hpp"
#include "miniapps/amg/amg_result.hpp"
#include "miniapps/amg/hypre/hypre_library.hpp"
#include "miniapps/amg/hypre/hypre_solver.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/options.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "models/amg/amg_hierarchy.hpp"
#include "models/amg/test_amg.hpp"
#include "models/machine/machine_file.hpp"

namespace bellwether {
namespace {

class AmgTest : public testing::Test {
 protected:
  [[nodiscard]] std::unique_ptr<Case> made(const AmgOptions& options, bool overlap = true) {
    return make_amg_case(site(), options, overlap,
                         stencil_matrix(options, test_session().rank(), test_session().size()));
  }
  [[nodiscard]] std::unique_ptr<Case> made(std::unique_ptr<AmgRows> rows,
                                           const AmgOptions& options = {}) {
    const double entries = 100. * static_cast<double>(rows->rows());
    return make_amg_case(site(), options, true, {std::move(rows), "rows", "rows", entries});
  }
  [[nodiscard]] CaseSite site() { return site_on(backend_.device(), "kokkos"); }
  static void set_up(Case& subject) {
    Heartbeat heartbeat;
    PhaseClock clock(heartbeat);
    subject.setup(clock);
  }

 private:
  TestBackend backend_{"kokkos"};
};

AmgOptions options_of(std::array<long long, 3> cells) {
  AmgOptions options;
  options.cells = cells;
  return options;
}

TEST_F(AmgTest, VerifiesEverySolve) {
  for (const char* solver : {"amg", "pcg"})
    for (const bool overlap : {false, true})
      for (const char* relax : {"hybrid-gauss-seidel", "l1-jacobi"}) {
        AmgOptions options = options_of({15, 14, 13});
        options.solver = solver;
        options.relax = relax;
        const auto subject = made(options, overlap);
        set_up(*subject);
        take_steps(*subject, 3);
        const Verification first = subject->verify();
        EXPECT_TRUE(first.passed) << first.what << ' ' << first.value;
        EXPECT_TRUE(first.what.starts_with("relative residual after ")) << first.what;
        subject->restart();
        take_steps(*subject, 2);
        EXPECT_TRUE(subject->verify().passed) << subject->verify().what;
        take_steps(*subject, 60);  // beyond the tolerance
        const Verification beyond = subject->verify();
        EXPECT_TRUE(beyond.passed) << beyond.what << ' ' << beyond.value;
        EXPECT_FALSE(broken(*subject).has_value());
        const auto bare = bare_communication(*subject);
        EXPECT_EQ(bare.has_value(), test_session().size() > 1);
        const nlohmann::json result = subject->result();
        EXPECT_GT(result.at("cycles").get<int>(), 3);
        EXPECT_LT(result.at("residual").get<double>(), 1e-8);
        EXPECT_LT(result.at("error").get<double>(), 1e-6);
        EXPECT_GT(result.at("figure_of_merit").at("value").get<double>(), 0);
        EXPECT_EQ(result.at("levels").size(), result.at("hierarchy").at("levels").size());
        EXPECT_TRUE(result.at("levels").back().contains("coarse_solve"));
        EXPECT_FALSE(result.at("levels").front().contains("coarse_solve"));
        EXPECT_GT(subject->work().bytes, 0);
        EXPECT_EQ(subject->problem().at("rows"), 15 * 14 * 13);
        EXPECT_EQ(subject->variant().at("overlap"), on_or_off(overlap));
      }
}

// Of the options that a command line gave each holds, on a GPU too.
TEST(AmgOptions, OnAGpuAreWhatItsHypreHas) {
  AmgOptions plain;
  Options options;
  plain.add_to(options);
  plain.choose_for_gpu(options);
  EXPECT_EQ(missing_on_gpu(plain, plain.overlap.modes().front()), "");
  EXPECT_EQ(plain.overlap.modes().size(), 1U);
  EXPECT_EQ(amg_variant(plain, true).at("coarsening"), "pmis");
  EXPECT_EQ(amg_variant(plain, true).at("relax"), "l1-jacobi");
  for (const char* one : {"--coarsening", "--relax", "--overlap"}) {
    AmgOptions asked;
    Options given;
    asked.add_to(given);
    for (Option& option : given.all())
      if (option.names == one) option.count = 1;
    asked.choose_for_gpu(given);
    EXPECT_EQ(asked.coarsening == "hmis", one == std::string("--coarsening"));
    EXPECT_EQ(asked.relax == "hybrid-gauss-seidel", one == std::string("--relax"));
    EXPECT_EQ(asked.overlap.modes().size() == 2, one == std::string("--overlap"));
  }
}

// What a suite asks for exists on a GPU: its other options are then the GPU's defaults.
TEST(AmgOptions, OfSuitesAreWhatAGpuHas) {
  int found = 0;
  for (const auto& file : std::filesystem::directory_iterator(BELLWETHER_SUITES)) {
    if (file.path().extension() != ".json") continue;
    const nlohmann::json suite = nlohmann::json::parse(std::ifstream(file.path()));
    for (const nlohmann::json& one : suite.at("cases")) {
      if (one.at("app") != "amg") continue;
      ++found;
      AmgOptions asked;
      Options options;
      asked.add_to(options);
      const auto words = one.value("options", nlohmann::json::object());
      for (const auto& [name, value] : words.items()) {
        const auto option = std::find_if(
            options.all().begin(), options.all().end(),
            [&, given = "--" + name](const Option& known) { return known.names == given; });
        ASSERT_NE(option, options.all().end()) << file.path() << ": " << name;
        *std::get<std::string*>(option->target) = value.get<std::string>();
        option->count = 1;
      }
      asked.choose_for_gpu(options);
      for (const bool overlap : asked.overlap.modes())
        EXPECT_EQ(missing_on_gpu(asked, overlap), "") << file.path() << ": " << one;
    }
  }
  EXPECT_GE(found, 4);
}

TEST(AmgResult, AGpuMayDifferFromHypresSolveByRounding) {
  const AmgDifference none, rounding{7, 3e-15}, wrong{7, 1e-11};
  for (const bool on_gpu : {false, true}) {
    EXPECT_TRUE(beside_hypres_solve(none, on_gpu).passed);
    EXPECT_EQ(beside_hypres_solve(none, on_gpu).tolerance, 0);
    EXPECT_EQ(beside_hypres_solve(rounding, on_gpu).passed, on_gpu);
    EXPECT_FALSE(beside_hypres_solve(wrong, on_gpu).passed);
    EXPECT_FALSE(beside_hypres_solve({1, std::nan("")}, on_gpu).passed);
  }
  const Verification told = beside_hypres_solve(rounding, true);
  EXPECT_EQ(told.value, 3e-15);
  EXPECT_EQ(told.tolerance, 1e-12);
  EXPECT_NE(told.what.find("not the same to the bit"), std::string::npos) << told.what;
}

TEST_F(AmgTest, SolvesForARightHandSideOfOnesWhoseSolutionNobodyKnows) {
  AmgOptions options = options_of({15, 14, 13});
  options.right_hand_side = "ones";
  const auto subject = made(options);
  set_up(*subject);
  const Verification solved = subject->verify();
  EXPECT_TRUE(solved.passed) << solved.what << ' ' << solved.value;
  EXPECT_FALSE(broken(*subject).has_value());
  EXPECT_FALSE(subject->result().contains("error"));
  EXPECT_EQ(subject->problem().at("right_hand_side"), "ones");
}

TEST_F(AmgTest, TermsAreThoseOfTheGroups) {
  AmgOptions options = options_of({20, 20, 20});
  options.solver = "pcg";
  const auto subject = made(options);
  set_up(*subject);
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  subject->step(clock);
  subject->finish(clock);
  std::vector<std::string> names;
  for (const auto& phase : clock.phases()) {
    names.push_back(phase.name);
    EXPECT_GE(phase.seconds, 0) << phase.name;
  }
  const bool is_alone = test_session().size() == 1;
  const std::size_t levels = subject->result().at("hierarchy").at("levels").size();
  std::vector<std::string> expected;
  for (std::size_t l = 0; l < levels; ++l)
    for (const char* kind : {"compute.", "network."}) {
      const std::string name = kind + amg_group(l, levels);
      const bool is_new = std::find(expected.begin(), expected.end(), name) == expected.end();
      if (is_new && (!is_alone || name.starts_with("compute."))) expected.push_back(name);
    }
  expected.push_back("compute.krylov");
  if (!is_alone) expected.push_back("reduce");
  EXPECT_EQ(names, expected);
}

// The command asks before the setup whether the machine lets it, and after it for the prediction.
TEST_F(AmgTest, IsPredictedBeforeAndAfterItsSetup) {
  const Machine machine = find_machine("cx1");
  for (const char* solver : {"amg", "pcg"}) {
    AmgOptions options = options_of({12, 13, 14});
    options.solver = solver;
    options.threads = 1;  // this machine file knows no more
    const auto subject = made(options);
    EXPECT_EQ(subject->predict(machine).size(), 2U);
    set_up(*subject);
    for (const Prediction& prediction : subject->predict(machine)) EXPECT_GT(prediction.total_s, 0);
  }
}

TEST_F(AmgTest, ProbesWithoutTouchingItsState) {
  Machine machine = calibrated_machine();
  machine.provenance["last_level_cache_bytes"] = "1000000";
  for (const char* relax : {"l1-gauss-seidel", "chebyshev"}) {
    AmgOptions options = options_of({10, 10, 2 * test_session().size()});
    options.relax = relax;
    const auto subject = made(options);
    set_up(*subject);
    take_steps(*subject, 2);
    const auto probe = make_probe(*subject, &machine);
    EXPECT_GT(probe->measure(), 0);
    const nlohmann::json finest = subject->result().at("hierarchy").at("levels").at(0).at("solve");
    const double rows = finest.at("busiest_rows");
    const double entries = rows * std::round(finest.at("nonzeros_per_row").get<double>());
    // A product of 1 us and 1 ns an entry. A sweep of Gauss-Seidel takes 1 us and 2 ns an entry,
    // one of Chebyshev two products, the second with 4.75 entries' bytes more a row.
    const double product_s = 1e-6 + 1e-9 * entries;
    const double sweep_s =
        std::string(relax) == "chebyshev" ? 2 * product_s + 4.75e-9 * rows : 1e-6 + 2e-9 * entries;
    EXPECT_NEAR(probe->calibrated(), rows / (product_s + 2 * sweep_s), 1);
    EXPECT_TRUE(subject->verify().passed);
  }
  const auto subject = made(options_of({10, 10, 10}));
  set_up(*subject);
  EXPECT_EQ(make_probe(*subject, nullptr)->calibrated(), 0);
}

/// Rows of a function, a range for each rank; the last rank has none where there are several.
class PlainRows final : public AmgRows {
 public:
  using Entry = std::function<double(long long, long long)>;
  PlainRows(long long rows, long long reach, Entry entry)
      : rows_(rows), reach_(reach), entry_(std::move(entry)) {
    const int owners = std::max(1, test_session().size() - 1), rank = test_session().rank();
    begin_ = std::min(rows, rows * rank / owners);
    end_ = std::min(rows, rows * (rank + 1) / owners);
  }
  [[nodiscard]] long long rows() const override { return rows_; }
  [[nodiscard]] long long begin() const override { return begin_; }
  [[nodiscard]] long long end() const override { return end_; }
  void stretch(long long first, long long end, AmgStretch& all) const override {
    all = {};
    for (long long i = first; i < end; ++i) {
      const std::size_t before = all.columns.size();
      for (long long j = std::max(0LL, i - reach_); j <= std::min(rows_ - 1, i + reach_); ++j)
        if (const double value = entry_(i, j); value != 0) {
          all.columns.push_back(j);
          all.values.push_back(value);
        }
      all.counts.push_back(static_cast<int>(all.columns.size() - before));
    }
  }

 private:
  long long rows_, reach_, begin_ = 0, end_ = 0;
  Entry entry_;
};

double second_difference(long long i, long long j) { return i == j ? 2 : -1; }

TEST_F(AmgTest, SolvesWhereARankHasNoRows) {
  const auto subject = made(std::make_unique<PlainRows>(61, 1, second_difference));
  set_up(*subject);
  take_steps(*subject, 2);
  const Verification verified = subject->verify();
  EXPECT_TRUE(verified.passed) << verified.what << ' ' << verified.value;
}

TEST_F(AmgTest, ASolveThatDivergesFailsAndSaysAfterHowManyCycles) {
  const auto subject = made(std::make_unique<PlainRows>(200, 1, [](long long i, long long j) {
    return i == j ? 1. : i < j ? -3. : 2.;
  }));
  set_up(*subject);
  take_steps(*subject, 1);
  const Verification verified = subject->verify();
  EXPECT_FALSE(verified.passed);
  EXPECT_NE(verified.what.find("the solve diverges"), std::string::npos) << verified.what;
  EXPECT_NE(verified.what.find("after"), std::string::npos) << verified.what;
  subject->restart();
  take_steps(*subject, 200);
  const auto found = broken(*subject);
  ASSERT_TRUE(found.has_value());
  EXPECT_FALSE(found->passed);
  (void)subject->result();  // is still told
}

TEST_F(AmgTest, ASolveThatStallsFails) {
  AmgOptions options = options_of({10, 10, 10});
  options.tolerance = 1e-18;
  const auto subject = made(options);
  set_up(*subject);
  take_steps(*subject, 1);
  const Verification verified = subject->verify();
  EXPECT_FALSE(verified.passed);
  EXPECT_NE(verified.what.find("the solve stalls"), std::string::npos) << verified.what;
}

TEST_F(AmgTest, RefusesWhatHasNoCycle) {
  // Nothing is coupled, so nothing is coarsened.
  const auto subject =
      made(std::make_unique<PlainRows>(40, 0, [](long long, long long) { return 3.; }));
  EXPECT_THROW(set_up(*subject), BadInput);
}

TEST_F(AmgTest, RefusesWhatDoesNotFitBeforeItAllocates) {
  EXPECT_THROW((void)made(options_of({20000, 20000, 20000})), BadEnvironment);
#ifndef HYPRE_USING_OPENMP
  AmgOptions threads = options_of({10, 10, 10});
  threads.threads = 2;
  EXPECT_THROW((void)made(threads), BadInput);
#endif
}

}  // namespace
}  // namespace bellwether
