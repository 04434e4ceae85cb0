// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <limits>

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
    clear();
    matrix_ = make_amg_matrix(bench_.session().world(), spec, bench_.device());
    for (const AmgOperation operation : amg_operations(spec)) matrix_->run(operation);
  }

  /// Each operation's parts, the ranks beginning together.
  const std::vector<double>& measure(const AmgSpec& spec) {
    std::vector<double> mine;
    for (const AmgOperation operation : amg_operations(spec)) {
      const auto [cold, again] = timer_.measure(*matrix_, operation, amg_case_bytes(spec));
      mine.insert(mine.end(), {cold, again});
    }
    const MPI_Comm world = bench_.session().world();
    const int count = static_cast<int>(mine.size());
    std::vector<double> slowest(mine.size()), sum(mine.size());
    MPI_Allreduce(mine.data(), slowest.data(), count, MPI_DOUBLE, MPI_MAX, world);
    MPI_Allreduce(mine.data(), sum.data(), count, MPI_DOUBLE, MPI_SUM, world);
    seconds_.clear();
    for (std::size_t n = 0; n < mine.size(); n += 2) {
      for (const std::size_t one : {n, n + 1}) seconds_.push_back(slowest[one]);
      for (const std::size_t one : {n, n + 1})
        seconds_.push_back(std::max(0., slowest[one] - sum[one] / bench_.session().size()));
    }
    return seconds_;
  }
  [[nodiscard]] const std::vector<double>& seconds() const { return seconds_; }

  void make_loop(const AmgSpec& spec) {
    clear();
    loop_ = make_amg_loop(spec.rows, spec.threads);
    (void)loop_->seconds();
  }
  double loop(int calls) {
    double seconds = 0;
    for (int call = 0; call < calls; ++call) seconds += loop_->seconds();
    return seconds;
  }

 private:
  void clear() {  // one at a time: together they might not fit
    matrix_.reset();
    loop_.reset();
  }

  Bench& bench_;
  AmgOperationTimer timer_;
  std::unique_ptr<AmgMatrix> matrix_;
  std::unique_ptr<AmgLoop> loop_;
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
  if (threads > 0) return fmt::format("amg/loop/threads:{}/doubles:{}", threads, rows);
  constexpr const char* roles[] = {"matrix", "transfer", "coarsest"};
  return fmt::format("amg/{}/rows:{}/entries:{}", roles[static_cast<int>(role)], rows,
                     entries_per_row);
}

const char* name_of(AmgOperation operation) {
  constexpr const char* names[] = {"spmv",        "gauss_seidel", "jacobi",      "chebyshev",
                                   "interpolate", "restrict",     "coarse_solve"};
  return names[static_cast<int>(operation)];
}

std::vector<AmgOperation> amg_operations(const AmgSpec& spec) {
  using enum AmgOperation;
  switch (spec.role) {
    case AmgRole::interpolation:
      return {interpolate, restriction};
    case AmgRole::coarsest:
      return {coarse_solve};
    case AmgRole::level:
      break;
  }
  if (spec.on_gpu) return {spmv, jacobi, chebyshev};
  return {spmv, gauss_seidel, jacobi, chebyshev};
}

std::size_t amg_case_bytes(const AmgSpec& spec) {
  if (spec.threads > 0) return 2 * sizeof(double) * static_cast<std::size_t>(spec.rows);
  return amg_matrix_bytes(spec);
}

std::vector<AmgSpec> amg_specs(bool quick, std::size_t most_bytes, bool on_gpu) {
  std::vector<int> matrix_rows =
      quick ? std::vector{100, 8000, 60'000, 250'000, 1'000'000}
            : std::vector{100,     400,     2000,    10'000,    30'000,   60'000,
                          120'000, 250'000, 500'000, 1'000'000, 2'000'000};
  const std::vector<int> matrix_entries =
      quick ? std::vector{7, 20} : std::vector{7, 15, 27, 45, 80};
  std::vector<int> transfer_rows =
      quick ? std::vector{100, 3000, 50'000, 200'000, 800'000}
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
        const AmgSpec spec{{role, number, of_row}, 0, on_gpu};
        if (1. * number * of_row <= most_entries && amg_case_bytes(spec) <= most_bytes)
          specs.push_back(spec);
      }
  };
  add(AmgRole::level, matrix_rows, matrix_entries);
  add(AmgRole::interpolation, transfer_rows, {2, 4});
  if (specs.empty()) return specs;
  for (const int rows : {1, 3, 6, 9})  // amg_coarsest_unknowns at most
    if (AmgSpec spec{{AmgRole::coarsest, rows, rows}, 0, on_gpu};
        amg_case_bytes(spec) <= most_bytes)
      specs.push_back(spec);
  return specs;
}

std::vector<AmgSpec> amg_loop_specs(int most_threads, std::size_t bytes) {
  std::vector<AmgSpec> specs;
  const int doubles = static_cast<int>(
      std::min<std::size_t>(bytes / (2 * sizeof(double)), std::numeric_limits<int>::max()));
  if (most_threads < 2) return specs;
  for (int threads = 1;; threads = std::min(2 * threads, most_threads)) {
    for (const int size : {threads, std::max(doubles, threads + 1)})
      specs.push_back({{AmgRole::level, size, 0}, threads});
    if (threads == most_threads) return specs;
  }
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
  for (const AmgSpec& spec : amg_loop_specs(on_gpu ? 1 : amg_threads(), std::min(flush, room / 2)))
    specs.push_back(spec);
  std::size_t most = 0;
  for (const AmgSpec& spec : specs) most = std::max(most, amg_case_bytes(spec));
  bench.reserve(most + flush);
  plan.group("AMG's operations", 0.08);
  return plan.add_all(specs);
}

BenchCase make_case(Bench& bench, const AmgSpec& spec) {
  BenchCase work;
  work.name = spec.name();
  work.samples_per_round = 2;
  AmgBench& amg = amg_bench(bench);
  if (spec.threads > 0) {
    constexpr int calls = 100;
    if (spec.rows == spec.threads) work.batch = calls;
    work.bytes = 3. * sizeof(double) * spec.rows;
    work.prepare = [&amg, spec] { amg.make_loop(spec); };
    work.sample = [&amg, batch = work.batch] { return amg.loop(batch); };
    return work;
  }
  for (const AmgOperation operation : amg_operations(spec))
    for (const char* part : {"", "_again", "_wait", "_again_wait"})
      work.parts.push_back(std::string(name_of(operation)) + part);
  work.prepare = [&amg, spec] { amg.make(spec); };
  work.sample = [&amg, spec] {
    const std::vector<double>& seconds = amg.measure(spec);
    double sum = 0;
    for (std::size_t part = 0; part < seconds.size(); part += 4)
      sum += seconds[part] + seconds[part + 1];
    return sum;
  };
  work.part_seconds = [&amg] { return amg.seconds(); };
  return work;
}

}  // namespace bellwether
