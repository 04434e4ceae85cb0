// SPDX-License-Identifier: MIT
#include "results/energy_counters.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "results/powercap_tree_test.hpp"

namespace bellwether {
namespace {

const std::string energy_library = FAKE_NVML_FOLDER "/good/libnvidia-ml.so";
const GpuNames counted_gpu{"NVIDIA H100", "GPU-00010203-0405-0607-0809-0a0b0c0d0e0f", "", ""};
const GpuNames uncounted_gpu{"Tesla K80", "GPU-11111111-1111-1111-1111-111111111111", "", ""};

/// As a node with two packages shows it, by two sets of registers.
void add_node(const PowercapTree& tree) {
  std::filesystem::create_directories(tree.folder() + "/intel-rapl");  // the controller itself
  tree.add("intel-rapl:0", "package-0", 5'000'000);
  tree.add("intel-rapl:0:0", "core", 4'000'000);
  tree.add("intel-rapl:0:1", "dram", 1'000'000);
  tree.add("intel-rapl:0:2", "uncore", 700'000);
  tree.add("intel-rapl:1", "package-1-die-0", 6'000'000);
  tree.add("intel-rapl:1:0", "dram", 2'000'000);
  tree.add("intel-rapl:2", "psys", 9'000'000);
  tree.add("intel-rapl-mmio:0", "package-0", 5'000'000);
}

TEST(EnergyCounters, PackagesAndTheirMemoryAddUpWithoutPartsAndWholesOfThem) {
  const PowercapTree tree;
  add_node(tree);
  EnergyCounters counters(tree.folder(), nullptr);
  EXPECT_EQ(counters.absent(), "");
  EXPECT_EQ(counters.read(), (Joules{0, 0, std::nullopt}));
  for (const char* zone : {"intel-rapl:0:0", "intel-rapl:0:2", "intel-rapl:2", "intel-rapl-mmio:0"})
    tree.count(zone, 99'000'000);
  tree.count("intel-rapl:0", 7'500'000);
  tree.count("intel-rapl:1", 16'000'000);
  tree.count("intel-rapl:1:0", 2'250'000);
  EXPECT_EQ(counters.read(), (Joules{2.5 + 10, 0.25, std::nullopt}));
  tree.count("intel-rapl:0:1", 2'000'000);
  EXPECT_EQ(counters.read(), (Joules{12.5, 1.25, std::nullopt}));
}

TEST(EnergyCounters, AZoneThatWrapsAroundGoesOn) {
  const PowercapTree tree;
  tree.add("intel-rapl:0", "package-0", 900'000'000, 1'000'000'000);
  EnergyCounters counters(tree.folder(), nullptr);
  for (const double kilojoules : {1., 2., 3.}) {
    tree.count("intel-rapl:0", 400'000'000);
    EXPECT_DOUBLE_EQ(*counters.read()[0], 1e3 * kilojoules - 500);
    tree.count("intel-rapl:0", 900'000'000);
    EXPECT_DOUBLE_EQ(*counters.read()[0], 1e3 * kilojoules);
  }
}

TEST(EnergyCounters, AZoneThatWrapsAroundBetweenTwoReadingsIsReadMeanwhile) {
  const PowercapTree tree;
  tree.add("intel-rapl:0", "package-0", 0, 1'000'000'000);
  EnergyCounters counters(tree.folder(), nullptr, std::chrono::milliseconds(1));
  for (const long long now : {600'000'000, 200'000'000, 800'000'000, 400'000'000}) {
    tree.count("intel-rapl:0", now);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
  }
  EXPECT_DOUBLE_EQ(*counters.read()[0], 2400);
}

TEST(EnergyCounters, WithoutAPackageThatIsSaid) {
  const PowercapTree tree;
  const std::string none = "no CPU package has a counter in ";
  EnergyCounters nowhere("/nowhere/powercap", nullptr);
  EXPECT_EQ(nowhere.absent(), none + "/nowhere/powercap");
  EXPECT_EQ(nowhere.read(), Joules{});
  EXPECT_EQ(EnergyCounters(tree.folder(), nullptr).absent(), none + tree.folder());
  tree.add("intel-rapl:0", "psys", 1);
  EXPECT_EQ(EnergyCounters(tree.folder(), nullptr).absent(), none + tree.folder());
  EXPECT_EQ(EnergyCounters("", nullptr).absent(), "") << "another rank reads them";
}

TEST(EnergyCounters, WhatRootAloneMayReadIsSaidWithWhatHelps) {
  const PowercapTree tree;
  add_node(tree);
  const std::string file = tree.energy_file("intel-rapl:1");
  ASSERT_EQ(chmod(file.c_str(), 0), 0);
  const uid_t user = geteuid();
  ASSERT_EQ(seteuid(user == 0 ? 65534 : user), 0);
  EnergyCounters counters(tree.folder(), nullptr);
  const Joules read = counters.read();
  ASSERT_EQ(seteuid(user), 0);
  EXPECT_EQ(counters.absent(), file +
                                   " cannot be read: root alone may since Linux 5.10, until an "
                                   "administrator says chmod a+r " +
                                   tree.folder() + "/intel-rapl:*/energy_uj");
  EXPECT_EQ(read, Joules{}) << "one package of two is no node";
}

TEST(EnergyCounters, WhatVanishesIsAbsentFromThenOn) {
  const PowercapTree tree;
  add_node(tree);
  EnergyCounters counters(tree.folder(), nullptr);
  tree.count("intel-rapl:0:1", 2'000'000);
  std::filesystem::remove(tree.energy_file("intel-rapl:0"));
  EXPECT_EQ(counters.read(), (Joules{std::nullopt, 1, std::nullopt}));
  tree.count("intel-rapl:0", 6'000'000);
  EXPECT_EQ(counters.read(), (Joules{std::nullopt, 1, std::nullopt}));
}

TEST(EnergyCounters, NvmlCountsAGpus) {
  void* const library = dlopen(energy_library.c_str(), RTLD_NOW);
  ASSERT_NE(library, nullptr) << dlerror();
  auto& millijoules = *static_cast<unsigned long long*>(dlsym(library, "fakeNvmlMillijoules"));
  millijoules = 7'000'000'000'000;
  const GpuMonitor gpu(counted_gpu, energy_library);
  EnergyCounters counters("", &gpu);
  EXPECT_EQ(counters.absent(), "");
  millijoules += 1'500;
  EXPECT_EQ(counters.read(), (Joules{std::nullopt, std::nullopt, 1.5}));
  dlclose(library);
}

TEST(EnergyCounters, AGpuThatTellsNoneIsSaid) {
  const GpuMonitor uncounted(uncounted_gpu, energy_library);
  EnergyCounters counters("", &uncounted);
  EXPECT_EQ(counters.absent(), "NVML tells none of Tesla K80");
  EXPECT_EQ(counters.read(), Joules{});
  const GpuMonitor unknown({}, "/nowhere/libnvidia-ml.so.1");
  EXPECT_EQ(EnergyCounters("/nowhere/powercap", &unknown).absent(),
            "no CPU package has a counter in /nowhere/powercap; NVML tells none of the GPU");
}

}  // namespace
}  // namespace bellwether
