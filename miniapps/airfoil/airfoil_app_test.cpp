// SPDX-License-Identifier: MIT
#include "miniapps/airfoil/airfoil_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "kernels/launch/backend_test.hpp"
#include "miniapps/airfoil/airfoil_increments.hpp"
#include "miniapps/comm/session/test_session.hpp"
#include "miniapps/driver/take_steps_test.hpp"
#include "miniapps/driver/watched_device_test.hpp"
#include "models/airfoil/airfoil_loops.hpp"

namespace bellwether {
namespace {

AirfoilProblem small(const char* precision = "f64", const char* loops = "fused") {
  AirfoilProblem problem;
  problem.cells = {8, 9};
  problem.precision = precision;
  problem.loops = loops;
  problem.partitioner = "rcb";
  return problem;
}

class AirfoilAppTest : public BackendTest {
 protected:
  [[nodiscard]] std::unique_ptr<Case> make_app(Device& on, const AirfoilProblem& problem,
                                               bool overlap = false) {
    std::shared_ptr<const AirfoilParts> parts;
    return make_airfoil_case(site_on(on, device().backend()), problem, {overlap}, parts);
  }
};
INSTANTIATE_TEST_SUITE_P(Backends, AirfoilAppTest, every_backend(), backend_in_name);

TEST_P(AirfoilAppTest, SaysWhatItSolvesAndVerifiesIt) {
  for (const char* precision : {"f32", "f64"}) {
    for (const auto& [loops, increments] :
         {std::pair{"fused", ""}, {"five", ""}, {"fused", "gather"}}) {
      AirfoilProblem asked = small(precision, loops);
      asked.increments = increments;
      const auto app = make_app(device(), asked, true);
      take_steps(*app, 8);
      const Verification verified = app->verify();
      EXPECT_TRUE(verified.passed) << verified.what << " " << verified.value;
      const nlohmann::json problem = app->problem(), result = app->result();
      EXPECT_EQ(problem.at("cells"), (std::vector<int>{8, 9}));
      EXPECT_EQ(problem.at("partitioner"), "rcb");
      EXPECT_EQ(problem.at("sets"),
                (nlohmann::json{{"nodes", 250}, {"cells", 216}, {"edges", 407}, {"bedges", 50}}));
      EXPECT_EQ(app->variant().at("loops"), loops);
      EXPECT_EQ(app->variant().at("increments"),
                name_of(increments_for(increments, device(), asked.is_fused())));
      EXPECT_EQ(result.at("iterations"), 8);
      EXPECT_GT(result.at("rms").get<double>(), 0);
      EXPECT_FALSE(broken(*app).has_value());
      EXPECT_EQ(bare_communication(*app).has_value(), test_session().size() > 1);
      app->restart();
      take_steps(*app, 8);
      EXPECT_NEAR(app->result().at("rms").get<double>(), result.at("rms").get<double>(), 1e-6);
    }
  }
}

/// A probe runs the loops on another mesh: the flow goes on as without it.
TEST_P(AirfoilAppTest, ProbesLeaveTheFlowAsItWas) {
  Machine machine;
  for (const char* precision : {"f32", "f64"}) {
    AirfoilProblem problem = small(precision);
    problem.increments = name_of(default_increments(device(), false));
    const auto app = make_app(device(), problem), alone = make_app(device(), problem);
    take_steps(*app, 2);
    take_steps(*alone, 2);
    machine.sections.erase("airfoil");
    EXPECT_EQ(make_probe(*app, nullptr)->calibrated(), 0);
    EXPECT_EQ(make_probe(*app, &machine)->calibrated(), 0) << "its loops are not calibrated";

    AirfoilParameters parameters;
    for (std::size_t loop = 0; loop < airfoil_loop_names.size(); ++loop)
      parameters.loops[precision][loop].push_back({1, Quantity::exact(6e-9)});
    set_section(machine, parameters);
    const auto probe = make_probe(*app, &machine);
    EXPECT_STREQ(probe->of(), "loops");
    EXPECT_STREQ(probe->unit(), "cells/s");
    // One loop over the cells in tiles; else a few more elements than cells in each of a mesh's
    // loops, of which edges count most.
    const bool in_tiles = device().is_sequential();
    const double per_cell = 2 * (in_tiles ? 1 : 2 + 1) * 6e-9;
    EXPECT_GT(probe->calibrated(), 0.5 / per_cell);
    EXPECT_LT(probe->calibrated(), 1.1 / per_cell);
    EXPECT_GT(probe->measure(), 0);
    take_steps(*app, 2);
    take_steps(*alone, 2);
    if (device().is_host()) {
      EXPECT_EQ(app->result(), alone->result());
    }
  }
}

/// The last q of the last own cell of the highest rank becomes NaN, but not because of the flow:
/// when the iterations are repeated all stays well, and what is named is what was found.
TEST_P(AirfoilAppTest, WhatIsNotFiniteIsNamed) {
  const Session& session = test_session();
  WatchedDevice watched(device());
  const auto own =
      static_cast<std::size_t>(deal_out_airfoil(site_on(watched, "kokkos"), small(), false)
                                   ->local.mesh.sets[airfoil_cells]
                                   .owned());
  const auto app = make_app(watched, small());
  const auto spoil = [&] {
    if (session.rank() != session.size() - 1) return;
    const auto q =
        std::find_if(watched.allocations.begin(), watched.allocations.end(), [&](const auto& one) {
          return one.bytes >= 4 * own * sizeof(double) && one.bytes % (4 * sizeof(double)) == 0;
        });
    ASSERT_NE(q, watched.allocations.end());
    // All of the memory that can be q, since its halo's size is not known here.
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (const auto& one : watched.allocations)
      if (one.bytes == q->bytes)
        device().copy(static_cast<double*>(one.memory) + 4 * own - 1, &nan, sizeof nan, stream());
    device().fence(stream());
  };
  const std::string rank = fmt::format("rank {}, ", session.size() - 1);
  take_steps(*app, 2);
  EXPECT_FALSE(broken(*app).has_value()) << "not at every step";
  spoil();
  const Verification verified = app->verify();
  EXPECT_FALSE(verified.passed);
  EXPECT_EQ(verified.what.find("values not finite: iteration 2, " + rank), 0u) << verified.what;
  EXPECT_TRUE(verified.what.ends_with(", the first of 1")) << verified.what;
  EXPECT_EQ(verified.value, 1);
  spoil();
  take_steps(*app, 70);
  const auto found = broken(*app);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->what.find("values not finite: iteration 72, rank "), 0u) << found->what;
  EXPECT_TRUE(found->what.ends_with(", cell 0, the first of 216")) << found->what;
  app->restart();
  take_steps(*app, 2);
  EXPECT_TRUE(app->verify().passed) << "the initial state is not renewed";
}

/// Rank 0's first number of each array in device memory, in its lowest bit.
TEST_P(AirfoilAppTest, AFlippedBitOfTheMeshIsNamed) {
  const std::set<std::string> common{"nodes of cells",    "cells of boundary edges",
                                     "boundary flags",    "cells' numbers",
                                     "coordinates",       "perimeters",
                                     "cells at the wall", "sides of boundary edges"};
  for (const char* increments : {"gather", ""}) {
    WatchedDevice watched(device());
    AirfoilProblem problem = small();
    problem.increments = increments;
    const auto app = make_app(watched, problem);
    const bool gathers = app->variant().at("increments") == "gather";
    std::set<std::string> expected = common;
    expected.merge(gathers ? std::set<std::string>{"cells' surroundings"}
                           : std::set<std::string>{"cells of edges", "sides of edges"});
    if (test_session().size() > 1)
      expected.merge(std::set<std::string>{"exported cells", "imported cells"});
    take_steps(*app, 3);
    ASSERT_TRUE(app->verify().passed);
    const auto flip = [&](std::size_t n) {
      if (test_session().rank() == 0) flip_first_bit(device(), watched.allocations[n], stream());
    };
    unsigned long count = watched.allocations.size();
    MPI_Bcast(&count, 1, MPI_UNSIGNED_LONG, 0, test_session().world());
    std::set<std::string> found;
    for (std::size_t n = 0; n < count; ++n) {
      flip(n);
      const std::string what = app->verify().what, begin = "constant arrays that changed: ";
      if (what.starts_with(begin))
        found.insert(what.substr(begin.size(), what.find(" on rank") - begin.size()));
      flip(n);
    }
    EXPECT_EQ(found, expected) << increments;
  }
}

TEST_P(AirfoilAppTest, LostMessagesFail) {
  if (test_session().size() == 1) GTEST_SKIP() << "one rank sends no messages";
  WatchedDevice watched(device());
  for (const bool overlap : {false, true}) {
    const auto app = make_app(watched, small(), overlap);
    take_steps(*app, 1);
    ASSERT_TRUE(app->verify().passed);
    watched.loses_messages = true;
    take_steps(*app, 2);
    watched.loses_messages = false;
    const Verification verified = app->verify();
    EXPECT_FALSE(verified.passed);
    EXPECT_EQ(verified.what, "ranks with stale halos");
  }
}

TEST_P(AirfoilAppTest, RefusesWhatDoesNotFitBeforeItAllocates) {
  WatchedDevice watched(device());
  watched.memory = 1000;
  EXPECT_THROW(make_app(watched, small()), BadEnvironment);
  EXPECT_TRUE(watched.allocations.empty());
}

TEST(AirfoilWork, CountsTheLoopsThatRun) {
  const AirfoilCounts counts{721801, 720000, 1438600, 2800};
  const StepWork fused = airfoil_step_work(counts, "f64", AirfoilSequence::fused);
  const StepWork five = airfoil_step_work(counts, "f64", AirfoilSequence::five);
  EXPECT_EQ(fused.units, 720000);
  EXPECT_LT(fused.bytes, five.bytes);
  // By hand: twice 13 values of a cell, 2 and two indices of an edge, 15 and two of a boundary
  // edge; twice 19 values and four indices of a cell, 2 of a node.
  EXPECT_EQ(fused.bytes, 2 * (13 * 8.0 * 720000 + 24.0 * 1438600 + 128.0 * 2800) +
                             2 * ((19 * 8 + 16) * 720000.0 + 16.0 * 721801));
  EXPECT_EQ(fused.flops, 2 * (56 * 1438600.0 + 52 * 2800.0 + 46 * 720000.0));
  // The change, and four sides' lengths and their sum.
  EXPECT_EQ(five.flops, fused.flops + 2 * (7 + 19) * 720000.0);
  const auto terms = airfoil_step_work(counts, "f32", AirfoilSequence::fused).term_bytes;
  ASSERT_EQ(terms.size(), 3u);
  EXPECT_EQ(terms[0].first, "compute.res_calc");
  EXPECT_EQ(terms[0].second, 2 * (13 * 4.0 * 720000 + 16.0 * 1438600));
  EXPECT_EQ(five.term_bytes.size(), 5u);
}

/// Per cell and stage q and adt in and out, the perimeter, eight indices, and q_old once in two.
TEST(AirfoilWork, OfGathersIsTheirStages) {
  const AirfoilCounts counts{721801, 720000, 1438600, 2800};
  const StepWork gather = airfoil_step_work(counts, "f64", AirfoilSequence::gather);
  EXPECT_EQ(gather.bytes, (2 * (11 * 8.0 + 32) + 4 * 8.0) * 720000 + 2 * 16.0 * 721801);
  EXPECT_LT(gather.bytes, airfoil_step_work(counts, "f64", AirfoilSequence::fused).bytes / 2);
  EXPECT_EQ(gather.flops, 2 * 233.0 * 720000);
  ASSERT_EQ(gather.term_bytes.size(), 1u);
  EXPECT_EQ(gather.term_bytes[0].first, "compute.stage");
}

/// Per cell and stage q, adt and res in and out, the perimeter, four indices, and q_old once in
/// two; two values and two indices of an edge and of a boundary edge. The arithmetic is that of the
/// three loops.
TEST(AirfoilWork, OfTilesLeavesOutWhatStaysInTheCaches) {
  const AirfoilCounts counts{721801, 720000, 1438600, 2800};
  const StepWork tiled = airfoil_step_work(counts, "f64", AirfoilSequence::tiled);
  const StepWork fused = airfoil_step_work(counts, "f64", AirfoilSequence::fused);
  EXPECT_EQ(tiled.bytes, (2 * (19 * 8.0 + 16) + 4 * 8.0) * 720000 + 2 * 16.0 * 721801 +
                             2 * 24.0 * (1438600 + 2800));
  EXPECT_LT(tiled.bytes, 0.75 * fused.bytes);
  EXPECT_EQ(tiled.flops, fused.flops);
  ASSERT_EQ(tiled.term_bytes.size(), 1u);
  EXPECT_EQ(tiled.term_bytes[0].first, "compute.stage");
}

/// Gathered or not, the case asked for is what runs, or it says why it cannot be.
TEST_P(AirfoilAppTest, RefusesIncrementsThatItsLoopsOrDeviceCannotMake) {
  AirfoilProblem problem = small("f64", "five");
  problem.increments = "gather";
  EXPECT_THROW(validate(problem), BadInput);
  problem.loops = "fused";
  EXPECT_NO_THROW(validate(problem));
  problem.increments = device().is_sequential() ? "atomics" : "plain";
  EXPECT_THROW((void)make_app(device(), problem), BadInput);
}

}  // namespace
}  // namespace bellwether
