// SPDX-License-Identifier: MIT
#include "models/roofline/saturation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "models/machine/device_classes.hpp"
#include "models/machine/machine_file.hpp"
#include "models/roofline/roofline.hpp"

namespace bellwether {
namespace {

/// STREAM's triad in MB/s by threads, the last on all cores: README of gregs1104/stream-scaling.
const std::vector<std::map<int, double>> stream_scaling{
    {{1, 3596}, {2, 3992}, {3, 4305}, {4, 4365}},
    {{1, 2684}, {2, 5212}, {3, 7542}, {4, 8760}, {8, 9389}, {16, 14590}},
    {{1, 3035}, {2, 3263}, {3, 3130}, {4, 6264}},
    {{1, 4383}, {2, 4537}, {3, 4480}, {4, 4390}},
    {{1, 4038},
     {2, 7996},
     {3, 11918},
     {4, 13520},
     {8, 23658},
     {16, 22801},
     {24, 23688},
     {32, 24522},
     {48, 27214}},
    {{1, 7826}, {2, 9016}, {3, 9273}, {4, 9297}},
    {{1, 7548}, {2, 9841}, {3, 9377}, {4, 9754}, {8, 12101}},
    {{1, 6750}, {2, 7150}, {3, 7286}, {4, 7258}},
    {{1, 7207}, {2, 8657}, {3, 9873}, {4, 9772}, {6, 9932}},
    {{1, 9664}, {2, 13096}, {3, 13959}, {4, 14293}},
    {{1, 10022}, {2, 12714}, {3, 13698}, {4, 13909}},
    {{1, 9514}, {2, 16845}, {3, 17960}, {4, 22544}, {8, 21744}},
    {{1, 11658}, {2, 18382}, {3, 19918}, {4, 24546}, {8, 23407}},
    {{1, 4992}, {2, 9967}, {3, 14926}, {4, 18727}, {8, 31685}, {16, 35566}, {24, 35488}},
    {{1, 4958},
     {2, 9903},
     {3, 14493},
     {4, 19469},
     {8, 37613},
     {16, 51625},
     {24, 40611},
     {32, 47361},
     {48, 32301}}};

/// Mean miss of the logarithm between one core and all.
template <class Law>
double missed(Law law) {
  double sum = 0;
  int count = 0;
  for (const std::map<int, double>& rates : stream_scaling) {
    const auto [all, rate] = *rates.rbegin();
    for (const auto& [cores, measured] : rates) {
      if (cores == 1 || cores == all) continue;
      const double seconds = law(1 / rates.at(1), cores, all / rate, all);
      sum += std::abs(std::log(seconds * measured / cores));
      ++count;
    }
  }
  return sum / count;
}

TEST(Saturation, MissesPublishedStreamLeast) {
  const double chosen = missed([](double one, int cores, double all, int of) {
    return saturating(one, all, saturation({}, "cached", 1, cores, of));
  });
  EXPECT_NEAR(chosen, 0.1, 0.005);
  for (const double q : {1., 2., 4., 5., 8.}) {
    const double other = missed([q](double one, int cores, double all, int of) {
      const double share = (std::pow(cores, q) - 1) / (std::pow(of, q) - 1);
      return std::pow(std::pow(one, q) + share * (std::pow(all, q) - std::pow(one, q)), 1 / q);
    });
    EXPECT_GT(other, chosen) << q;
    if (q == 1) {
      EXPECT_NEAR(other, 0.154, 0.001) << "a straight line";
    }
  }
}

constexpr double of_core = 25e9;  // byte/s
constexpr int all_ranks = 64;

MemoryCurve curve_of(int ranks, double bytes_per_s) {
  return {.ranks = ranks,
          .rereads = 0,
          .stores = "cached",
          .precision = "f64",
          .points = {{1e6, Quantity::exact(1e11)}, {1e9, Quantity::exact(bytes_per_s)}}};
}

/// A node whose ranks get `rate`, its curves measured by one rank and all, its STREAM by `counts`.
template <class Rate>
Machine node_with(Rate rate, const std::vector<int>& counts) {
  Machine machine;
  DeviceParameters& device = machine.device;
  device.kind = "cpu";
  device.memory = {curve_of(1, rate(1)), curve_of(all_ranks, rate(all_ranks))};
  for (const int ranks : counts)
    device.stream.push_back({"copy", ranks, "cached", "f64", Quantity::exact(rate(ranks) / 2)});
  return machine;
}

double bytes_per_s(const Machine& machine, int ranks, double working_set = 1e9) {
  const KernelTimer timer(machine, 0, {"f64", "cached", ranks});
  return 1 / timer.memory(working_set).value;
}

const std::vector<int> doubled{1, 2, 4, 8, 16, 32, 64};

double of_one_memory(int ranks) { return std::min(of_core, 400e9 / ranks); }

/// Four memories of 100 GB/s, filled one after the other: the slowest rank's share.
double of_four_memories(int ranks) { return std::min(of_core, 100e9 / std::min(ranks, 16)); }

TEST(Saturation, OfANodesMemoryFromOneRankAndAll) {
  const Machine machine = node_with(of_one_memory, {1, all_ranks});
  for (const int ranks : {1, 64}) EXPECT_NEAR(bytes_per_s(machine, ranks), of_one_memory(ranks), 1);
  const std::map<int, double> slower{{2, 1}, {4, 1.005}, {8, 1.04}, {16, 1.26}, {32, 1.033}};
  for (const auto& [ranks, times] : slower)
    EXPECT_NEAR(of_one_memory(ranks) / bytes_per_s(machine, ranks), times, 0.005) << ranks;
  EXPECT_NEAR(bytes_per_s(machine, 16, 1e6), 1e11, 1) << "a core's own cache";
}

TEST(Saturation, IsWhatStreamMeasuredBetweenOneRankAndAll) {
  for (auto* const rate : {of_one_memory, of_four_memories}) {
    const Machine machine = node_with(rate, doubled);
    for (const int ranks : {1, 2, 4, 8, 12, 16, 24, 32, 48, 64})
      EXPECT_NEAR(bytes_per_s(machine, ranks) / rate(ranks), 1, 1e-9) << ranks;
    EXPECT_NEAR(bytes_per_s(machine, 16, 1e6), 1e11, 1);
  }
}

TEST(Saturation, OfMemoriesFilledOneAfterTheOtherNeedsToBeMeasured) {
  const Machine machine = node_with(of_four_memories, {1, all_ranks});
  EXPECT_NEAR(bytes_per_s(machine, 16) / of_four_memories(16), 3.18, 0.01);
  // Of twelve cores each: between eight ranks and sixteen.
  const auto of_twelves = [](int ranks) { return std::min(of_core, 75e9 / std::min(ranks, 12)); };
  const Machine twelves = node_with(of_twelves, doubled);
  EXPECT_NEAR(bytes_per_s(twelves, 12) / of_twelves(12), 1.23, 0.01);
}

TEST(Saturation, OfCopiesThatDoNotSlowDownIsTheLaw) {
  const Machine machine = node_with([](int) { return of_core; }, doubled);
  EXPECT_NEAR(bytes_per_s(machine, 16), of_core, 1);
  EXPECT_DOUBLE_EQ(saturation(machine.device.stream, "cached", 1, 16, 64),
                   saturation({}, "cached", 1, 16, 64));
}

/// Seconds a byte: the core's own and the memory's, which all ranks share.
TEST(MemoryRate, OfADataSheetsCpuIsSharedByItsNodesRanks) {
  Machine machine = find_machine("rztopaz");
  const DeviceParameters& device = machine.device;
  const DeviceClass& known = class_of(device);
  const double core = known.core_bandwidth_bytes_per_s->value;
  const double node =
      36 * known.memory_efficiency.value * device.memory_bandwidth_bytes_per_s.value;
  for (const int ranks : {1, 4, 16, 36, 72})
    EXPECT_NEAR(memory_rate(machine, ranks, Bound::value), 1 / (1 / core + ranks / node), 1);
  EXPECT_LT(memory_rate(machine, 4, Bound::slowest), memory_rate(machine, 4, Bound::value));
  // Whose own share is known is no slower alone than a core may be.
  machine.device.memory_efficiency = Quantity::exact(1);
  machine.device.memory_bandwidth_bytes_per_s = Quantity::exact(2 * core);
  EXPECT_NEAR(memory_rate(machine, 1, Bound::value), 2 * core, 1);
}

TEST(MemoryRate, OfAGpuIsItsOwn) {
  const Machine machine = find_machine("h100-node");
  EXPECT_DOUBLE_EQ(memory_rate(machine, 1, Bound::value), memory_rate(machine, 8, Bound::value));
}

}  // namespace
}  // namespace bellwether
