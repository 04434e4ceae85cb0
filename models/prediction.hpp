// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace bellwether {

/// One named part of a step's time, in seconds, with the interval the machine's intervals imply.
struct Term {
  std::string name;  ///< compute.interior, compute.boundary, pack, copy.to_host, network, …
  double seconds = 0;
  double low = 0;
  double high = 0;
};

/// How a step's computation follows the speed of the memory, in seconds at the calibrated one: what
/// moves data, what is added to that, and what the core is busy with, whichever memory it has.
/// The longer of memory and core counts whole.
struct ComputeTime {
  double memory_s = 0;
  double beside_s = 0;
  double core_s = 0;
  /// What the memory that is probed would take for as much, where that is another way to use it
  /// (memory_s then has what the core adds to it, and is no longer until this is); 0: it is the
  /// same.
  double probed_s = 0;
  double exposed_share = 0;  ///< of the shorter of memory and core, what adds to the longer
  double exposed_less_if_slower = 0;  ///< what is taken from that where memory takes twice as long

  ComputeTime& operator+=(const ComputeTime& more) {
    memory_s += more.memory_s;
    probed_s += more.probed_s;
    beside_s += more.beside_s;
    core_s += more.core_s;
    exposed_share = std::max(exposed_share, more.exposed_share);
    exposed_less_if_slower = std::max(exposed_less_if_slower, more.exposed_less_if_slower);
    return *this;
  }
  /// With memory and core at so many times their calibrated speeds.
  [[nodiscard]] double seconds(double memory = 1, double core = 1) const {
    const double moving_s =
        probed_s > 0 && memory < 1 ? std::max(memory_s, probed_s / memory) : memory_s / memory;
    const double busy_s = core_s / core;
    double share = exposed_share;
    if (exposed_less_if_slower > 0)
      share -= exposed_less_if_slower * std::log2(moving_s / memory_s);
    return std::max(moving_s, busy_s) + std::clamp(share, 0., 1.) * std::min(moving_s, busy_s) +
           beside_s / core;
  }
};

/// What a model expects of one step of the slowest rank. The terms add up to the total: a hidden
/// communication counts only with the part that is exposed.
struct Prediction {
  std::string form;  ///< "paper" or "refined"
  std::vector<Term> terms;
  double total_s = 0;
  double low_s = 0;
  double high_s = 0;
  /// Share of the communication time that computation hides; 0 without overlap.
  double hidden_fraction = 0;
  /// Whether this form knows overlap; if not, both modes are predicted alike.
  bool overlaps = true;
  /// All communication that may overlap computation, its hidden part included, and the computation
  /// it may hide behind; seconds. Communication beyond it can no longer be hidden.
  double communication_s = 0;
  double hiding_s = 0;
  /// Of the total, what the slowest rank computes beyond the mean of the ranks, because the work is
  /// not divided evenly; where another rank is slowest from part to part of a step, of each part.
  /// 0 too where the form knows no distribution of the work.
  double imbalance_s = 0;
  /// Of all terms "compute.…"; absent: all of it takes its time from what is probed.
  std::optional<ComputeTime> compute;
  /// One line for each way in which the machine was asked beyond its calibrated range.
  std::vector<std::string> outside_range;
  /// One line for each way in which the machine has not what was asked: devices, memory.
  std::vector<std::string> outside_machine;
};

}  // namespace bellwether
