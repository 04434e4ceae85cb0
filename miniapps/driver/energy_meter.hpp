// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/launch/device.hpp"
#include "miniapps/comm/session/session.hpp"
#include "results/energy_counters.hpp"

namespace bellwether {

/// What tells of the device's state; null where it is no GPU.
std::unique_ptr<GpuMonitor> monitor_of(const Device& device);

/// Of all nodes together.
struct SpentEnergy {
  double joules = 0;
  std::vector<std::pair<std::string, double>> watts;  ///< by what is counted (counted_parts)
};

/// Counts the energy that all nodes' CPU packages, memory and the ranks' GPUs take. Each is read by
/// one rank: of those under a kernel the first, of those that share a GPU the first.
class EnergyMeter {
 public:
  /// Collective. `gpu`: of this rank's GPU; null: it computes on a CPU.
  EnergyMeter(const Session& session, const GpuMonitor* gpu,
              const std::string& powercap = powercap_folder);

  /// What is not counted, and why, of the lowest rank that cannot; empty: all is. On every rank.
  [[nodiscard]] const std::string& absent() const { return absent_; }
  /// Whether any rank counts anything, the same on every rank.
  [[nodiscard]] bool counts() const { return shortest_s_ > 0; }
  /// Around what is to be counted. Stretches add up.
  void start();
  void stop();
  /// Whether the stretches since the last take() are long enough for the counters: 0.1 s for
  /// packages', which stand still for about 1 ms (Intel's manual, volume 3B), 1 s for a GPU's,
  /// whose sensor may see a quarter of the time alone (Yang, Adamek, Armour 2024).
  [[nodiscard]] bool is_enough() const { return seconds_ >= shortest_s_; }
  /// Collective. What these stretches took, by what every node counts in each of them; absent where
  /// that is nothing, or they are too short.
  std::optional<SpentEnergy> take();

 private:
  const Session& session_;
  bool reads_node_, reads_gpu_;
  std::unique_ptr<EnergyCounters> counters_;
  std::string absent_;
  double shortest_s_ = 0;  ///< 0: nothing is counted
  Joules before_, joules_;
  std::chrono::steady_clock::time_point begin_;
  double seconds_ = 0;
};

}  // namespace bellwether
