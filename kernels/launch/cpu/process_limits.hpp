// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <new>
#include <string>
#include <utility>
#include <vector>

namespace bellwether {

// What the system lets this process take: its control groups with all groups around them, as Slurm,
// systemd and containers nest them, of v1, v2 or both; and its own resource limits (ulimit). Read
// from /proc and from where mountinfo says that the groups are; tests put a tree of their own under
// `root`. What cannot be read limits nothing.

/// A memory that allocations are taken from.
struct MemoryPool {
  /// Opaque: equal in two processes under one kernel that take from the same; empty: this process
  /// takes from it alone.
  std::string name;
  std::size_t available = 0;  ///< bytes that can still be allocated
  /// "1.00 GiB that control group /sys/fs/cgroup/job_7 allows"; empty: the hardware limits it.
  std::string limit = {};
};

/// Of the host's memory, each of which must have what is allocated: the machine's (what Linux says
/// can be had without swapping), those of control groups with a limit, whose file cache counts as
/// available, and of RLIMIT_AS and RLIMIT_DATA, less 256 MiB for libraries. The first is the
/// machine's.
std::vector<MemoryPool> host_memory_pools(const std::filesystem::path& root = "/");

/// The pool with the least available. Not empty.
const MemoryPool& least_available(const std::vector<MemoryPool>& pools);

/// "0.50 GiB are available of the 1.00 GiB that …"
std::string available_text(const MemoryPool& pool);

/// std::bad_alloc that says how much was asked for, and how much there was.
class OutOfMemory : public std::bad_alloc {
 public:
  explicit OutOfMemory(std::string text) : text_(std::move(text)) {}
  /// Of so many bytes on the host.
  explicit OutOfMemory(std::size_t bytes);
  [[nodiscard]] const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

/// A control group's quota: its processes together run on so many CPUs' time, and no longer in each
/// period.
struct CpuQuota {
  std::string name;   ///< as MemoryPool's
  std::string group;  ///< "/sys/fs/cgroup/cpu/job_7"
  double cpus = 0;
  // Since the group was made (cpu.stat); seconds are of all CPUs together.
  long periods = 0, throttled_periods = 0;
  double throttled_s = 0;
};

/// The quotas of the process' control groups, the innermost first; empty: it has none.
std::vector<CpuQuota> cpu_quotas(const std::filesystem::path& root = "/");

}  // namespace bellwether
