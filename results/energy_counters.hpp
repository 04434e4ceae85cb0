// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "results/gpu_monitor.hpp"

namespace bellwether {

/// Whose energy is counted, as records name it and in the order in which it is shown.
inline constexpr std::array counted_parts{"packages", "memory", "gpus"};
/// Joules of each; absent: not counted.
using Joules = std::array<std::optional<double>, counted_parts.size()>;

/// Where Linux shows the zones whose power it can cap.
inline constexpr const char* powercap_folder = "/sys/class/powercap";

/// Counters of the energy that the CPU packages and the memory of a node take (RAPL, AMD's too, as
/// Linux's powercap shows it: all processes' together) and a GPU (NVML).
class EnergyCounters {
 public:
  /// Of a folder of zones (empty: none) those named package-… and their subzones dram: psys is more
  /// than a package, core and uncore are parts of it. `gpu` may be null. Zones are read every
  /// `period` besides: they wrap around, at high power within a minute (Intel's manual, volume 3B).
  EnergyCounters(const std::string& powercap, const GpuMonitor* gpu,
                 std::chrono::milliseconds period = std::chrono::seconds(20));
  EnergyCounters(const EnergyCounters&) = delete;
  EnergyCounters& operator=(const EnergyCounters&) = delete;

  /// Joules since these counters were made. What cannot be read once stays absent.
  [[nodiscard]] Joules read();
  /// What it cannot count from the beginning, and why; empty: it can all that it was asked to.
  [[nodiscard]] const std::string& absent() const { return absent_; }

 private:
  struct Zone {
    std::size_t part;  ///< of counted_parts
    std::string file;
    double range_uj, last_uj;
  };
  void find_zones(const std::string& powercap);
  void count_zones();

  const GpuMonitor* gpu_;
  std::optional<double> gpu_begin_j_;
  std::vector<Zone> zones_;
  Joules counted_;  ///< of the zones
  std::string absent_;
  std::mutex mutex_;
  std::jthread thread_;  ///< ends before what it counts
};

}  // namespace bellwether
