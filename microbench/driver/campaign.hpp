// SPDX-License-Identifier: MIT
#pragma once

#include <mpi.h>

#include <string>

#include "microbench/driver/plan.hpp"
#include "miniapps/comm/phase_clock.hpp"
#include "miniapps/comm/progress.hpp"

namespace bellwether {

/// Runs groups of benchmarks one after the other within a time budget, a round with one sample of
/// each benchmark (several of the short ones) after the other. Rank 0 decides when a group ends, so
/// the ranks stay in step.
class Campaign {
 public:
  /// `groups`: how many will run. `progress` and `heartbeat` may be null; the latter beats at
  /// every sample.
  Campaign(MPI_Comm comm, double time_budget_s, int groups, Progress* progress,
           Heartbeat* heartbeat);

  /// Time that an earlier group left over goes to the later ones. Returns the rounds done.
  int run(const Group& group, SampleStore& store);

 private:
  [[nodiscard]] bool goes_on(const Group& group, int rounds, double round_s) const;
  void show(const std::string& title, int round);

  MPI_Comm comm_;
  double begin_s_, budget_s_;
  double share_done_ = 0;
  int groups_, groups_done_ = 0;
  Progress* progress_;
  Heartbeat* heartbeat_;
};

}  // namespace bellwether
