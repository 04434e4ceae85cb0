// SPDX-License-Identifier: MIT
#include "microbench/driver/campaign.hpp"

#include <algorithm>

#include "microbench/driver/google_benchmark_options.hpp"

namespace bellwether {
namespace {

void reset_google_benchmark() {
  initialize_google_benchmark({});
  benchmark::ClearRegisteredBenchmarks();
}

}  // namespace

Campaign::Campaign(MPI_Comm comm, double time_budget_s, int groups, Progress* progress,
                   Heartbeat* heartbeat)
    : comm_(comm),
      begin_s_(clock_s()),
      budget_s_(time_budget_s),
      groups_(groups),
      progress_(progress),
      heartbeat_(heartbeat) {}

bool Campaign::goes_on(const Group& group, int rounds, double round_s) const {
  const double now = clock_s();
  int more = 0;
  if (rounds < group.fewest_rounds)
    more = now < begin_s_ + budget_s_ ? 1 : 0;
  else if (rounds < group.most_rounds)
    more = now + round_s < begin_s_ + budget_s_ * share_done_ ? 1 : 0;
  MPI_Bcast(&more, 1, MPI_INT, 0, comm_);
  return more != 0;
}

void Campaign::before_sample(const std::string& what) {
  if (heartbeat_ != nullptr) {
    heartbeat_->step.fetch_add(1, std::memory_order_relaxed);
    heartbeat_->enter("benchmark");
  }
  if (progress_ != nullptr)
    progress_->show(what, group_, groups_, begin_s_ + budget_s_ - clock_s());
}

int Campaign::run(const Group& group, SampleStore& store) {
  share_done_ += group.share;
  ++group_;
  if (group.cases.empty() || group.share == 0) return 0;
  reset_google_benchmark();
  for (BenchCase work : group.cases) {
    work.sample = [this, what = "calibrating: " + group.title, sample = std::move(work.sample)] {
      before_sample(what);
      return sample();
    };
    const int operations = work.samples_per_round * work.batch;
    register_case(comm_, std::move(work), store)->Iterations(operations);
  }
  SilentReporter reporter;
  int rounds = 0;
  double round_s = 0;
  do {
    const double begin = clock_s();
    benchmark::RunSpecifiedBenchmarks(&reporter, ".");
    round_s = clock_s() - begin;
    ++rounds;
  } while (goes_on(group, rounds, round_s));
  benchmark::ClearRegisteredBenchmarks();
  return rounds;
}

}  // namespace bellwether
