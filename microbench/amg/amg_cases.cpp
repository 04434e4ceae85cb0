// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "microbench/amg/amg.hpp"
#include "miniapps/amg/matrices/operation_timer.hpp"

namespace bellwether {
namespace {

constexpr double largest_entries = 1.4e7, largest_quick_entries = 7.5e6;
constexpr double largest_on_gpu = 6e7, largest_quick_on_gpu = 1.5e7;

/// The matrix that is being measured.
class AmgBench {
 public:
  AmgBench(Bench& bench, std::size_t flush_bytes)
      : bench_(bench), timer_(bench.session().world(), flush_bytes, bench.device()) {}

  void make(const AmgSpec& spec) {
    matrix_.reset();  // one at a time: together they might not fit
    matrix_ = make_amg_matrix(bench_.session().world(), spec, bench_.device());
    for (const AmgOperation operation : amg_operations(spec)) matrix_->run(operation);
  }

  /// Each operation's parts on this rank, the ranks beginning together.
  const std::vector<double>& measure(const AmgSpec& spec) {
    seconds_.clear();
    for (const AmgOperation operation : amg_operations(spec)) {
      const auto [cold, again] = timer_.measure(*matrix_, operation, amg_matrix_bytes(spec));
      seconds_.insert(seconds_.end(), {cold, again});
    }
    return seconds_;
  }
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }

 private:
  Bench& bench_;
  AmgOperationTimer timer_;
  std::unique_ptr<AmgMatrix> matrix_;
  std::vector<double> seconds_;
};

/// More than the caches of the rank's share hold.
std::size_t flush_bytes(const Bench& bench) {
  const int sharing = bench.device().is_host() ? bench.ranks_per_node() * bench.nodes_per_kernel()
                                               : bench.ranks_per_device();
  return std::min(amg_flush_bytes(bench.last_level_cache_bytes(), sharing),
                  bench.limits().most_case_bytes);
}

AmgBench& amg_bench(Bench& bench) {
  return bench.kept<AmgBench>(
      [&bench] { return std::make_unique<AmgBench>(bench, flush_bytes(bench)); });
}

}  // namespace

std::string AmgSpec::name() const {
  constexpr const char* roles[] = {"matrix", "transfer"};
  return fmt::format("amg/{}/rows:{}/entries:{}", roles[static_cast<int>(role)], rows,
                     entries_per_row);
}

const char* name_of(AmgOperation operation) {
  constexpr const char* names[] = {"spmv",      "gauss_seidel", "jacobi",
                                   "chebyshev", "interpolate",  "restrict"};
  return names[static_cast<int>(operation)];
}

std::vector<AmgOperation> amg_operations(const AmgSpec& spec) {
  using enum AmgOperation;
  if (spec.role == AmgRole::interpolation) return {interpolate, restriction};
  if (spec.on_gpu) return {spmv};
  return {spmv, gauss_seidel};
}

std::vector<AmgSpec> amg_specs(bool quick, std::size_t most_bytes, bool on_gpu) {
  std::vector<int> matrix_rows =
      quick ? std::vector{100, 60'000, 250'000, 1'000'000}
            : std::vector{100,     400,     2000,    10'000,    30'000,   60'000,
                          120'000, 250'000, 500'000, 1'000'000, 2'000'000};
  const std::vector<int> matrix_entries =
      quick ? std::vector{7, 20} : std::vector{7, 15, 27, 45, 80};
  std::vector<int> transfer_rows =
      quick ? std::vector{100, 50'000, 800'000}
            : std::vector{100, 1000, 10'000, 50'000, 200'000, 500'000, 2'000'000};
  if (on_gpu)
    for (std::vector<int>* const rows : {&matrix_rows, &transfer_rows})
      for (const int more : {2'000'000, 4'000'000, 8'000'000})
        if (more > rows->back()) rows->push_back(more);
  const double most_entries = on_gpu ? (quick ? largest_quick_on_gpu : largest_on_gpu)
                                     : (quick ? largest_quick_entries : largest_entries);
  std::vector<AmgSpec> specs;
  const auto add = [&](AmgRole role, const std::vector<int>& rows,
                       const std::vector<int>& entries) {
    for (const int of_row : entries)
      for (const int number : rows) {
        const AmgSpec spec{{role, number, of_row}, on_gpu};
        if (1. * number * of_row <= most_entries && amg_matrix_bytes(spec) <= most_bytes)
          specs.push_back(spec);
      }
  };
  add(AmgRole::level, matrix_rows, matrix_entries);
  add(AmgRole::interpolation, transfer_rows, {2, 4});
  return specs;
}

AmgCases plan_amg(Plan& plan) {
  Bench& bench = plan.bench();
  if (!has_amg_matrices(bench.device())) return {};
  const bool on_gpu = !bench.device().is_host();
  const std::size_t flush = flush_bytes(bench);
  const std::size_t room = bench.room() - std::min(bench.room(), bench.arena_bytes() + flush);
  std::vector<AmgSpec> specs =
      amg_specs(bench.limits().quick, std::min(room / 2, bench.limits().most_case_bytes), on_gpu);
  // A table of each operation or nothing.
  if (std::none_of(specs.begin(), specs.end(),
                   [](const AmgSpec& spec) { return spec.role == AmgRole::interpolation; }))
    return {};
  std::size_t most = 0;
  for (const AmgSpec& spec : specs) most = std::max(most, amg_matrix_bytes(spec));
  bench.reserve(most + flush);
  plan.group("AMG's operations", 0.08);
  return plan.add_all(specs);
}

BenchCase make_case(Bench& bench, const AmgSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.samples_per_round = 2;
  AmgBench& amg = amg_bench(bench);
  for (const AmgOperation operation : amg_operations(spec))
    for (const char* part : {"", "_again"})
      work.parts.push_back(std::string(name_of(operation)) + part);
  work.prepare = [&amg, spec] { amg.make(spec); };
  work.sample = [&amg, spec] {
    const std::vector<double>& seconds = amg.measure(spec);
    return std::accumulate(seconds.begin(), seconds.end(), 0.);
  };
  work.part_seconds = [&amg] { return amg.seconds(); };
  return work;
}

}  // namespace bellwether
