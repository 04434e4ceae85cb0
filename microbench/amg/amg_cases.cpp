// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "microbench/amg/amg.hpp"

namespace bellwether {
namespace {

constexpr double largest_entries = 1.4e7, largest_quick_entries = 7.5e6;
constexpr int short_rows = 50'000;

/// The matrix that is being measured, and what drives it out of the caches.
class AmgBench {
 public:
  AmgBench(Bench& bench, std::size_t flush_bytes) : bench_(bench), flush_bytes_(flush_bytes) {}

  void make(const AmgSpec& spec) {
    matrix_.reset();  // one at a time: together they might not fit
    matrix_ = make_amg_matrix(spec);
    for (const AmgOperation operation : amg_operations(spec)) matrix_->run(operation);
  }

  /// Seconds of each operation, cold and then again, the ranks beginning together.
  const std::vector<double>& measure(const AmgSpec& spec) {
    // Caches learn what comes back: what fits them is all there after some calls, not after one.
    const bool may_fit = amg_case_bytes(spec) < flush_bytes_;
    const int between = may_fit ? 5 : 0;
    seconds_.clear();
    for (const AmgOperation operation : amg_operations(spec)) {
      flush();
      seconds_.push_back(timed(operation));
      for (int call = 0; call < between; ++call) matrix_->run(operation);
      seconds_.push_back(timed(operation));
    }
    return seconds_;
  }
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }

 private:
  double timed(AmgOperation operation) {
    MPI_Barrier(bench_.session().world());
    const double begin = clock_s();
    matrix_->run(operation);
    return clock_s() - begin;
  }

  /// Written, since a cache may let what is only read pass by; in memory of the usual pages, whose
  /// translations drive out those of the matrix too.
  void flush() {
    if (flush_.empty()) flush_.resize(flush_bytes_ / sizeof(std::uint64_t));
    for (std::uint64_t& word : flush_) ++word;
    benchmark::ClobberMemory();
  }

  Bench& bench_;
  std::size_t flush_bytes_;
  std::vector<std::uint64_t> flush_;
  std::unique_ptr<AmgMatrix> matrix_;
  std::vector<double> seconds_;
};

/// More than the caches of the rank's share hold, and at least what a core has of its own.
std::size_t flush_bytes(const Bench& bench) {
  constexpr std::size_t of_a_core = std::size_t{8} << 20;
  const auto ranks = static_cast<std::size_t>(bench.ranks_per_node()) *
                     static_cast<std::size_t>(bench.nodes_per_kernel());
  const std::size_t wanted = std::max(of_a_core, 3 * bench.last_level_cache_bytes() / ranks);
  return std::min(wanted, bench.limits().most_case_bytes);
}

AmgBench& amg_bench(Bench& bench) {
  return bench.kept<AmgBench>(
      [&bench] { return std::make_unique<AmgBench>(bench, flush_bytes(bench)); });
}

}  // namespace

std::string AmgSpec::name() const {
  return fmt::format("amg/{}/rows:{}/entries:{}", transfer ? "transfer" : "matrix", rows,
                     entries_per_row);
}

const char* name_of(AmgOperation operation) {
  constexpr const char* names[] = {"spmv", "gauss_seidel", "jacobi", "interpolate", "restrict"};
  return names[static_cast<int>(operation)];
}

std::vector<AmgOperation> amg_operations(const AmgSpec& spec) {
  using enum AmgOperation;
  return spec.transfer ? std::vector{interpolate, restriction}
                       : std::vector{spmv, gauss_seidel, jacobi};
}

std::size_t amg_case_bytes(const AmgSpec& spec) {
  constexpr std::size_t vectors = 5;
  const auto rows = static_cast<std::size_t>(spec.rows);
  const auto entries = static_cast<std::size_t>(spec.entries_per_row);
  return rows * (entries * (sizeof(double) + sizeof(int)) + vectors * sizeof(double) + 8);
}

std::vector<AmgSpec> amg_specs(bool quick, std::size_t most_bytes) {
  const std::vector<int> matrix_rows =
      quick ? std::vector{100, 2000, 30'000, 120'000, 400'000, 1'000'000}
            : std::vector{100, 400, 2000, 10'000, 40'000, 120'000, 400'000, 2'000'000};
  const std::vector<int> matrix_entries =
      quick ? std::vector{7, 20, 60} : std::vector{7, 15, 27, 45, 80};
  const std::vector<int> transfer_rows =
      quick ? std::vector{100, 3000, 50'000, 800'000}
            : std::vector{100, 1000, 10'000, 80'000, 400'000, 2'000'000};
  std::vector<AmgSpec> specs;
  const auto add = [&](bool transfer, const std::vector<int>& rows,
                       const std::vector<int>& entries) {
    for (const int of_row : entries)
      for (const int number : rows) {
        const AmgSpec spec{transfer, number, of_row};
        if (1. * number * of_row <= (quick ? largest_quick_entries : largest_entries) &&
            amg_case_bytes(spec) <= most_bytes)
          specs.push_back(spec);
      }
  };
  add(false, matrix_rows, matrix_entries);
  add(true, transfer_rows, {2, 4});
  return specs;
}

AmgCases plan_amg(Plan& plan) {
  Bench& bench = plan.bench();
  if (!has_amg_matrices() || !bench.device().is_host()) return {};
  const std::size_t flush = flush_bytes(bench);
  const std::size_t room = bench.room() - std::min(bench.room(), bench.arena_bytes() + flush);
  const std::vector<AmgSpec> specs =
      amg_specs(bench.limits().quick, std::min(room / 2, bench.limits().most_case_bytes));
  // A table of each operation or nothing.
  if (std::none_of(specs.begin(), specs.end(), [](const AmgSpec& spec) { return spec.transfer; }))
    return {};
  std::size_t most = 0;
  for (const AmgSpec& spec : specs) most = std::max(most, amg_case_bytes(spec));
  bench.reserve(most + flush);
  plan.group("AMG's operations", 0.08);
  return plan.add_all(specs);
}

BenchCase make_case(Bench& bench, const AmgSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.samples_per_round = spec.rows < short_rows ? 3 : 1;
  for (const AmgOperation operation : amg_operations(spec)) {
    work.parts.emplace_back(name_of(operation));
    work.parts.push_back(work.parts.back() + "_again");
  }
  AmgBench& amg = amg_bench(bench);
  work.prepare = [&amg, spec] { amg.make(spec); };
  work.sample = [&amg, spec] {
    double sum = 0;
    for (const double seconds : amg.measure(spec)) sum += seconds;
    return sum;
  };
  work.part_seconds = [&amg] { return amg.seconds(); };
  return work;
}

}  // namespace bellwether
