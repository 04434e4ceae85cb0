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

/// What two activities that overlap take together, in seconds: from the longer of both
/// (`exposed` = 0) to their sum (1), of equal ones 1 + exposed times one; smoothly in between,
/// (m^p + c^p)^(1/p) with 2^(1/p) = 1 + exposed.
inline double overlapped_s(double one_s, double other_s, double exposed) {
  const double longer_s = std::max(one_s, other_s), shorter_s = std::min(one_s, other_s);
  if (exposed <= 0 || shorter_s <= 0) return longer_s;
  if (exposed >= 1) return longer_s + shorter_s;
  const double power = 1 / std::log2(1 + exposed);
  return longer_s * std::pow(1 + std::pow(shorter_s / longer_s, power), 1 / power);
}
/// The share with which they take so long; 0 or 1 where they take less or more than any.
inline double exposed_share_of(double one_s, double other_s, double together_s) {
  double low = 0, high = 1;
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = (low + high) / 2;
    (overlapped_s(one_s, other_s, middle) < together_s ? low : high) = middle;
  }
  return (low + high) / 2;
}

/// How a step's computation follows the speed of the memory, in seconds at the calibrated one: what
/// moves data, what is added to that, and what the core is busy with, whichever memory it has.
/// Memory and core overlap (overlapped_s).
struct ComputeTime {
  double memory_s = 0;
  double beside_s = 0;
  double core_s = 0;
  double exposed_share = 0;  ///< of memory and core
  /// What this machine's own computations scattered by about it from moment to moment, with memory
  /// and core as they then were: the standard deviation of the logarithm of the ratio; 0: not
  /// known.
  double scatter = 0;

  ComputeTime& operator+=(const ComputeTime& more) {
    memory_s += more.memory_s;
    beside_s += more.beside_s;
    core_s += more.core_s;
    exposed_share = std::max(exposed_share, more.exposed_share);
    scatter = std::max(scatter, more.scatter);
    return *this;
  }
  /// With memory and core at so many times their calibrated speeds.
  [[nodiscard]] double seconds(double memory = 1, double core = 1) const {
    return overlapped_s(memory_s / memory, core_s / core, exposed_share) + beside_s / core;
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
