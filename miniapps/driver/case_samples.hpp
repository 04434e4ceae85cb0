// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "miniapps/comm/phase_clock.hpp"
#include "results/record.hpp"

namespace bellwether {

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Per-step times of one timed sample on one rank: its phases, and "other" for what lies between
/// them (the step's total less the phases), so that the terms add up to the total.
struct StepSample {
  double total_s = 0;
  std::vector<std::pair<std::string, double>> terms;
};

/// This rank's sample of so many steps.
StepSample own_sample(double total_s, const std::vector<PhaseClock::Phase>& phases, long steps);

/// Collective: the sample of the rank that took longest, on every rank.
StepSample slowest_sample(MPI_Comm comm, const StepSample& own);

/// Samples of one case, or of one of its ranks.
class CaseSamples {
 public:
  void add(StepSample sample) { samples_.push_back(std::move(sample)); }
  [[nodiscard]] int count() const { return static_cast<int>(samples_.size()); }
  /// Of one sample, per step.
  [[nodiscard]] double seconds(std::size_t sample) const { return samples_[sample].total_s; }
  [[nodiscard]] Summary total() const;
  /// Terms in the order in which they first appeared; a sample without one counts as 0.
  [[nodiscard]] Measurement measurement() const;
  /// Median of the sum of all terms whose names begin so; 0 if no sample has one.
  [[nodiscard]] double median_of_all(const std::string& beginning) const;
  /// Mean of the same, and of the total.
  [[nodiscard]] double mean_of_all(const std::string& beginning) const;
  [[nodiscard]] double mean() const;

 private:
  [[nodiscard]] std::vector<double> sums(const std::string& beginning) const;
  std::vector<StepSample> samples_;
};

/// Collective. Every rank's result: `mine`, which says where this rank ran and what it is bound to,
/// with the medians of its own terms. On every rank.
std::vector<RankResult> gather_ranks(MPI_Comm comm, const CaseSamples& own, RankResult mine);

}  // namespace bellwether
