// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "models/airfoil/airfoil_parameters.hpp"
#include "models/airfoil/test_airfoil.hpp"
#include "models/errors.hpp"

namespace bellwether {
namespace {

// airfoil_example on airfoil_machine: 400 halo cells of 40 bytes to 5 neighbours, 12 to a card.
constexpr double communication = 400 * 40 / 1e9 + 2 * 2e-6 * 5 + 5e-7 * 12 * 5;  // 66 us
constexpr double core = 3e-9 * 19800;                                            // 59.4 us

TEST(AirfoilPaper, WorksOutEquations1To7Blocking) {
  const Prediction p = paper_of(airfoil_machine(), airfoil_example(),
                                {.precision = "f64", .ranks = 72, .ranks_per_node = 24});
  EXPECT_NEAR(term(p, "compute.save_soln"), 1e-9 * 10000, 1e-15);             // Eq. 2
  EXPECT_NEAR(term(p, "compute.adt_calc"), 2 * 2e-9 * 10000, 1e-15);          // Eq. 3
  EXPECT_NEAR(term(p, "compute.res_calc"), 2 * 3e-9 * (19800 + 400), 1e-15);  // Eq. 4
  EXPECT_NEAR(term(p, "compute.bres_calc"), 2 * 4e-9 * (30 + 10), 1e-15);     // Eq. 5
  EXPECT_NEAR(term(p, "compute.update"), 2 * 5e-9 * 10000, 1e-15);            // Eq. 6
  EXPECT_NEAR(term(p, "reduce"), 2 * 7 * (2e-6 + 8 / 1e9), 1e-15);            // 2^7 > 72
  EXPECT_NEAR(term(p, "network"), 2 * communication, 1e-15);                  // Eq. 7
  const double t_rc = core + communication + 3e-9 * 400;
  const double t_iter = 1e-5 + 2 * (2e-5 + t_rc + 1.6e-7 + 5e-5 + 7 * 2.008e-6);
  EXPECT_NEAR(p.total_s, t_iter, 1e-14);
  EXPECT_EQ(p.form, "paper");
  EXPECT_EQ(p.hidden_fraction, 0);
  EXPECT_TRUE(p.outside_range.empty());
}

TEST(AirfoilPaper, OverlappingTakesTheLargerOfCoreEdgesAndHalo) {
  const Prediction p =
      paper_of(airfoil_machine(), airfoil_example(),
               {.precision = "f64", .overlap = true, .ranks = 72, .ranks_per_node = 24});
  const double t_rc = communication + 3e-9 * 400;  // the halo takes longer than the core edges
  EXPECT_NEAR(p.total_s, 1e-5 + 2 * (2e-5 + t_rc + 1.6e-7 + 5e-5 + 7 * 2.008e-6), 1e-14);
  EXPECT_NEAR(p.hidden_fraction, core / communication, 1e-12);
  EXPECT_NEAR(p.communication_s, 2 * communication, 1e-15);
  EXPECT_NEAR(p.hiding_s, 2 * core, 1e-15);
  AirfoilWorkload larger = airfoil_example();
  larger.core_edges = 40000;  // 120 us
  const Prediction hidden =
      paper_of(airfoil_machine(), larger,
               {.precision = "f64", .overlap = true, .ranks = 72, .ranks_per_node = 24});
  EXPECT_EQ(hidden.hidden_fraction, 1);
  EXPECT_EQ(term(hidden, "network"), 0);
}

TEST(AirfoilPaper, SinglePrecisionHalvesTheHalosBytes) {
  Machine machine = airfoil_machine();
  section<AirfoilParameters>(machine)->loops["f32"] =
      section<AirfoilParameters>(machine)->loops["f64"];
  const AirfoilConditions conditions{.precision = "f32", .ranks = 72, .ranks_per_node = 24};
  EXPECT_NEAR(term(paper_of(machine, airfoil_example(), conditions), "network"),
              2 * (400 * 20 / 1e9 + 20e-6 + 30e-6), 1e-15);
}

TEST(AirfoilPaper, GpuClusterCopiesTheHaloAndDropsTheSharedCard) {
  const Prediction p = paper_of(airfoil_gpu(), airfoil_example(),
                                {.precision = "f64", .ranks = 36, .ranks_per_node = 1});
  EXPECT_NEAR(term(p, "network"), 2 * (400 * 40 / 1e9 + 2 * 2e-6 * 5), 1e-15);
  EXPECT_NEAR(term(p, "copy.to_host"), 2 * (2 * 2e-5 + 400 * 40 / 2e9), 1e-15);
  EXPECT_NEAR(term(p, "copy.to_device"), 2 * (2 * 1e-5 + 400 * 40 / 3e9), 1e-15);
  // What the paper measured of a loop on the GPU holds its launches, one for each colour.
  EXPECT_NEAR(term(p, "compute.save_soln"), 1e-5 + 5e-6, 1e-15);
  EXPECT_NEAR(term(p, "compute.adt_calc"), 2 * (2e-5 + 5e-6), 1e-15);
  EXPECT_NEAR(term(p, "compute.res_calc"), 2 * (3e-9 * 20200 + 6 * 5e-6), 1e-15);
  EXPECT_NEAR(term(p, "compute.bres_calc"), 2 * (1.6e-7 + 2 * 5e-6), 1e-15);
  double sum = 0;
  for (const Term& term : p.terms) sum += term.seconds;
  EXPECT_DOUBLE_EQ(sum, p.total_s);
}

TEST(AirfoilPaper, GpuOverlapHidesNetworkAndCopiesInProportion) {
  const AirfoilConditions off{.precision = "f64", .ranks = 36, .ranks_per_node = 1};
  const AirfoilConditions on{.precision = "f64", .overlap = true, .ranks = 36, .ranks_per_node = 1};
  const Prediction blocking = paper_of(airfoil_gpu(), airfoil_example(), off);
  const Prediction overlapping = paper_of(airfoil_gpu(), airfoil_example(), on);
  const double all = 36e-6 + 48e-6 + (20e-6 + 16000 / 3e9);
  const double exposed = 1 - core / all;
  for (const char* name : {"network", "copy.to_host", "copy.to_device"})
    EXPECT_NEAR(term(overlapping, name), exposed * term(blocking, name), 1e-15);
  EXPECT_NEAR(blocking.total_s - overlapping.total_s, 2 * core, 1e-15);
}

TEST(AirfoilPaper, CpuTakesOneCostAtAnySizeAndGpuTheSizesOwn) {
  for (Machine machine : {airfoil_machine(), airfoil_gpu()}) {
    machine.device.launch_latency_s.reset();
    section<AirfoilParameters>(machine)->loops["f64"][0] = {{1e4, Quantity::exact(4e-9)},
                                                            {1e6, Quantity::exact(1e-9)}};
    const Prediction p = paper_of(machine, airfoil_example(), {.precision = "f64"});
    EXPECT_NEAR(term(p, "compute.save_soln"), 10000 * (machine.device.kind == "cpu" ? 1e-9 : 4e-9),
                1e-15);
  }
}

TEST(AirfoilPaper, SlowestOfTheWorkloadsCounts) {
  AirfoilWorkload smaller = airfoil_example();
  smaller.cells /= 2;
  const Machine machine = airfoil_machine();
  const AirfoilConditions conditions{.precision = "f64", .ranks = 72, .ranks_per_node = 24};
  const AirfoilLoopCosts costs(machine, "f64");
  EXPECT_EQ(predict_airfoil_paper(machine, costs, {smaller, airfoil_example()}, conditions).total_s,
            paper_of(machine, airfoil_example(), conditions).total_s);
}

TEST(AirfoilPaper, IntervalsComeFromTheMachines) {
  Machine machine = airfoil_machine();
  machine.links["network"].one_way.latency_s = {2e-6, 1e-6, 4e-6, {}};
  const Prediction p =
      paper_of(machine, airfoil_example(), {.precision = "f64", .ranks = 72, .ranks_per_node = 24});
  EXPECT_NEAR(p.low_s, p.total_s - (20 + 14) * 1e-6, 1e-14);  // 2 calls x 2 arrays x 5, 2 x 7
  EXPECT_NEAR(p.high_s, p.total_s + (20 + 14) * 2e-6, 1e-14);
}

TEST(AirfoilPaper, NamesTheMissingLink) {
  Machine machine = airfoil_machine();
  machine.links.clear();
  EXPECT_NO_THROW(paper_of(machine, {.cells = 10, .core_edges = 10}, {.precision = "f64"}));
  try {
    paper_of(machine, airfoil_example(), {.precision = "f64", .ranks = 2, .ranks_per_node = 1});
    FAIL();
  } catch (const BadInput& bad) {
    EXPECT_NE(std::string(bad.what()).find("machine example: the link \"network\" is missing"),
              std::string::npos)
        << bad.what();
  }
  machine.links["shared_memory"] = exact_link(1e-6, 1e9);
  const Prediction p =
      paper_of(machine, airfoil_example(), {.precision = "f64", .ranks = 2, .ranks_per_node = 2});
  ASSERT_EQ(p.outside_range.size(), 1u);
  EXPECT_EQ(p.outside_range[0], "network: not calibrated: shared_memory stands for it");
  const AirfoilConditions two_nodes{.precision = "f64", .ranks = 2, .ranks_per_node = 1};
  EXPECT_THROW(paper_of(machine, airfoil_example(), two_nodes), BadInput)
      << "memory is not shared between nodes";
}

}  // namespace
}  // namespace bellwether
