// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/drift/drift_parameters.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(MachineSummary, HoldsEveryLinkAndWarningInThirtyLines) {
  Machine machine = full_machine();
  machine.warnings = {"one", "network: two", "three", "four", "five", "six"};
  const std::string text = machine_summary(machine);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 30) << text;
  for (const auto& [name, link] : machine.links)
    EXPECT_NE(text.find("\n  " + name + " "), std::string::npos) << text;
  for (const std::string& warning : machine.warnings)
    EXPECT_TRUE(has_line(text, "!! " + warning)) << text;
  EXPECT_TRUE(has_line(text,
                       "calibrated: 24 memory curves up to 95.4 MiB a rank, airfoil, amg, "
                       "cholesky, drift, hpl, noise, power, start_up, stencils"))
      << text;
}

TEST(MachineSummary, SaysWhatIsTooUnsteadyToJudgeRunsBy) {
  Machine machine = full_machine();
  const auto said = [&](std::vector<double> memory) {
    set_section(machine, DriftParameters{.source = {},
                                         .span_s = 60,
                                         .series = {{"memory", std::move(memory)},
                                                    {"matrix product", {0.9, 1, 1.2}}}});
    return machine_summary(machine);
  };
  EXPECT_NE(said({0.6, 1, 2.7}).find("; !! too unsteady to judge runs by memory: calibrate while "),
            std::string::npos);
  EXPECT_EQ(said({0.9, 1, 1.2}).find("too unsteady"), std::string::npos);
}

TEST(MachineSummary, SaysWhatALineOfTwoNumbersMisses) {
  Machine machine;
  machine.name = "example";
  machine.device.memory_bandwidth_bytes_per_s = {2e10, 1.9e10, 2.1e10, "STREAM copy"};
  machine.device.peak_flops_per_s["f64"] = Quantity::exact(1e11);
  machine.device.gemm_flops_per_s["f64"] = Quantity::exact(4.2e10);
  LinkTiming& timing = machine.links["network"].one_way;
  timing = {.latency_s = {5e-7, 4e-7, 6e-7, {}},
            .bandwidth_bytes_per_s = {8e9, 7e9, 9e9, {}},
            .segments = {{8, Quantity::exact(5e-7), Quantity::exact(8e9)},
                         {65536, Quantity::exact(5e-7), Quantity::exact(8e9)}},
            .largest_residual = 0.04,
            .largest_residual_paper = 0.27,
            .largest_bytes = 1 << 20};
  machine.allreduce = {{2, Quantity::exact(4e-7)}, {8, Quantity::exact(9e-7)}};
  machine.layout = {.ranks = 2, .ranks_per_node = 1};
  machine.collective_times = {
      {"alltoall", {{8, Quantity::exact(2e-6)}}},
      {"bcast", {{8, Quantity::exact(6e-7)}, {4096, Quantity::exact(3e-6)}}}};
  EXPECT_EQ(machine_summary(machine), R"text(machine example
  2 ranks, 1 on each node
limits of a rank, all ranks at once:
  memory bandwidth               20.0 [19.0, 21.0]         GB/s     STREAM copy
  peak f64                        100                      Gflop/s  multiply-adds in registers
  matrix product f64             42.0                      Gflop/s  0.42 of the peak
links, one way       t0, us [95 %]            B0, GB/s [95 %]        t0 + s/B0
  network           0.50 [0.40, 0.60]        8.00 [7.00, 9.00]       off by at most 27 % up to 1 MiB (2 segments: 4 %)
collectives: allreduce of 8 ranks 0.90 us
2 ranks, blocks of                     8 B             4 KiB  us (textbook over these links)
  alltoall                     2.00 (1.00)
  bcast                        0.60 (0.50)       3.00 (1.01)
)text");
  timing.bandwidth_bytes_per_s = {8e9, 5e8, 9e11, {}};
  EXPECT_NE(machine_summary(machine).find("not resolved, above 0.50 "), std::string::npos);
  timing.largest_bytes = 0;
  EXPECT_NE(machine_summary(machine).find("not measured here"), std::string::npos);
  machine.device.gemm_sustained_flops_per_s["f64"] = Quantity::exact(3.5e10);
  EXPECT_NE(machine_summary(machine).find("  sustained                    35.0"), std::string::npos)
      << machine_summary(machine);
}

}  // namespace
}  // namespace bellwether
