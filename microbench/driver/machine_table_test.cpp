// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "models/machine/machine_json.hpp"
#include "models/machine/test_full_machine.hpp"

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
  machine.device.memory_efficiency = {0.5, 0.4, 0.8, "derived from Table 1: its own loops"};
  machine.device.peak_flops_per_s["f64"] = Quantity::exact(1.2e11);
  machine.device.launch_latency_s = {1e-7, 9e-8, 2e-7, {}};
  machine.device.stream = {{"copy", 2, "streaming", "f32", {2e10, 1.9e10, 2.1e10, {}}},
                           {"triad", 2, "streaming", "f32", {1.8e10, 1.8e10, 1.9e10, {}}}};
  machine.device.memory = {
      {2, 4, "cached", "f32", {{32768, Quantity::exact(4e10)}, {1 << 30, Quantity::exact(1.5e10)}}},
      {1, 0, "in_place", "f64", {{32768, Quantity::exact(3e10)}}, 19}};
  Link& link = machine.links["shared_memory"];
  link.one_way.latency_s = {5e-7, 4e-7, 6e-7, {}};
  link.one_way.bandwidth_bytes_per_s = {8e9, 7e9, 9e9, {}};
  link.one_way.largest_residual = 0.04;
  link.one_way.largest_residual_paper = 0.27;
  link.one_way.segments = {
      {8, {3e-7, 2e-7, 4e-7, {}}, {5e9, 4e9, 6e9, {}}},
      {65536, {2e-6, 1e-6, 3e-6, {}}, {9e9, 8e9, 1e10, {}}, {3e4, 2e4, 4e4, {}}}};
  link.one_way.largest_bytes = 1 << 20;
  link.exposed_exchange = {{1 << 20, {0.75, 0.7, 0.8, {}}}};
  link.after_sweep = {{1 << 24, {{8, {5.5e-6, 5e-6, 6e-6, {}}}, {65536, Quantity::exact(1.7e-5)}}}};
  machine.allreduce = {{2, {4e-7, 4e-7, 5e-7, {}}}};
  machine.warnings = {"one node: no network link was measured"};
  return machine;
}

/// The words of the line that begins with the key.
std::string row_of(const std::string& key) {
  std::istringstream lines(machine_table(example()));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string row, word;
    words >> row;
    if (row != key) continue;
    while (words >> word) row += " " + word;
    return row;
  }
  return machine_table(example());
}

TEST(MachineTable, SaysEachNumberUnitIntervalAndSource) {
  EXPECT_EQ(machine_table(example()).find(machine_summary(example())), 0u);
  EXPECT_EQ(row_of("device.memory_efficiency"),
            "device.memory_efficiency 50.0 [40.0, 80.0] % derived from Table 1: its own loops");
  EXPECT_EQ(row_of("device.name"), "device.name some CPU");
  EXPECT_EQ(row_of("links.shared_memory.segments.1.latency_s"),
            "links.shared_memory.segments.1.latency_s 2.00 [1.00, 3.00] us from_bytes 6.554e+04");
  EXPECT_EQ(row_of("links.shared_memory.after_sweep.0.added.0.added_s"),
            "links.shared_memory.after_sweep.0.added.0.added_s 5.50 [5.00, 6.00] us "
            "swept_bytes 1.678e+07, bytes 8");
  const std::string point = row_of("device.memory.0.points.1.bandwidth_bytes_per_s");
  EXPECT_NE(point.find(" 15.0 GB/s "), std::string::npos) << point;
  EXPECT_NE(point.find("f32, ranks 2, rereads 4, cached, working_set_bytes 1.074e+09"),
            std::string::npos)
      << point;
}

TEST(MachineTable, NamesNumbersByTheirKeysInTheFile) {
  Machine machine = full_machine();
  machine.provenance.clear();  // its keys are no pointers' words
  const nlohmann::json document = to_json(machine);
  std::istringstream lines(machine_table(machine).substr(machine_summary(machine).size()));
  int keys = 0;
  for (std::string line; std::getline(lines, line);) {
    std::string key;
    if (!(std::istringstream(line) >> key)) continue;
    std::replace(key.begin(), key.end(), '.', '/');
    EXPECT_TRUE(document.contains(nlohmann::json::json_pointer("/" + key))) << line;
    ++keys;
  }
  EXPECT_GT(keys, 300);
}

}  // namespace
}  // namespace bellwether
