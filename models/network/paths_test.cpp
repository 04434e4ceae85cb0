// SPDX-License-Identifier: MIT
#include "models/network/paths.hpp"

#include <gtest/gtest.h>

#include "models/errors.hpp"
#include "models/machine/test_full_machine.hpp"

namespace bellwether {
namespace {

TEST(Paths, IsSharedMemoryOnANodeAndNetworkBetween) {
  const Machine machine = full_machine();
  EXPECT_EQ(Paths(machine, {4}).between(0, 3).name, "shared_memory");
  EXPECT_EQ(Paths(machine, {4}).between(3, 4).name, "network");
}

TEST(Paths, IsTheNetworkWhereSharedMemoryIsNotKnown) {
  Machine machine = full_machine();
  machine.links.erase("shared_memory");
  EXPECT_EQ(Paths(machine, {4}).between(0, 3).name, "network");
}

TEST(Paths, NamesTheMissingLink) {
  Machine machine = full_machine();
  machine.links.erase("network");
  EXPECT_NO_THROW(Paths(machine, {4}).between(0, 3));
  try {
    (void)Paths(machine, {4}).between(3, 4);
    FAIL() << "a missing link was not noticed";
  } catch (const BadInput& error) {
    EXPECT_NE(std::string(error.what()).find("machine full"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("\"network\""), std::string::npos);
  }
}

TEST(Paths, OfDirectHalosAreBetweenGpusMemories) {
  Machine machine = full_machine();
  machine.device.kind = "gpu";
  machine.links["network_direct"] = machine.links["shared_memory_direct"] = {};
  const auto path = [&machine](Across across) {
    return Paths(machine, {4}, MessageMemory::device).to(across);
  };
  for (const auto& [across, name] : {std::pair{Across::same_node, std::string("shared_memory")},
                                     std::pair{Across::other_node, std::string("network")}}) {
    EXPECT_EQ(path(across).link, &machine.links.at(name + "_direct"));
    EXPECT_EQ(path(across).name, name);
    EXPECT_FALSE(path(across).from_host);
    EXPECT_EQ(Paths(machine, {4}).to(across).link, &machine.links.at(name));
    machine.links.erase(name + "_direct");
    EXPECT_EQ(path(across).link, &machine.links.at(name));
    EXPECT_TRUE(path(across).from_host);
    std::vector<std::string> notes;
    Paths::note_path(path(across), notes);
    EXPECT_EQ(notes, std::vector{"not calibrated: no links." + name + "_direct, " + name +
                                 " between host memories stands for it"});
  }
  // On a CPU a device's memory is the host's.
  machine.device.kind = "cpu";
  EXPECT_FALSE(path(Across::other_node).from_host);
}

TEST(Paths, ReducesInHostMemory) {
  Machine machine = full_machine();
  machine.allreduce.clear();
  std::vector<std::string> notes;
  const auto reduction = [&](MessageMemory memory) {
    return Paths(machine, {4}, memory).allreduce(8, Bound::value, notes);
  };
  const double seconds = reduction(MessageMemory::host);
  machine.links["network_direct"] = machine.links["shared_memory_direct"] =
      machine.links.at("staging");
  EXPECT_EQ(reduction(MessageMemory::device), seconds);
}

TEST(Paths, TreeStages) {
  const int counts[] = {1, 2, 3, 4, 5, 8, 9, 1024, 1025};
  const int steps[] = {0, 1, 2, 2, 3, 3, 4, 10, 11};
  for (int i = 0; i < 9; ++i) EXPECT_EQ(tree_stages(counts[i]), steps[i]) << counts[i];
}

TEST(Paths, TakeAMeasuredReduction) {
  Machine machine = full_machine();
  machine.allreduce = {
      {1, Quantity::exact(0)}, {4, Quantity::exact(2e-6)}, {16, Quantity::exact(6e-6)}};
  std::vector<std::string> notes;
  const auto at = [&](int ranks) {
    return Paths(machine, {24}).allreduce(ranks, Bound::value, notes);
  };
  EXPECT_DOUBLE_EQ(at(1), 0);
  EXPECT_DOUBLE_EQ(at(2), 1e-6);
  EXPECT_DOUBLE_EQ(at(4), 2e-6);
  EXPECT_DOUBLE_EQ(at(8), 4e-6);
  EXPECT_DOUBLE_EQ(at(16), 6e-6);
  EXPECT_TRUE(notes.empty());
  EXPECT_DOUBLE_EQ(at(256), 12e-6);
  EXPECT_EQ(notes.size(), 1u);
  // Measured on one node, of several it takes their messages at least: here of 1 ms.
  LinkTiming& network = machine.links["network"].one_way;
  network.segments.clear();
  network.latency_s = Quantity::exact(1e-3);
  network.bandwidth_bytes_per_s = Quantity::exact(8e6);
  machine.links.erase("shared_memory");
  machine.layout.ranks = machine.layout.ranks_per_node;
  EXPECT_DOUBLE_EQ(at(256), 8 * (1e-3 + 1e-6));
}

TEST(Paths, JoinRanksOverTheNetworkAsSoonAsThereAreTwoNodes) {
  Machine machine = full_machine();
  const auto joining = [&](int ranks) { return Paths(machine, {4}).joining(ranks).name; };
  EXPECT_EQ(joining(4), "shared_memory");
  EXPECT_EQ(joining(5), "network");
  machine.links.erase("network");
  EXPECT_THROW(joining(5), BadInput);
}

TEST(Paths, CopyOverAGpusLinksOrBetweenACpusBuffers) {
  Machine machine = full_machine();
  std::vector<std::string> notes;
  const Paths cpu(machine, {});
  EXPECT_EQ(cpu.to_host(), &machine.links["staging"].one_way);
  machine.links["staging_shared"] = machine.links["staging"];
  const Paths alone(machine, {1}), beside(machine, {2});
  EXPECT_EQ(alone.to_host(), &machine.links["staging"].one_way) << "nobody else has had it";
  EXPECT_EQ(beside.to_host(), &machine.links["staging_shared"].one_way);
  EXPECT_EQ(beside.to_device(), &machine.links["staging"].one_way);
  EXPECT_EQ(cpu.to_device(), cpu.to_host());
  machine.device.kind = "gpu";
  const Paths gpu(machine, {});
  EXPECT_EQ(gpu.to_host(), &machine.links["device_to_host"].one_way);
  EXPECT_EQ(gpu.to_device(), &machine.links["host_to_device"].one_way);
  gpu.note_copies(notes);
  EXPECT_TRUE(notes.empty());
  machine.links.erase("device_to_host");
  const Paths one_way(machine, {});
  EXPECT_EQ(one_way.to_host(), nullptr);
  one_way.note_copies(notes);
  EXPECT_EQ(notes, std::vector<std::string>{
                       "not calibrated: no links.device_to_host, its copies are left out"});
}

}  // namespace
}  // namespace bellwether
