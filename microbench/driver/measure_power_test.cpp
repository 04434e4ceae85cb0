// SPDX-License-Identifier: MIT
#include "microbench/driver/measure_power.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "microbench/driver/toy_calibration_test.hpp"
#include "models/power/power_parameters.hpp"
#include "results/powercap_tree_test.hpp"

namespace bellwether {
namespace {

/// Samples of a few milliseconds, during which a node takes so many watts.
BenchCase that_takes(double watts, const std::string& name, const PowercapTree& tree,
                     std::shared_ptr<double> joules) {
  BenchCase work;
  work.name = name;
  work.sample = [watts, &tree, joules, last_s = clock_s()]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const double now_s = clock_s();
    *joules += watts * std::min(now_s - last_s, 0.1);
    last_s = now_s;
    tree.count("intel-rapl:0", static_cast<long long>(1e6 * *joules));
    return 2e-3;
  };
  return work;
}

TEST(MeasurePower, TellsTheWattsOfANodeWhileItWorks) {
  const PowercapTree tree;
  tree.add("intel-rapl:0", "package-0", 0);
  EnergyMeter meter(*session, nullptr, tree.folder());
  Bench bench(*session, "kokkos", toy_limits());
  Plan plan(bench);
  plan.group("group", 0.5);
  const auto joules = std::make_shared<double>(0);
  for (const auto& [of, watts] :
       {std::pair("memory", 200.), {"matrix product", 500.}, {"network", 900.}})
    plan.probe_drift(plan.add(that_takes(watts, of, tree, joules)), of);
  Machine machine;
  measure_power(*session, plan, meter, machine, 0.3);
  const auto* const power = section<PowerParameters>(machine);
  ASSERT_NE(power, nullptr);
  EXPECT_EQ(power->source, "packages");
  ASSERT_TRUE(power->memory_w && power->matrix_product_w);
  EXPECT_NEAR(power->memory_w->value, 200, 40);
  EXPECT_NEAR(power->matrix_product_w->value, 500, 100);
}

TEST(MeasurePower, LeavesAMachineWithoutCountersAsItIs) {
  EnergyMeter meter(*session, nullptr, "/nowhere/powercap");
  Bench bench(*session, "kokkos", toy_limits());
  const Plan plan(bench);
  Machine machine;
  measure_power(*session, plan, meter, machine);
  EXPECT_TRUE(machine.sections.empty());
}

}  // namespace
}  // namespace bellwether
