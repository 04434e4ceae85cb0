// SPDX-License-Identifier: MIT
#include "microbench/driver/machine_table.hpp"
#include "models/airfoil/airfoil_parameters.hpp"

#include <gtest/gtest.h>

#include <random>

#include "models/fit/fit.hpp"

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
  machine.barrier = {{2, {4e-7, 4e-7, 5e-7, {}}}};
  machine.warnings = {"one node: no network link was measured"};
  return machine;
}

constexpr const char* golden = R"table(machine example
  made up
  4 ranks, 2 on each node

device: some CPU, kokkos/Serial
  memory bandwidth               20.0 [19.0, 21.0]         GB/s     per rank, all ranks at once: the limit of memory-bound kernels (STREAM copy)
    of it, kernels get           50.0 [40.0, 80.0]         %        derived from Table 1: its own loops
  peak f64                        120                      GFlop/s  multiply-adds in registers, per rank, all ranks at once
  kernel launch                  0.10 [0.09, 0.20]         us       an empty kernel, of many launched one after another

STREAM, GB/s per rank [95 %]: large arrays, write-allocate not counted
                               copy                   scale                  add                    triad
  f32, streaming, 2 ranks     20.0 [19.0, 21.0]                                                    18.0 [18.0, 19.0]

memory curves, GB/s per rank: row kernels on cubes, against the bytes that a rank touches;
rereads 0 is a copy (in_place: an update of one array or of several at once), 4 reads
each value as often as a 7-point stencil
                                           smallest               best                   largest
  f32, cached, 2 ranks, rereads 4         40.0 at 32 KiB         40.0 at 32 KiB         15.0 at 1 GiB
  f64, in_place, 1 rank, 19 arrays        30.0 at 32 KiB         30.0 at 32 KiB         30.0 at 32 KiB

link shared_memory
  one way, latency               0.50 [0.40, 0.60]         us       t0 of t(s) = t0 + s / B0
  one way, bandwidth             8.00 [7.00, 9.00]         GB/s     fit up to 1 MiB: misses at most 27 %; in 2 segments 4 %
    from 8 B                     0.30 [0.20, 0.40]         us       and 5.00 [4.00, 6.00] GB/s
    from 64 KiB                  2.00 [1.00, 3.00]         us       and 9.00 [8.00, 10.0] GB/s after the first 30.0 KB
  exposed, 1 MiB                 75.0 [70.0, 80.0]         %        of an exchange that a step keeps with overlap
  after 16 MiB swept             8 B +5.50, 64 KiB +17.0 us an exchange

collectives
  barrier, 2 ranks               0.40 [0.40, 0.50]         us

WARNINGS
  !! one node: no network link was measured
)table";

TEST(MachineTable, SaysEachParameterUnitIntervalAndMeaning) {
  EXPECT_EQ(machine_table(example()), golden);
}

/// Small messages whose times do not grow with their size, in repeats that scatter by 4 %.
TEST(MachineTable, SaysNoBandwidthThatTheSamplesDoNotTell) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> noise(0, 0.04);
  std::vector<RepeatedSample> samples;
  for (double bytes = 8; bytes <= 1 << 20; bytes *= 2) {
    samples.push_back({bytes, {}});
    for (int repeat = 0; repeat < 15; ++repeat)
      samples.back().seconds.push_back((bytes < 2048 ? 1e-6 : 5e-6 + bytes / 8e9) * noise(random));
  }
  Machine machine;
  LinkTiming& exchange = machine.links["shared_memory"].exchange.emplace(fit_link(samples));
  const Quantity& first = exchange.segments.front().bandwidth_bytes_per_s;
  ASSERT_GE(exchange.segments.size(), 2u);
  ASSERT_GT(first.high, 100 * first.low);
  const std::string table = machine_table(machine);
  EXPECT_NE(table.find("and not resolved, above " + number(first.low * 1e-9) + " GB/s"),
            std::string::npos)
      << table;
  EXPECT_EQ(table.find(number(first.high * 1e-9)), std::string::npos) << table;
}

TEST(MachineTable, ShowsOverheadAndWireLatencyApart) {
  Machine machine;
  Link& link = machine.links["network"];
  link.one_way.latency_s = {5e-6, 4e-6, 6e-6, {}};
  link.one_way.bandwidth_bytes_per_s = Quantity::exact(1e9);
  EXPECT_EQ(machine_table(machine).find("overhead"), std::string::npos);
  EXPECT_EQ(machine_table(machine).find("asked for"), std::string::npos);
  link.eager_limit_bytes = {65536, 65536, 131072, "larger ones waited"};
  link.one_way.overhead_s = Quantity{1e-6, 5e-7, 2e-6, "at most: half the gap"};
  link.gap = LinkTiming{.latency_s = Quantity::exact(2e-6),
                        .bandwidth_bytes_per_s = Quantity::exact(2e9),
                        .segments = {}};
  const std::string table = machine_table(machine);
  for (const char* line :
       {"  overhead o                     1.00 [0.50, 2.00]         us       that a message costs "
        "each CPU, at most: half the gap\n",
        "  wire latency L                 3.00 [0.00, 5.00]         us       of the smallest "
        "message, without both overheads: overlaps\n",
        "  gap, latency                   2.00                      us       g + G s that each "
        "further exchange adds\n",
        "  sent before asked for          up to 64 KiB: larger ones waited\n"})
    EXPECT_NE(table.find(line), std::string::npos) << table;
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
