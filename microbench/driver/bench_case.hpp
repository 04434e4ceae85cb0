// SPDX-License-Identifier: MIT
#pragma once

#include <benchmark/benchmark.h>
#include <mpi.h>

#include <chrono>
#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/machine/machine.hpp"

namespace bellwether {

/// Whose samples: of a benchmark, as Plan::add numbers it, or of one part of it.
struct SampleKey {
  int benchmark = 0;
  int part = 0;  ///< 0: all of it

  [[nodiscard]] SampleKey of_part(std::size_t index) const {
    return {benchmark, static_cast<int>(index) + 1};
  }
  auto operator<=>(const SampleKey&) const = default;
};

/// What a folder measures, and where its samples are.
template <class Spec>
struct Planned {
  Spec spec;
  SampleKey key;
};

/// Raw samples of each benchmark: seconds of one operation on the slowest rank, in the order in
/// which they were measured. The same on every rank.
class SampleStore {
 public:
  struct Series {
    std::string name;
    std::vector<double> seconds;
  };

  void add(SampleKey key, const std::string& name, double seconds);
  /// Throws std::logic_error for a benchmark that has not run.
  [[nodiscard]] const std::vector<double>& at(SampleKey key) const;
  [[nodiscard]] const std::map<SampleKey, Series>& all() const { return series_; }
  [[nodiscard]] std::map<std::string, std::vector<double>> by_name() const;

 private:
  std::map<SampleKey, Series> series_;
};

/// {"schema": "bellwether.samples/1", "unit": "s", "samples": {name: [seconds, ...]}}
nlohmann::json to_json(const SampleStore& store);

/// Median with its nonparametric 95 % interval.
Quantity quantity_of(const std::vector<double>& samples);
/// `amount` of work per second; the interval is that of the time.
Quantity rate_of(double amount, const std::vector<double>& seconds);

/// One benchmark, the same on every rank of the session.
struct BenchCase {
  std::string name;  ///< for people, the filter and the file of samples
  SampleKey key;     ///< under which its samples are stored
  /// Does the work `batch` times and returns the seconds that took on this rank.
  std::function<double()> sample;
  int batch = 1;  ///< operations in one sample, so that the clock's grain does not count
  int samples_per_round = 1;  ///< of a calibration: more where a sample is short
  /// Untimed, before the samples of a run: what brings caches and pages to the state in which they
  /// are between the steps of an application. May be empty.
  std::function<void()> prepare;
  /// What of a sample is timed apart, and the seconds of each in the last sample on this rank. May
  /// be empty.
  std::vector<std::string> parts;
  std::vector<double> part_bytes;  ///< of each part of one operation, for the printed rate; or none
  std::function<std::vector<double>()> part_seconds;
  bool active = true;    ///< this rank does the work
  bool everyone = true;  ///< every rank does; else the others sleep
  double bytes = 0;      ///< of one operation on one rank, for the printed rate; 0: none
  double flops = 0;
  double cells = 0;
};

/// Seconds on the monotonic clock.
inline double clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A barrier in which ranks without work sleep: spinning in MPI takes cycles, and on a shared core
/// the processor itself, from the rank that is measured.
void quiet_barrier(MPI_Comm comm, bool worked);

/// Seconds of the case's next sample and of each of its parts, the slowest rank's: the same on all
/// ranks. They go to `store`, divided by the batch. Collective.
std::vector<double> take_sample(MPI_Comm comm, const BenchCase& work, SampleStore& store);

/// Makes the case a Google Benchmark with manual time, the same on all ranks, so that all iterate
/// alike. `comm` and `store` must outlive the run.
benchmark::internal::Benchmark* register_case(MPI_Comm comm, BenchCase work, SampleStore& store);

/// Prints nothing: the reporter of every rank but 0.
class SilentReporter : public benchmark::BenchmarkReporter {
 public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

}  // namespace bellwether
