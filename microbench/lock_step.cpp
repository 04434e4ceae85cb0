// SPDX-License-Identifier: MIT
#include "microbench/lock_step.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace bellwether {
namespace {

/// A barrier in which ranks without work sleep: spinning in MPI takes cycles, and on a shared core
/// the processor itself, from the rank that is measured.
void quiet_barrier(MPI_Comm comm, bool worked) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(comm, &request);
  if (worked) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return;
  }
  for (int done = 0; done == 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  }
}

double slowest_sample(MPI_Comm comm, const Case& work) {
  MPI_Barrier(comm);
  double seconds = work.active ? work.sample() : 0;
  if (!work.everyone) quiet_barrier(comm, work.active);
  MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, comm);
  return seconds;
}

/// Work per second of one rank, beside the time of one operation.
void set_counters(benchmark::State& state, const Case& work, double operation_s) {
  using benchmark::Counter;
  if (operation_s <= 0) return;
  state.counters["operation_s"] = operation_s;
  const auto rate = [&](const char* name, double amount) {
    if (amount > 0)
      state.counters[name] = Counter(amount / operation_s, Counter::kDefaults, Counter::kIs1000);
  };
  rate("bytes_per_s", work.bytes);
  rate("flops_per_s", work.flops);
  rate("cells_per_s", work.cells);
}

}  // namespace

benchmark::internal::Benchmark* register_case(MPI_Comm comm, Case work, SampleStore& store) {
  const std::string name = work.name;
  const auto body = [comm, &store, work = std::move(work)](benchmark::State& state) {
    if (work.active && work.prepare) work.prepare();
    double total = 0;
    for (auto _ : state) {
      const double seconds = slowest_sample(comm, work);
      state.SetIterationTime(seconds);
      store.add(work.name, seconds / work.batch);
      total += seconds;
    }
    set_counters(state, work, total / static_cast<double>(state.iterations()) / work.batch);
  };
  return benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime();
}

}  // namespace bellwether
