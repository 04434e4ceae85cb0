// SPDX-License-Identifier: MIT
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace bellwether {

/// How a GPU's own runtime names it; empty where it does not.
struct GpuNames {
  std::string name;        ///< "NVIDIA H100 80GB HBM3"
  std::string uuid;        ///< "GPU-…" and 32 hexadecimal digits in groups
  std::string pci_bus_id;  ///< "00000000:17:00.0"
  std::string runtime;     ///< "CUDA 13.0"
};

/// Where a GPU result came from and in what state the GPU was, by NVIDIA's management library
/// (NVML), which is opened when the program runs and belongs to the driver. Without it, and of a
/// GPU that it does not know, the runtime's names are all that is told.
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

 private:
  GpuNames names_;
  void* library_ = nullptr;  ///< null: not there, or does not start
  void* device_ = nullptr;   ///< null: not known there
};

/// What is to be known of GPUs that should be alike, for people. `states`: what GpuMonitor::read
/// told each rank, null where it computes on a CPU. First, what all have in common; then a line for
/// each of model, driver, highest clocks, power limit, ECC and MIG in which they differ, with the
/// ranks of all but the most frequent. What no GPU tells is left out; without GPUs nothing is said.
std::vector<std::string> gpu_remarks(const std::vector<nlohmann::json>& states);

}  // namespace bellwether
