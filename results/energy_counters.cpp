// SPDX-License-Identifier: MIT
#include "results/energy_counters.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "results/gpu_monitor.hpp"
#include "results/health.hpp"

namespace bellwether {
namespace {

constexpr std::size_t packages = 0, memory = 1, gpus = 2;

}  // namespace

EnergyCounters::EnergyCounters(const std::string& powercap, const GpuMonitor* gpu,
                               std::chrono::milliseconds period)
    : gpu_(gpu) {
  if (!powercap.empty()) find_zones(powercap);
  if (gpu_ != nullptr && !(gpu_begin_j_ = gpu_->energy_j()))
    absent_ += fmt::format("{}NVML tells none of {}", absent_.empty() ? "" : "; ",
                           gpu_->names().name.empty() ? "the GPU" : gpu_->names().name);
  if (!zones_.empty())
    thread_ = periodically(period, [this] {
      const std::lock_guard lock(mutex_);
      count_zones();
    });
}

void EnergyCounters::find_zones(const std::string& powercap) {
  std::string unreadable;
  std::error_code missing;
  for (const auto& entry : std::filesystem::directory_iterator(powercap, missing)) {
    // Not intel-rapl-mmio: the same packages by other registers.
    if (!entry.path().filename().string().starts_with("intel-rapl:")) continue;
    const std::string folder = entry.path().string();
    const std::string name = first_in<std::string>(folder + "/name").value_or("");
    if (!name.starts_with("package") && name != "dram") continue;
    const std::string file = folder + "/energy_uj";
    const auto now = first_in<double>(file),
               range = first_in<double>(folder + "/max_energy_range_uj");
    if (now && range)
      zones_.push_back({name == "dram" ? memory : packages, file, *range, *now});
    else
      unreadable = file;
  }
  if (!unreadable.empty()) {
    zones_.clear();  // some packages are no node
    absent_ = fmt::format(
        "{} cannot be read: root alone may since Linux 5.10, until an administrator says chmod a+r "
        "{}/intel-rapl:*/energy_uj",
        unreadable, powercap);
  } else if (zones_.empty()) {
    absent_ = fmt::format("no CPU package has a counter in {}", powercap);
  }
  for (const Zone& zone : zones_) counted_[zone.part] = 0;
}

void EnergyCounters::count_zones() {
  for (Zone& zone : zones_) {
    std::optional<double>& joules = counted_[zone.part];
    const std::optional<double> now = first_in<double>(zone.file);
    if (!now) joules.reset();
    if (!joules) continue;
    *joules += 1e-6 * (*now - zone.last_uj + (*now < zone.last_uj ? zone.range_uj : 0));
    zone.last_uj = *now;
  }
}

Joules EnergyCounters::read() {
  const std::lock_guard lock(mutex_);
  count_zones();
  Joules all = counted_;
  if (gpu_begin_j_)
    if (const std::optional<double> now = gpu_->energy_j()) all[gpus] = *now - *gpu_begin_j_;
  return all;
}

}  // namespace bellwether
