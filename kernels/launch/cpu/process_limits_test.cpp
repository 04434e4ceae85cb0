// SPDX-License-Identifier: MIT
#include "kernels/launch/cpu/process_limits.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace bellwether {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t gib = std::size_t{1} << 30;

/// A system's /proc and /sys as files.
class System : public testing::Test {
 protected:
  System() {
    write("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n");
    write("proc/self/status", "Name:\tbellwether\nVmSize:\t  524288 kB\nVmData:\t  262144 kB\n");
    limits("unlimited", "unlimited");
  }
  ~System() override { fs::remove_all(root_); }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void limits(const std::string& address_space, const std::string& data) const {
    write("proc/self/limits",
          "Limit                     Soft Limit           Hard Limit           Units     \n"
          "Max data size             " +
              data +
              "     unlimited     bytes     \n"
              "Max address space         " +
              address_space + "     unlimited     bytes     \n");
  }
  /// v2 alone, as systemd mounts it.
  void unified(const std::string& group, const std::string& mounted = "/") const {
    write("proc/self/cgroup", "0::" + group + "\n");
    write("proc/self/mountinfo",
          "30 23 0:26 " + mounted +
              " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
  }
  /// A hierarchy each of v1, and an empty one of v2 beside them.
  void legacy(const std::string& group, const std::string& mounted = "/") const {
    write("proc/self/cgroup",
          "4:memory:" + group + "\n3:cpu,cpuacct:" + group + "\n1:name=systemd:/\n0::/\n");
    write("proc/self/mountinfo",
          "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
          "32 31 0:29 " +
              mounted +
              " /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
              "35 31 0:32 " +
              mounted +
              " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
              "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
    write("sys/fs/cgroup/unified/cgroup.procs", "");
  }
  [[nodiscard]] std::vector<MemoryPool> pools() const { return host_memory_pools(root_); }
  [[nodiscard]] std::size_t available() const { return least_available(pools()).available; }
  [[nodiscard]] std::vector<CpuQuota> quotas() const { return cpu_quotas(root_); }

 private:
  const fs::path root_ =
      fs::temp_directory_path() / ("process-limits-" + std::to_string(::getpid()));
};

TEST_F(System, WithoutLimitsTheMachineHasWhatLinuxSays) {
  ASSERT_EQ(pools().size(), 1U);
  EXPECT_EQ(available(), 4 * gib);
  EXPECT_EQ(available_text(pools().front()), "4.00 GiB are available");
  EXPECT_TRUE(quotas().empty());
}

TEST_F(System, LimitsOfAllGroupsAroundItHold) {
  unified("/slurm/job_7/step_0/task_0");
  const std::string job = "sys/fs/cgroup/slurm/job_7/";
  write(job + "memory.max", "1073741824\n");
  write(job + "memory.current", "536870912\n");
  write(job + "memory.stat", "anon 268435456\ninactive_file 201326592\nactive_file 67108864\n");
  write(job + "step_0/memory.max", "max\n");
  write(job + "step_0/task_0/memory.max", "2147483648\n");
  write(job + "step_0/task_0/memory.current", "0\n");
  EXPECT_EQ(available(), 3 * gib / 4) << "its file cache gives way";
  ASSERT_EQ(pools().size(), 3U);
  EXPECT_EQ(available_text(least_available(pools())),
            "0.75 GiB are available of the 1.00 GiB that control group "
            "/sys/fs/cgroup/slurm/job_7 allows");
  const std::string own = pools()[1].name;
  EXPECT_NE(own, pools()[2].name) << "the task's is not shared with the job's other tasks";
  write(job + "memory.high", "536870912\n");
  EXPECT_EQ(available(), gib / 4);
  write(job + "memory.current", "2147483648\n");
  EXPECT_EQ(available(), 0U);
}

TEST_F(System, LimitsOfTheFirstVersionHold) {
  legacy("/job");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(pools().size(), 1U);
  const std::string job = "sys/fs/cgroup/memory/job/";
  write(job + "memory.limit_in_bytes", "1073741824\n");
  write(job + "memory.usage_in_bytes", "268435456\n");
  write(job + "memory.stat", "inactive_file 7\ntotal_inactive_file 134217728\n");
  EXPECT_EQ(available(), 7 * gib / 8);
  write(job + "memory.memsw.limit_in_bytes", "536870912\n");
  EXPECT_EQ(available(), 3 * gib / 8);
}

TEST_F(System, GroupsAreFoundFromWithinAContainer) {
  // The container's group is the mounted root, and its name is the host's.
  legacy("/docker/4f/inner", "/docker/4f");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "1073741824\n");
  write("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "536870912\n");
  EXPECT_EQ(available(), gib / 2);
  // It has left its namespace's root, of which alone anything can be read.
  unified("/../other");
  write("sys/fs/cgroup/memory.max", "1073741824\n");
  EXPECT_EQ(available(), gib);
  // The name says nothing of what is mounted.
  legacy("/kubepods/4f");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "268435456\n");
  EXPECT_EQ(available(), gib / 4);
}

TEST_F(System, UlimitsAreTheProcessOwn) {
  limits("1610612736", "unlimited");
  EXPECT_EQ(available(), 3 * gib / 4) << "of 1.5 GiB half a GiB is mapped, a quarter is left";
  EXPECT_EQ(least_available(pools()).name, "");
  EXPECT_EQ(available_text(least_available(pools())),
            "0.75 GiB are available of the 1.50 GiB that ulimit -v allows");
  limits("1610612736", "805306368");
  EXPECT_EQ(available(), gib / 4);
  limits("1000", "1000");
  EXPECT_EQ(available(), 0U);
}

TEST_F(System, QuotasOfAllGroupsAroundItHold) {
  unified("/job/step");
  write("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  write("sys/fs/cgroup/job/cpu.stat",
        "usage_usec 9\nnr_periods 73\nnr_throttled 10\nthrottled_usec 190000\n");
  write("sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  ASSERT_EQ(quotas().size(), 1U);
  EXPECT_EQ(quotas()[0].group, "/sys/fs/cgroup/job");
  EXPECT_DOUBLE_EQ(quotas()[0].cpus, 1.5);
  EXPECT_EQ(quotas()[0].periods, 73);
  EXPECT_EQ(quotas()[0].throttled_periods, 10);
  EXPECT_DOUBLE_EQ(quotas()[0].throttled_s, 0.19);
}

TEST_F(System, QuotasOfTheFirstVersionHold) {
  legacy("/job");
  write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_TRUE(quotas().empty());
  write("sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  write("sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu/job/cpu.stat",
        "nr_periods 4\nnr_throttled 2\nthrottled_time 25000000\n");
  ASSERT_EQ(quotas().size(), 1U);
  EXPECT_DOUBLE_EQ(quotas()[0].cpus, 0.5);
  EXPECT_DOUBLE_EQ(quotas()[0].throttled_s, 0.025);
}

TEST(OutOfMemoryText, SaysHowMuchWasNeededAndThereIs) {
  const std::string text = OutOfMemory(std::size_t{3} << 60).what();
  EXPECT_TRUE(text.starts_with("not enough memory: 3221225472.00 GiB more are needed, and "))
      << text;
  EXPECT_NE(text.find(" GiB are available"), text.npos) << text;
}

}  // namespace
}  // namespace bellwether
