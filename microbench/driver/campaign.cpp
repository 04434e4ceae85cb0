// SPDX-License-Identifier: MIT
#include "microbench/driver/campaign.hpp"

#include <fmt/format.h>

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

void Campaign::show(const std::string& title, int round) {
  if (progress_ == nullptr) return;
  const double left = std::max(0.0, begin_s_ + budget_s_ - clock_s());
  progress_->show(fmt::format("calibrating: {}, round {}", title, round), groups_done_, groups_,
                  left);
}

int Campaign::run(const Group& group, SampleStore& store) {
  share_done_ += group.share;
  if (!is_calibrated(group)) return 0;
  reset_google_benchmark();
  int rounds = 0;
  for (BenchCase work : group.cases) {
    work.prepare = [this, &group, &rounds, prepare = std::move(work.prepare)] {
      show(group.title, rounds + 1);
      if (prepare) prepare();
    };
    if (heartbeat_ != nullptr)
      work.sample = [heartbeat = heartbeat_, sample = std::move(work.sample)] {
        heartbeat->step.fetch_add(1, std::memory_order_relaxed);
        heartbeat->enter("benchmark");
        return sample();
      };
    const int operations = work.samples_per_round * work.batch;
    register_case(comm_, std::move(work), store)->Iterations(operations);
  }
  SilentReporter reporter;
  double round_s = 0;
  do {
    const double begin = clock_s();
    benchmark::RunSpecifiedBenchmarks(&reporter, ".");
    round_s = clock_s() - begin;
    ++rounds;
  } while (goes_on(group, rounds, round_s));
  ++groups_done_;
  benchmark::ClearRegisteredBenchmarks();
  return rounds;
}

}  // namespace bellwether
