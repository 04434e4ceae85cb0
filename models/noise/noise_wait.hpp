// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "models/machine/machine.hpp"
#include "models/noise/noise_delay.hpp"
#include "models/prediction.hpp"

namespace bellwether {

/// How the ranks of a step wait for one another.
struct StepWaits {
  int ranks = 1;
  int ranks_per_node = 1;
  int times = 1;  ///< in a step, each after an equal part of it
  /// Of the rank with most, that it waits for; 0: all ranks wait for all (a reduction).
  int neighbours = 0;
  int dimensions = 3;    ///< that the neighbours lie in, 1 to 3
  bool overlap = false;  ///< while they wait they have the step's hiding_s to compute
};

/// The term `wait` that a machine's noise adds to a step: what a rank waits on average because
/// another is late, times (E[max over the ranks of the delay in work_s seconds] - E[delay]). The
/// rank's own detours are in what it computes, whose calibrated times hold those of their own
/// samples. Delays within what is left to compute while messages are hidden are not waited for.
///
/// Who waits for neighbours alone waits for others through them, a step later each: k steps take at
/// least the largest delay of any rank that is at most so many away in the first, second, ... k-th
/// of them. The largest of these bounds by k is the value, and never more than what waiting for all
/// ranks takes, which is the interval's high end.
///
/// For use by several threads at once. The machine must outlive it.
class NoiseWait {
 public:
  explicit NoiseWait(const Machine& machine) : noise_(section<NoiseParameters>(machine)) {}
  explicit NoiseWait(const Machine&&) = delete;

  /// Adds the term to the prediction and its total, with its interval, and a note where the step
  /// meets more detours than were seen; nothing of a machine without the section, or of one rank.
  void add_to(const StepWaits& waits, Prediction& prediction) const;

  /// Of one of the waits, with so much work before it.
  [[nodiscard]] double seconds(double work_s, const StepWaits& waits, double slack_s,
                               Bound bound) const;

 private:
  /// NoiseDelay's expected maximum, between the lengths of work that are kept.
  [[nodiscard]] double largest(double work_s, double ranks, double slack_s, Bound bound) const;
  /// Delays of lengths of work an eighth of an octave apart are kept: sweeps ask for thousands.
  [[nodiscard]] std::shared_ptr<const NoiseDelay> delay(int eighth, Bound bound) const;

  const NoiseParameters* noise_;
  mutable std::mutex mutex_;
  mutable std::map<std::pair<int, Bound>, std::shared_ptr<const NoiseDelay>> kept_;
};

/// Adds seconds to the prediction's term `wait`, which appears if there is none, and to its total;
/// nothing if its high end is 0. Says where the step meets more detours than were seen.
void add_wait(const Term& wait, const NoiseParameters& noise, int ranks, int ranks_per_node,
              Prediction& prediction);

}  // namespace bellwether
