// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "results/record.hpp"

namespace bellwether {

/// Per-step times of one timed sample on the rank that took longest: its phases, and "other" for
/// what lies between them (the step's total less the phases), so that the terms add up to the
/// total.
struct StepSample {
  double total_s = 0;
  std::vector<std::pair<std::string, double>> terms;
};

/// Collective: the slowest rank's sample, on every rank, each time divided by `steps`.
StepSample slowest_sample(MPI_Comm comm, double total_s,
                          const std::vector<PhaseClock::Phase>& phases, long steps);

/// Samples of one case.
class CaseSamples {
 public:
  void add(StepSample sample) { samples_.push_back(std::move(sample)); }
  [[nodiscard]] int count() const { return static_cast<int>(samples_.size()); }
  [[nodiscard]] Summary total() const;
  /// Terms in the order in which they first appeared; a sample without one counts as 0.
  [[nodiscard]] Measurement measurement() const;
  /// 0 if no sample has the term.
  [[nodiscard]] double median_of(const std::string& term) const;

 private:
  std::vector<StepSample> samples_;
};

}  // namespace bellwether
