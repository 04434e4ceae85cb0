// SPDX-License-Identifier: MIT
#include "models/network/halo_cost.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/network/test_links.hpp"

namespace bellwether {
namespace {

constexpr double shared_s = 1e-6, shared_rate = 4e9, network_s = 3e-6, network_rate = 1e9;

/// Exchanges as measured; each further one of a rank takes half as long.
Link link(double latency_s, double bandwidth, double hideable) {
  Link link;
  link.one_way = line(latency_s, 2 * bandwidth);
  link.exchange = line(latency_s, bandwidth);
  link.gap = line(latency_s / 2, 2 * bandwidth);
  link.exposed_exchange = {{1, Quantity::exact(1 - hideable)}};
  return link;
}

Machine machine_of(const char* kind) {
  Machine machine;
  machine.name = "small";
  machine.device.kind = kind;
  machine.links["shared_memory"] = link(shared_s, shared_rate, 0.25);
  machine.links["network"] = link(network_s, network_rate, 0.75);
  return machine;
}

double exchange(double latency_s, double bandwidth, double bytes) {
  return latency_s + bytes / bandwidth;
}

/// Each of `count` exchanges at once.
double among(double count, double latency_s, double bandwidth, double bytes) {
  return exchange(latency_s, bandwidth, bytes) * (1 + (count - 1) / 2) / count;
}

HaloTimes times(const Machine& machine, const HaloExchange& halo) {
  return HaloCost(Paths(machine, {2}), 2, 1).times(halo, Bound::value);
}

const HaloExchange two_near_three_far{.messages = {{Across::same_node, 2, 1e4},
                                                   {Across::other_node, 1, 2e4},
                                                   {Across::other_node, 2, 500}}};

TEST(HaloCost, MessagesOfAPathAreAtOnce) {
  const Machine machine = machine_of("cpu");
  const double near = 2 * among(2, shared_s, shared_rate, 1e4);
  const double far =
      among(3, network_s, network_rate, 2e4) + 2 * among(3, network_s, network_rate, 500);
  const HaloTimes both = times(machine, two_near_three_far);
  EXPECT_NEAR(both.network, near + far, 1e-15);
  EXPECT_NEAR(both.hideable, 0.25 * near + 0.75 * far, 1e-15);
  EXPECT_EQ(both.hidden(1e-9), 1e-9);
  EXPECT_EQ(both.hidden(1), both.hideable);
  EXPECT_EQ(both.to_host + both.to_device + both.wait, 0);
  EXPECT_EQ(times(machine, {}).network, 0);
}

TEST(HaloCost, WithoutSharedMemoryAllAreOnTheNetworkAtOnce) {
  Machine machine = machine_of("cpu");
  machine.links.erase("shared_memory");
  EXPECT_NEAR(times(machine, two_near_three_far).network,
              2 * among(5, network_s, network_rate, 1e4) + among(5, network_s, network_rate, 2e4) +
                  2 * among(5, network_s, network_rate, 500),
              1e-15);
}

TEST(HaloCost, WhatTheTopologyAddsIsTheNetworksAlone) {
  const Machine machine = machine_of("cpu");
  HaloExchange halo = two_near_three_far;
  const HaloTimes without = times(machine, halo);
  halo.contention_s = 7e-6;
  EXPECT_NEAR(times(machine, halo).network, without.network + 7e-6, 1e-15);
  EXPECT_NEAR(times(machine, halo).hideable, without.hideable + 7e-6, 1e-15);
  halo.contention_s = -1;  // its links are faster than a node's, which shared memory does not know
  const double near = 2 * among(2, shared_s, shared_rate, 1e4);
  EXPECT_NEAR(times(machine, halo).network, near, 1e-15);
  EXPECT_NEAR(times(machine, halo).hideable, 0.25 * near, 1e-15);
  halo.messages.resize(1);
  halo.contention_s = 7e-6;
  EXPECT_NEAR(times(machine, halo).network, near, 1e-15) << "none between nodes";
}

TEST(HaloCost, MpiIsFetchedOnceAndForItsAnnouncementsFirst) {
  Machine machine = machine_of("cpu");
  const auto sweeps = [](double none_s, double many_s) {
    return std::vector<SweptExchange>{
        {1e6, {{1, Quantity::exact(none_s)}, {2e4, Quantity::exact(many_s)}}}};
  };
  machine.links["shared_memory"].after_sweep = sweeps(3e-6, 5e-6);
  machine.links["network"].after_sweep = sweeps(1e-6, 9e-6);
  HaloExchange halo = two_near_three_far;
  const HaloTimes warm = times(machine, halo);
  halo.swept_bytes = 1e6;
  EXPECT_NEAR(times(machine, halo).network, warm.network + 9e-6, 1e-15);
  EXPECT_EQ(times(machine, halo).hideable, warm.hideable);
  halo.announced = true;
  EXPECT_NEAR(times(machine, halo).wait, 3e-6, 1e-15);
  EXPECT_NEAR(times(machine, halo).network, warm.network + 9e-6 - 3e-6, 1e-15);
}

TEST(HaloCost, ACpuCopiesNoLongerThanItPacks) {
  Machine machine = machine_of("cpu");
  HaloExchange halo = two_near_three_far;
  halo.staged = true;
  halo.pack_s = 1;
  EXPECT_EQ(times(machine, halo).to_host, 0) << "no link";
  machine.links["staging"].one_way = line(2e-7, 1e10);
  const double copy = 2e-7 + (2 * 1e4 + 2e4 + 2 * 500) / 1e10;
  for (const bool overlap : {false, true}) {
    halo.overlap = overlap;
    halo.pack_s = 1;
    EXPECT_NEAR(times(machine, halo).to_host, copy, 1e-15);
    EXPECT_NEAR(times(machine, halo).to_device, copy, 1e-15);
    halo.pack_s = 1e-7;
    EXPECT_EQ(times(machine, halo).to_host, 1e-7);
  }
  halo.staged = false;
  EXPECT_EQ(times(machine, halo).to_host, 0);
}

TEST(HaloCost, AGpusEnginesCopyBesideTheInterior) {
  Machine machine = machine_of("gpu");
  machine.links["device_to_host"].one_way = line(1e-5, 1e9);
  machine.links["host_to_device"].one_way = line(2e-5, 5e8);
  HaloExchange halo = two_near_three_far;
  const HaloTimes direct = times(machine, halo);
  halo.staged = true;
  const double down = 1e-5 + 4.1e4 / 1e9, up = 2e-5 + 4.1e4 / 5e8;
  const HaloTimes off = times(machine, halo);
  EXPECT_NEAR(off.to_host, down, 1e-15);
  EXPECT_NEAR(off.to_device, up, 1e-15);
  EXPECT_EQ(off.network, direct.network);
  halo.overlap = true;
  const HaloTimes on = times(machine, halo);
  EXPECT_TRUE(on.copies_beside);
  EXPECT_NEAR(on.network, direct.network + down + up, 1e-15);
  EXPECT_NEAR(on.hideable, direct.hideable + down + up, 1e-15);
  halo.messages.clear();
  EXPECT_EQ(times(machine, halo).network, 0);
}

TEST(HaloCost, SaysWhatIsMissing) {
  Machine machine = machine_of("gpu");
  HaloExchange halo = two_near_three_far;
  halo.staged = true;
  std::vector<std::string> notes;
  HaloCost(Paths(machine, {2}), 2).note(halo, notes);
  ASSERT_FALSE(notes.empty());
  EXPECT_EQ(notes.back(), "not calibrated: no links.host_to_device, its copies are left out");
  machine.links.erase("network");
  EXPECT_THROW((void)times(machine, halo), BadInput);
}

}  // namespace
}  // namespace bellwether
