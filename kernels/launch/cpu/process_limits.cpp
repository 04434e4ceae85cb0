// SPDX-License-Identifier: MIT
#include "kernels/launch/cpu/process_limits.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>

namespace bellwether {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::string gibibytes(std::size_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f GiB", static_cast<double>(bytes) / (1 << 30));
  return text;
}

/// The file's first number; absent where there is none, as of "max".
std::optional<std::size_t> number_in(const fs::path& file) {
  std::ifstream stream(file);
  std::size_t number = 0;
  return stream >> number ? std::optional(number) : std::nullopt;
}

/// Lines "key value ...", whose keys may end in a colon.
std::map<std::string, std::size_t> numbers_in(const fs::path& file) {
  std::ifstream stream(file);
  std::map<std::string, std::size_t> numbers;
  for (std::string line; std::getline(stream, line);) {
    std::istringstream words(line);
    std::string key;
    std::size_t number = 0;
    if (!(words >> key >> number)) continue;
    if (key.back() == ':') key.pop_back();
    numbers[key] = number;
  }
  return numbers;
}

bool has_word(const std::string& list, const std::string& word) {
  return ("," + list + ",").find("," + word + ",") != std::string::npos;
}

/// A hierarchy of control groups as it is mounted.
struct Mount {
  bool is_v2 = false;
  fs::path root;   ///< the group that is mounted, …
  fs::path point;  ///< … and where
};

/// Those that can have the controller.
std::vector<Mount> mounts_with(const fs::path& root, const std::string& controller) {
  std::ifstream stream(root / "proc/self/mountinfo");
  std::vector<Mount> mounts;
  for (std::string line; std::getline(stream, line);) {
    // proc(5): "36 35 98:0 /root /point options optional… - type source super_options"
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream before(line), after(line.substr(dash + 3));
    std::string number, parent, device, group, point, type, source, options;
    before >> number >> parent >> device >> group >> point;
    after >> type >> source >> options;
    if (type == "cgroup2" || (type == "cgroup" && has_word(options, controller)))
      mounts.push_back({type == "cgroup2", group, point});
  }
  return mounts;
}

/// A control group that the process is in, itself or by one of the groups within it.
struct Group {
  bool is_v2 = false;
  fs::path folder;    ///< under the root that was asked for
  std::string shown;  ///< as the process' own tree has it
  std::string name;   ///< of its inode: no path, which each namespace has its own of
};

/// Of one controller, the innermost first.
std::vector<Group> groups_of(const fs::path& root, const std::string& controller) {
  std::vector<Group> groups;
  for (const Mount& mount : mounts_with(root, controller)) {
    std::ifstream stream(root / "proc/self/cgroup");  // "4:cpu,cpuacct:/path"; of v2 "0::/path"
    for (std::string line; std::getline(stream, line);) {
      const std::size_t first = line.find(':'), second = line.find(':', first + 1);
      if (second == std::string::npos) continue;
      const std::string controllers = line.substr(first + 1, second - first - 1);
      if (mount.is_v2 ? !controllers.empty() : !has_word(controllers, controller)) continue;
      // What lies outside of the mounted group, as seen from a namespace, cannot be read.
      fs::path below = fs::path(line.substr(second + 1)).lexically_relative(mount.root);
      if (below.empty() || *below.begin() == "..") below = ".";
      for (fs::path at = (mount.point / below).lexically_normal();; at = at.parent_path()) {
        if (!at.has_filename()) at = at.parent_path();
        const fs::path folder = root / at.relative_path();
        struct stat status {};
        if (stat(folder.c_str(), &status) == 0)
          groups.push_back({mount.is_v2, folder, at,
                            std::to_string(status.st_dev) + ":" + std::to_string(status.st_ino)});
        if (at == mount.point || at == at.parent_path()) break;
      }
    }
  }
  return groups;
}

/// Without a limit: absent.
std::optional<MemoryPool> memory_of(const Group& group) {
  const auto least = [&](const char* one, const char* other) {
    return std::min(number_in(group.folder / one).value_or(unlimited),
                    number_in(group.folder / other).value_or(unlimited));
  };
  // Beyond memory.high the kernel slows a group down until it hardly runs.
  const std::size_t limit = group.is_v2
                                ? least("memory.max", "memory.high")
                                : least("memory.limit_in_bytes", "memory.memsw.limit_in_bytes");
  if (limit >= std::size_t{1} << 60) return {};  // v1's word for none is 2^63 less a page
  const std::size_t taken =
      number_in(group.folder / (group.is_v2 ? "memory.current" : "memory.usage_in_bytes"))
          .value_or(0);
  // The file cache gives way.
  auto stat = numbers_in(group.folder / "memory.stat");
  const std::string all = group.is_v2 ? "" : "total_";
  const std::size_t cache = stat[all + "active_file"] + stat[all + "inactive_file"];
  const std::size_t held = taken - std::min(taken, cache);
  return MemoryPool{group.name, limit - std::min(limit, held),
                    gibibytes(limit) + " that control group " + group.shown + " allows"};
}

/// The process' own limits, in the words of proc(5), with what it has taken of each.
void add_resource_limits(const fs::path& root, std::vector<MemoryPool>& pools) {
  // OpenBLAS maps 128 MiB in each thread when that first multiplies, and where it cannot, tries
  // again for ever: two are left for that and for what other libraries map later.
  constexpr std::size_t for_libraries = std::size_t{256} << 20;
  auto taken = numbers_in(root / "proc/self/status");
  std::ifstream stream(root / "proc/self/limits");
  for (std::string line; std::getline(stream, line);)
    for (const auto& [words, option, key] : {std::array{"Max address space", "-v", "VmSize"},
                                             std::array{"Max data size", "-d", "VmData"}}) {
      if (!line.starts_with(words)) continue;
      std::istringstream rest(line.substr(std::string(words).size()));
      std::size_t limit = 0;
      if (!(rest >> limit)) continue;  // unlimited
      pools.push_back({"", limit - std::min(limit, 1024 * taken[key] + for_libraries),
                       gibibytes(limit) + " that ulimit " + option + " allows"});
    }
}

std::optional<CpuQuota> quota_of(const Group& group) {
  double quota = 0, period = 0;
  if (group.is_v2) {
    std::ifstream stream(group.folder / "cpu.max");
    if (!(stream >> quota >> period)) return {};  // "max 100000"
  } else {
    quota = static_cast<double>(number_in(group.folder / "cpu.cfs_quota_us").value_or(0));
    period = static_cast<double>(number_in(group.folder / "cpu.cfs_period_us").value_or(0));
  }
  if (!(quota > 0 && period > 0 && quota < 1e15)) return {};
  auto stat = numbers_in(group.folder / "cpu.stat");
  const auto count = [&](const char* key) { return static_cast<long>(stat[key]); };
  return CpuQuota{group.name,
                  group.shown,
                  quota / period,
                  count("nr_periods"),
                  count("nr_throttled"),
                  group.is_v2 ? 1e-6 * static_cast<double>(stat["throttled_usec"])
                              : 1e-9 * static_cast<double>(stat["throttled_time"])};
}

}  // namespace

std::vector<MemoryPool> host_memory_pools(const fs::path& root) {
  const auto machine = numbers_in(root / "proc/meminfo");
  const auto free = machine.find("MemAvailable");
  std::vector<MemoryPool> pools{
      {"machine", free == machine.end() ? unlimited : 1024 * free->second}};
  for (const Group& group : groups_of(root, "memory"))
    if (auto pool = memory_of(group)) pools.push_back(std::move(*pool));
  add_resource_limits(root, pools);
  return pools;
}

const MemoryPool& least_available(const std::vector<MemoryPool>& pools) {
  return *std::min_element(
      pools.begin(), pools.end(),
      [](const MemoryPool& a, const MemoryPool& b) { return a.available < b.available; });
}

std::string available_text(const MemoryPool& pool) {
  const std::string text = gibibytes(pool.available) + " are available";
  return pool.limit.empty() ? text : text + " of the " + pool.limit;
}

OutOfMemory::OutOfMemory(std::size_t bytes)
    : OutOfMemory("not enough memory: " + gibibytes(bytes) + " more are needed, and " +
                  available_text(least_available(host_memory_pools()))) {}

std::vector<CpuQuota> cpu_quotas(const fs::path& root) {
  std::vector<CpuQuota> quotas;
  for (const Group& group : groups_of(root, "cpu"))
    if (auto quota = quota_of(group)) quotas.push_back(std::move(*quota));
  return quotas;
}

}  // namespace bellwether
