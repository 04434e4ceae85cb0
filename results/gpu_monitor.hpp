// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "results/health.hpp"

namespace bellwether {

/// How a GPU's own runtime names it; empty where it does not.
struct GpuNames {
  std::string name;        ///< "NVIDIA H100 80GB HBM3"
  std::string uuid;        ///< "GPU-…" and 32 hexadecimal digits in groups
  std::string pci_bus_id;  ///< "00000000:17:00.0"
  std::string runtime;     ///< "CUDA 13.0"
};

/// Where a GPU result came from and the GPU's state, by NVIDIA's NVML, opened when the program
/// runs. Without it the runtime's names are all that is told.
class GpuMonitor {
 public:
  explicit GpuMonitor(GpuNames names, const std::string& library = "libnvidia-ml.so.1");
  ~GpuMonitor();
  GpuMonitor(const GpuMonitor&) = delete;
  GpuMonitor& operator=(const GpuMonitor&) = delete;

  /// Now. Keys: name, uuid, pci_bus_id, runtime, driver (version), sm_clock_mhz, sm_clock_max_mhz,
  /// memory_clock_mhz, memory_clock_max_mhz, power_w, power_limit_w (as enforced), temperature_c,
  /// ecc and mig (booleans: memory is checked; the GPU is divided). What nobody tells is null.
  [[nodiscard]] nlohmann::json read() const;

  /// What changes from moment to moment; what nobody tells is absent.
  struct Moment {
    std::optional<double> sm_clock_mhz, power_w;
    unsigned long long slowed_by = 0;  ///< bits: nvmlClocksEventReasons
  };
  [[nodiscard]] Moment read_moment() const;
  /// Now, and XIDs since this was made: NVML tells none from before, which only the kernel's log
  /// has, and none of other GPUs. What it does not tell has no reading.
  [[nodiscard]] std::vector<HealthReading> health();
  /// Joules since the driver was loaded, of a whole GPU; absent where NVML does not count them.
  [[nodiscard]] std::optional<double> energy_j() const;
  [[nodiscard]] bool knows_the_device() const { return device_ != nullptr; }
  [[nodiscard]] const GpuNames& names() const { return names_; }

 private:
  void free_events();

  GpuNames names_;
  void* library_ = nullptr;  ///< null: not there, or does not start
  void* device_ = nullptr;   ///< null: not known there
  void* events_ = nullptr;   ///< null: tells of none
  std::vector<unsigned long long> xids_;
};

/// Reads a GPU's clock and power time and again while samples are taken, from a thread of its own:
/// a GPU that computes for seconds comes to its power limit, of which nothing is seen right after.
class GpuWatch {
 public:
  /// Begins; of no monitor, or one that does not know its GPU, nothing is read.
  explicit GpuWatch(const GpuMonitor* monitor,
                    std::chrono::milliseconds period = std::chrono::milliseconds(20));
  GpuWatch(const GpuWatch&) = delete;
  GpuWatch& operator=(const GpuWatch&) = delete;

  /// Ends, once. Keys: readings; sm_clock_mhz and power_w, each {min, median, max}; slowed_by, what
  /// held the clock back in any reading: "power cap", "thermal slowdown", "power brake", "hardware
  /// slowdown". What nobody tells is null, and all of it is if nothing was read.
  nlohmann::json end();

 private:
  std::vector<GpuMonitor::Moment> moments_;  ///< the thread's until it has ended
  std::jthread thread_;
};

/// Lines on GPUs that should be alike, by GpuMonitor::read of each rank (null: a CPU): what all
/// have in common, then each difference with its ranks; none without GPUs.
std::vector<std::string> gpu_remarks(const std::vector<nlohmann::json>& states);

/// A thread that does the work at once and then every period until it is asked to stop. Signals are
/// other threads'.
std::jthread periodically(std::chrono::milliseconds period, std::function<void()> work);

}  // namespace bellwether
