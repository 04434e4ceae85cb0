// SPDX-License-Identifier: MIT
#include "miniapps/driver/node_health.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <system_error>

#include "kernels/launch/cpu/process_limits.hpp"
#include "miniapps/comm/reduce.hpp"
#include "miniapps/comm/session/cores.hpp"

namespace bellwether {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) entries.push_back(entry.path());
  return entries;
}

/// N of a folder's entries "nodeN".
std::set<int> numa_nodes_in(const fs::path& folder) {
  std::set<int> nodes;
  for (const fs::path& entry : entries_of(folder)) {
    const std::string name = entry.filename();
    if (name.starts_with("node") && name.size() > 4 &&
        std::all_of(name.begin() + 4, name.end(), [](unsigned char c) { return std::isdigit(c); }))
      nodes.insert(std::stoi(name.substr(4)));
  }
  return nodes;
}

/// From the nearest of these cores' NUMA nodes to the nearest of `devices`'.
std::optional<int> numa_distance(const fs::path& root, const std::set<int>& cores,
                                 const std::set<int>& devices) {
  const fs::path folder = root / "sys/devices/system/node";
  const std::set<int> online = numa_nodes_in(folder);
  std::optional<int> nearest;
  for (const int from : cores) {
    std::ifstream file(folder / fmt::format("node{}", from) / "distance");
    const std::vector<int> distances{std::istream_iterator<int>(file), {}};
    if (distances.size() != online.size()) continue;
    auto distance = distances.begin();
    for (const int to : online) {
      if (devices.contains(to)) nearest = std::min(nearest.value_or(*distance), *distance);
      ++distance;
    }
  }
  return nearest;
}

/// A device's NUMA node, if it has one.
void add_numa_node(const fs::path& device, std::set<int>& nodes) {
  if (const int node = first_in<int>(device / "numa_node").value_or(-1); node >= 0)
    nodes.insert(node);
}

/// Those of the network cards: InfiniBand's and HPE's where there are any, else all.
std::set<int> nodes_of_network_cards(const fs::path& root) {
  std::set<int> nodes;
  for (const char* kind : {"infiniband", "cxi", "net"}) {
    for (const fs::path& card : entries_of(root / "sys/class" / kind))
      add_numa_node(card / "device", nodes);
    if (!nodes.empty()) break;
  }
  return nodes;
}

/// As /sys calls it what NVML calls "00000000:3B:00.0": "0000:3b:00.0".
std::string pci_folder(std::string bus_id) {
  while (bus_id.find(':') > 4 && bus_id.front() == '0') bus_id.erase(0, 1);
  std::transform(bus_id.begin(), bus_id.end(), bus_id.begin(),
                 [](unsigned char letter) { return std::tolower(letter); });
  return bus_id;
}

void read_cores(const fs::path& root, const std::vector<int>& cores,
                std::vector<HealthReading>& found) {
  std::set<std::string> governors;
  std::optional<long> throttled;
  for (const int core : cores) {
    const fs::path folder = root / fmt::format("sys/devices/system/cpu/cpu{}", core);
    if (const auto governor = first_in<std::string>(folder / "cpufreq/scaling_governor"))
      governors.insert(*governor);
    for (const char* whose : {"core", "package"})
      if (const auto events =
              first_in<long>(folder / "thermal_throttle" / fmt::format("{}_throttle_count", whose)))
        throttled = std::max(throttled.value_or(0), *events);
  }
  if (!governors.empty())
    found.push_back({"cpu_governor", "", governors,
                     fmt::format("cores have the governor {}", fmt::join(governors, ", "))});
  if (throttled)
    found.push_back({"cpu_throttle_events", "", *throttled,
                     fmt::format("heat slowed a core or its package down {} times since the "
                                 "system started",
                                 *throttled)});
}

void read_kernel(const fs::path& root, std::vector<HealthReading>& found) {
  std::ifstream pages(root / "sys/kernel/mm/transparent_hugepage/enabled");
  for (std::string word; pages >> word;)  // "always [madvise] never"
    if (word.size() > 2 && word.front() == '[') {
      word = word.substr(1, word.size() - 2);
      found.push_back({"transparent_hugepages", "", json::array({word}),
                       fmt::format("transparent huge pages are set to {}", word)});
    }
  if (const auto balancing = first_in<int>(root / "proc/sys/kernel/numa_balancing"))
    found.push_back(
        {"numa_balancing", "", *balancing, fmt::format("kernel.numa_balancing is {}", *balancing)});
  CpuQuota worst;
  for (const CpuQuota& quota : cpu_quotas(root))
    if (quota.throttled_s > worst.throttled_s) worst = quota;
  found.push_back({"quota_throttled_s", "", worst.throttled_s,
                   fmt::format("a quota of {:.3g} CPUs has stopped control group {} for {:.3g} s",
                               worst.cpus, worst.group, worst.throttled_s)});
}

void read_distances(const fs::path& root, const std::vector<int>& cores, const GpuMonitor* gpu,
                    std::vector<HealthReading>& found) {
  std::set<int> own;
  for (const int core : cores)
    own.merge(numa_nodes_in(root / fmt::format("sys/devices/system/cpu/cpu{}", core)));
  const auto add = [&](const char* key, const std::string& of, const char* what,
                       const std::set<int>& nodes) {
    if (const auto distance = numa_distance(root, own, nodes))
      found.push_back({key, of, *distance,
                       fmt::format("cores on NUMA node {}, the {} on {}: distance {}",
                                   fmt::join(own, ", "), what, fmt::join(nodes, ", "), *distance)});
  };
  add("network_distance", "", "network card", nodes_of_network_cards(root));
  if (gpu == nullptr || gpu->names().pci_bus_id.empty()) return;
  std::set<int> node;
  add_numa_node(root / "sys/bus/pci/devices" / pci_folder(gpu->names().pci_bus_id), node);
  add("gpu_distance", "GPU " + gpu->names().pci_bus_id, "GPU", node);
}

}  // namespace

std::vector<HealthReading> read_health(const std::vector<int>& cores, GpuMonitor* gpu,
                                       const fs::path& root) {
  std::vector<HealthReading> found;
  read_cores(root, cores, found);
  read_kernel(root, found);
  read_distances(root, cores, gpu, found);
  if (gpu != nullptr)
    for (HealthReading& one : gpu->health()) found.push_back(std::move(one));
  return found;
}

HealthFindings look_at_health(const Session& session, GpuMonitor* gpu, HealthLimits limits) {
  json mine = json::array();
  for (const auto& [key, of, value, text] : read_health(own_cores(), gpu))
    mine.push_back({key, of, value, text});
  std::vector<std::vector<HealthReading>> of_ranks;
  for (const std::string& theirs : gather_texts(session.world(), mine.dump())) {
    std::vector<HealthReading>& readings = of_ranks.emplace_back();
    for (const json& one : json::parse(theirs))
      readings.push_back({one.at(0), one.at(1), one.at(2), one.at(3)});
  }
  for (auto* const of_kind : {&limits.warn, &limits.fail})
    std::erase_if(*of_kind, [&](const auto& limit) {
      return (gpu == nullptr && limit.first.starts_with("gpu_")) ||
             (session.nodes() == 1 && limit.first == "network_distance");
    });
  return judge_health(of_ranks, session.hosts(), limits);
}

}  // namespace bellwether
