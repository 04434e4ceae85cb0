// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <string>

#include "microbench/driver/plan.hpp"
#include "miniapps/comm/phase_clock.hpp"

namespace bellwether {

/// Runs groups of benchmarks one after the other within a time budget, a round with one sample of
/// each benchmark (several of the short ones) after the other. Rank 0 decides when a group ends, so
/// the ranks stay in step.
class Campaign {
 public:
  /// `progress`: a line with the time left on stderr, if that is a terminal, by rank 0.
  /// `heartbeat`, if not null, beats at every benchmark.
  Campaign(MPI_Comm comm, double time_budget_s, bool progress, Heartbeat* heartbeat);

  ~Campaign();
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;

  /// Time that an earlier group left over goes to the later ones. Returns the rounds done.
  int run(const Group& group, SampleStore& store);

 private:
  [[nodiscard]] bool goes_on(const Group& group, int rounds, double round_s) const;
  void show(const std::string& title) const;

  MPI_Comm comm_;
  int rank_ = 0;
  double begin_s_, budget_s_;
  double share_done_ = 0;
  bool progress_;
  Heartbeat* heartbeat_;
};

}  // namespace bellwether
