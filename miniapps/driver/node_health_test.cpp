// SPDX-License-Identifier: MIT
#include "miniapps/driver/node_health.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <utility>

#include "miniapps/comm/session/test_session.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Reading = std::pair<json, std::string>;

/// A made-up /sys and /proc, this process's own.
class NodeHealth : public testing::Test {
 protected:
  NodeHealth() : root_(fs::path(testing::TempDir()) / ("health-" + std::to_string(getpid()))) {}
  ~NodeHealth() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  /// Two sockets of two NUMA nodes each, numbered as POWER numbers them; core n is on the n-th.
  void write_numa_nodes() const {
    const std::string distances[] = {"10 12 32 32", "12 10 32 32", "32 32 10 12", "32 32 12 10"};
    for (int n = 0; n < 4; ++n) {
      const std::string node = "node" + std::to_string(8 * n);
      write("sys/devices/system/node/" + node + "/distance", distances[n]);
      fs::create_directories(root_ / ("sys/devices/system/cpu/cpu" + std::to_string(n)) / node);
    }
    write("sys/devices/system/node/online", "0,8,16,24");
  }
  [[nodiscard]] std::map<std::string, Reading> read(const std::vector<int>& cores,
                                                    GpuMonitor* gpu = nullptr) const {
    std::map<std::string, Reading> found;
    for (const HealthReading& one : read_health(cores, gpu, root_))
      found.emplace(one.key, Reading(one.value, one.text));
    return found;
  }

 private:
  fs::path root_;
};

TEST_F(NodeHealth, OfCoresTheirOwnGovernorsAndHeatAreRead) {
  const std::string cpu = "sys/devices/system/cpu/cpu";
  for (const auto& [core, governor] :
       {std::pair{"0", "performance"}, {"1", "powersave"}, {"2", "ondemand"}})
    write(cpu + core + "/cpufreq/scaling_governor", governor);
  write(cpu + "0/thermal_throttle/core_throttle_count", "3");
  write(cpu + "0/thermal_throttle/package_throttle_count", "7");
  write(cpu + "2/thermal_throttle/core_throttle_count", "99");
  const auto found = read({0, 1});
  EXPECT_EQ(found.at("cpu_governor"), Reading(json({"performance", "powersave"}),
                                              "cores have the governor performance, powersave"));
  EXPECT_EQ(found.at("cpu_throttle_events"),
            Reading(7, "heat slowed a core or its package down 7 times since the system started"));
}

TEST_F(NodeHealth, TheKernelsSettingsAreRead) {
  write("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]");
  write("proc/sys/kernel/numa_balancing", "1");
  const auto found = read({0});
  EXPECT_EQ(found.at("transparent_hugepages"),
            Reading(json({"never"}), "transparent huge pages are set to never"));
  EXPECT_EQ(found.at("numa_balancing"), Reading(1, "kernel.numa_balancing is 1"));
}

TEST_F(NodeHealth, AQuotaThatStoppedTheGroupIsTold) {
  write("proc/self/mountinfo", "30 20 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw");
  write("proc/self/cgroup", "0::/job");
  write("sys/fs/cgroup/job/cpu.max", "150000 100000");
  write("sys/fs/cgroup/job/cpu.stat",
        "usage_usec 9\nnr_periods 73\nnr_throttled 10\nthrottled_usec 190000");
  EXPECT_EQ(
      read({0}).at("quota_throttled_s"),
      Reading(0.19, "a quota of 1.5 CPUs has stopped control group /sys/fs/cgroup/job for 0.19 s"));
}

TEST_F(NodeHealth, ADistanceIsThatOfTheNearestNode) {
  write_numa_nodes();
  write("sys/class/net/eth0/device/numa_node", "16");
  write("sys/class/infiniband/mlx5_0/device/numa_node", "0");
  write("sys/bus/pci/devices/0000:3b:00.0/numa_node", "24");
  GpuMonitor gpu({"", "", "00000000:3B:00.0", ""}, "/nowhere/libnvidia-ml.so.1");
  auto found = read({0}, &gpu);
  EXPECT_EQ(found.at("network_distance").first, 10) << "InfiniBand, not Ethernet, is for messages";
  EXPECT_EQ(found.at("gpu_distance"),
            Reading(32, "cores on NUMA node 0, the GPU on 24: distance 32"));
  found = read({1, 2}, &gpu);
  EXPECT_EQ(found.at("network_distance"),
            Reading(12, "cores on NUMA node 8, 16, the network card on 0: distance 12"));
  EXPECT_EQ(found.at("gpu_distance").first, 12);
  EXPECT_EQ(read({3}, &gpu).at("gpu_distance").first, 10);
  EXPECT_FALSE(read({3}).contains("gpu_distance"));
}

TEST_F(NodeHealth, WhatIsNotThereHasNoReading) {
  const std::map<std::string, Reading> no_quota{
      {"quota_throttled_s", read({0}).at("quota_throttled_s")}};
  EXPECT_EQ(no_quota.at("quota_throttled_s").first, 0);
  EXPECT_EQ(read({0}), no_quota);
  write_numa_nodes();
  write("sys/class/net/eth0/device/numa_node", "-1");
  write("sys/class/net/lo/operstate", "unknown");
  write("sys/kernel/mm/transparent_hugepage/enabled", "");
  write("proc/sys/kernel/numa_balancing", "what");
  write("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "");
  GpuMonitor gpu({"", "", "00000000:3b:00.0", ""}, "/nowhere/libnvidia-ml.so.1");
  EXPECT_EQ(read({0}, &gpu), no_quota);
  EXPECT_EQ(read({}), no_quota);
}

TEST(NodesHealth, AGpusFaultIsSaidOfEveryNode) {
  GpuMonitor gpu({"Tesla K80", "GPU-11111111-1111-1111-1111-111111111111", "00000000:3d:00.0", ""},
                 FAKE_NVML_FOLDER "/good/libnvidia-ml.so");
  const HealthLimits limits{.warn = {{"gpu_uncorrected_errors", 0}},
                            .fail = {{"gpu_repair_pending", 0}}};
  const HealthFindings found = look_at_health(test_session(), &gpu, limits);
  ASSERT_EQ(found.failures.size(), 1U);
  EXPECT_NE(found.failures[0].find(": GPU 00000000:3d:00.0: faulty memory is in use"),
            std::string::npos);
  ASSERT_EQ(found.untold.size(), 1U);
  EXPECT_TRUE(found.untold[0].ends_with(": nothing tells gpu_uncorrected_errors"))
      << found.untold[0];
  const HealthFindings without = look_at_health(test_session(), nullptr, limits);
  EXPECT_TRUE(without.failures.empty());
  EXPECT_TRUE(without.untold.empty()) << "no GPU computes";
}

}  // namespace
}  // namespace bellwether
