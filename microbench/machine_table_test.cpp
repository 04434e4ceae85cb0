// SPDX-License-Identifier: MIT
#include "microbench/machine_table.hpp"

#include <gtest/gtest.h>

namespace bellwether {
namespace {

Machine example() {
  Machine machine;
  machine.name = "example";
  machine.source = "made up";
  machine.layout = {4, 2, 2};
  machine.device.name = "some CPU";
  machine.device.backend = "kokkos/Serial";
  machine.device.memory_bandwidth_bytes_per_s = {2e10, 1.9e10, 2.1e10, "STREAM copy"};
  machine.device.peak_flops_per_s["f64"] = Quantity::exact(1.2e11);
  machine.device.launch_latency_s = {1e-7, 9e-8, 2e-7, {}};
  machine.device.stream = {{"copy", 2, "streaming", "f32", {2e10, 1.9e10, 2.1e10, {}}},
                           {"triad", 2, "streaming", "f32", {1.8e10, 1.8e10, 1.9e10, {}}}};
  machine.device.memory = {{2,
                            4,
                            "cached",
                            "f32",
                            {{32768, Quantity::exact(4e10)}, {1 << 30, Quantity::exact(1.5e10)}}}};
  Link& link = machine.links["shared_memory"];
  link.one_way.latency_s = {5e-7, 4e-7, 6e-7, {}};
  link.one_way.bandwidth_bytes_per_s = {8e9, 7e9, 9e9, {}};
  link.one_way.largest_residual = 0.27;
  link.one_way.samples = {{8, 5e-7}, {1 << 20, 1.3e-4}};
  link.hideable_fraction = Quantity{0.25, 0.2, 0.3, "exchange of 1048576 bytes"};
  machine.barrier = {{2, {4e-7, 4e-7, 5e-7, {}}}};
  machine.warnings = {"one node: no network link was measured"};
  return machine;
}

constexpr const char* golden = R"(GOLDEN)";

TEST(MachineTable, SaysEachParameterUnitIntervalAndMeaning) {
  EXPECT_EQ(machine_table(example()), golden);
}

TEST(MachineTable, NeedsOnlyWhatIsPublished) {
  Machine machine;
  machine.name = "published";
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(1.48e11);
  const std::string table = machine_table(machine);
  EXPECT_NE(table.find("148 "), std::string::npos);
  EXPECT_EQ(table.find("WARNINGS"), std::string::npos);
  EXPECT_EQ(table.find("STREAM"), std::string::npos);
}

}  // namespace
}  // namespace bellwether
