// SPDX-License-Identifier: MIT
#include "microbench/driver/bench_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include "results/statistics.hpp"

namespace bellwether {
namespace {

/// The slowest rank's seconds of a sample, then of each of its parts.
std::vector<double> slowest_sample(MPI_Comm comm, const BenchCase& work) {
  MPI_Barrier(comm);
  std::vector<double> seconds(1 + work.parts.size());
  if (work.active) seconds[0] = work.sample();
  if (work.active && !work.parts.empty()) {
    const std::vector<double> parts = work.part_seconds();
    std::copy(parts.begin(), parts.end(), seconds.begin() + 1);
  }
  if (!work.everyone) quiet_barrier(comm, work.active);
  MPI_Allreduce(MPI_IN_PLACE, seconds.data(), static_cast<int>(seconds.size()), MPI_DOUBLE, MPI_MAX,
                comm);
  return seconds;
}

/// Work per second of one rank. `seconds`: of one operation, then of each of its parts.
void set_counters(benchmark::State& state, const BenchCase& work,
                  const std::vector<double>& seconds) {
  using benchmark::Counter;
  const auto rate = [&](const std::string& name, double amount, double in) {
    if (amount > 0 && in > 0)
      state.counters[name] = Counter(amount / in, Counter::kDefaults, Counter::kIs1000);
  };
  rate("bytes_per_s", work.bytes, seconds[0]);
  rate("flops_per_s", work.flops, seconds[0]);
  rate("cells_per_s", work.cells, seconds[0]);
  for (std::size_t part = 0; part < work.part_bytes.size(); ++part)
    rate(work.parts[part] + "_bytes_per_s", work.part_bytes[part], seconds[1 + part]);
}

}  // namespace

std::vector<double> take_sample(MPI_Comm comm, const BenchCase& work, SampleStore& store) {
  std::vector<double> seconds = slowest_sample(comm, work);
  store.add(work.key, work.name, seconds[0] / work.batch);
  for (std::size_t part = 0; part < work.parts.size(); ++part)
    store.add(work.key.of_part(part), work.name + "/" + work.parts[part],
              seconds[1 + part] / work.batch);
  return seconds;
}

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

benchmark::internal::Benchmark* register_case(MPI_Comm comm, BenchCase work, SampleStore& store) {
  const std::string name = work.name;
  const auto body = [comm, &store, work = std::move(work)](benchmark::State& state) {
    if (work.active && work.prepare) work.prepare();
    std::vector<double> total(1 + work.parts.size());
    while (state.KeepRunningBatch(work.batch)) {
      const std::vector<double> seconds = take_sample(comm, work, store);
      state.SetIterationTime(seconds[0]);
      for (std::size_t n = 0; n < total.size(); ++n) total[n] += seconds[n];
    }
    for (double& seconds : total) seconds /= static_cast<double>(state.iterations());
    set_counters(state, work, total);
  };
  return benchmark::RegisterBenchmark(name.c_str(), body)->UseManualTime();
}

void SampleStore::add(SampleKey key, const std::string& name, double seconds) {
  Series& series = series_[key];
  if (series.seconds.empty()) series.name = name;
  series.seconds.push_back(seconds);
}

const std::vector<double>& SampleStore::at(SampleKey key) const {
  const auto found = series_.find(key);
  if (found == series_.end())
    throw std::logic_error(
        fmt::format("no samples of benchmark {}, part {}", key.benchmark, key.part));
  return found->second.seconds;
}

std::map<std::string, std::vector<double>> SampleStore::by_name() const {
  std::map<std::string, std::vector<double>> named;
  for (const auto& [key, series] : series_) named[series.name] = series.seconds;
  return named;
}

nlohmann::json to_json(const SampleStore& store) {
  return {{"schema", "bellwether.samples/1"}, {"unit", "s"}, {"samples", store.by_name()}};
}

Quantity quantity_of(const std::vector<double>& samples) {
  const Summary summary = summarize(samples);
  return {summary.median, summary.low, summary.high, {}};
}

Quantity rate_of(double amount, const std::vector<double>& seconds) {
  const Summary time = summarize(seconds);
  return {amount / time.median, amount / time.high, amount / time.low, {}};
}

}  // namespace bellwether
