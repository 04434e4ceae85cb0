// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "kernels/cholesky/cholesky.hpp"
#include "kernels/dense/host_blas.hpp"
#include "microbench/cholesky/cholesky_cases.hpp"
#include "microbench/links/rank_pairs.hpp"
#include "miniapps/comm/session/cores.hpp"
#include "miniapps/comm/stream_timer.hpp"

namespace bellwether {

using namespace cholesky_cases;

namespace {

using Operation = CholeskySpec::Operation;

constexpr double fast_flops_per_s = 1e11, fast_bytes_per_s = 2e10;  // for batches only
constexpr double sample_s = 2e-3;

/// As the mini-app runs its kernels: each with a clock, whose time is part of a start-up.
struct Timed {
  explicit Timed(Bench& of) : bench(of), timer(of.device()) {}
  template <class Launch>
  void operator()(const char* phase, Launch&& launch) {
    timer.time(clock, phase, bench.stream(), launch);
    timer.collect(clock);
  }
  Bench& bench;
  Heartbeat heartbeat;
  PhaseClock clock{heartbeat};
  StreamTimer timer;
};

/// The columns have been gone through before, as in a factorization, where each column's sweep
/// follows the one before; a shared cache keeps them after several sweeps, not after one.
template <class T>
void make_update(Bench& bench, const CholeskySpec& spec, BenchCase& work) {
  work.bytes = 2 * sizeof(T) * spec.updated_values();
  work.batch = batch_for(1e-7 + work.bytes / fast_bytes_per_s, sample_s);
  const auto columns = std::make_shared<std::unique_ptr<Columns<T>>>();
  work.prepare = [&bench, spec, columns] {
    if (!*columns)
      *columns = std::make_unique<Columns<T>>(bench, spec.rows, spec.processes, values<T>(bench));
    renew_numbers<T>(bench, update_bytes(spec) / sizeof(T));
  };
  const auto timed = std::make_shared<Timed>(bench);
  work.sample = [&bench, columns, timed, batch = work.batch] {
    const CholeskyColumns<T>& all = (*columns)->columns;
    auto& kernels = bench.kernels<CholeskyKernels<T>>();
    const auto sweep = [&](int times) {
      for (int n = 0; n < times; ++n)
        (*timed)("compute.update", [&] {
          kernels.subtract_column(all, 0, all.count, beside<T>(bench), 0, bench.stream());
        });
    };
    constexpr int sweeps_before = 3;
    (void)bench.timed([&] { sweep(sweeps_before); });
    return bench.timed([&] { sweep(batch); });
  };
}

/// Each time another column, so that none is in the caches; as the owner has it that updated many
/// others since.
template <class T>
void make_scale(Bench& bench, const CholeskySpec& spec, BenchCase& work) {
  constexpr double positive = 7;
  const CholeskySizes& sizes = sizes_of(bench);
  const long count = sizes.rows * sizes.columns / spec.rows;
  work.bytes = sizeof(T) * static_cast<double>(spec.rows);
  work.batch = batch_for(2e-7 + work.bytes / fast_bytes_per_s, sample_s);
  work.prepare = [&bench, spec, count] {
    CholeskyColumns<T> all;
    all.values = values<T>(bench);
    all.size = spec.rows;
    all.count = 1;
    const Buffer<long> starts = uploaded(bench.device(), std::vector<long>{0}, bench.stream());
    all.starts = starts.data();
    for (long c = 0; c < count; ++c, all.values += spec.rows)
      bench.kernels<CholeskyKernels<T>>().fill(all, positive, bench.stream());
    bench.device().fence(bench.stream());
  };
  const auto next = std::make_shared<long>(0);
  const auto timed = std::make_shared<Timed>(bench);
  work.sample = [&bench, spec, count, next, timed, batch = work.batch] {
    auto& kernels = bench.kernels<CholeskyKernels<T>>();
    return bench.timed([&] {
      for (int n = 0; n < batch; ++n, *next = (*next + 1) % count) {
        T* const column = values<T>(bench) + *next * spec.rows;
        (*timed)("compute.scale", [&] { kernels.scale(column, 0, spec.rows, bench.stream()); });
        (*timed)("compute.scale", [&] {
          bench.device().copy_shared(beside<T>(bench), column, sizeof(T) * as_count(spec.rows),
                                     bench.stream());
        });
      }
    });
  };
}

/// `once(n)`, which is timed, each after `before(n)`, which is not.
template <class Before, class Once>
std::function<double()> timed_apart(Bench& bench, int batch, Before before, Once once) {
  return [&bench, batch, before, once] {
    double seconds = 0;
    for (int n = 0; n < batch; ++n) {
      before(n);
      seconds += bench.timed([&] { once(n); });
    }
    return seconds;
  };
}

/// A square block's lower triangle and rows below it, column-major.
template <class T>
void fill_block(Bench& bench, T* to, long rows, int width, double diagonal) {
  CholeskyColumns<T> block;
  std::vector<long> where;
  for (long c = 0; c < width; ++c) where.push_back(c * rows);
  const Buffer<long> starts = uploaded(bench.device(), where, bench.stream());
  block.values = to;
  block.starts = starts.data();
  block.size = rows;
  block.count = block.group = width;
  bench.kernels<CholeskyKernels<T>>().fill(block, diagonal, bench.stream());
  bench.device().fence(bench.stream());
}

template <class T>
void make_factor(Bench& bench, const CholeskySpec& spec, BenchCase& work) {
  const double width = spec.width;
  work.flops = width * width * width / 3;
  // On a GPU 64 columns are some 200 steps of one block of threads, whatever the flops.
  const double steps_s = bench.device().is_host() ? 0 : 5e-5 * std::ceil(width / 64);
  work.batch = batch_for(10 * work.flops / fast_flops_per_s + steps_s, sample_s);
  const double diagonal = std::sqrt(width);
  work.sample = timed_apart(
      bench, work.batch,
      [&bench, spec, diagonal](int) {
        fill_block(bench, values<T>(bench), spec.width, spec.width, diagonal);
      },
      [&bench, spec](int) {
        bench.kernels<CholeskyKernels<T>>().factor_block(values<T>(bench), spec.width, spec.width,
                                                         bench.stream());
      });
}

template <class T>
void make_solve(Bench& bench, const CholeskySpec& spec, BenchCase& work) {
  const double width = spec.width;
  work.flops = width * width * static_cast<double>(spec.rows);
  work.batch = batch_for(4 * work.flops / fast_flops_per_s, sample_s);
  const double diagonal = std::sqrt(width);
  work.prepare = [&bench, spec, diagonal] {
    fill_block(bench, beside<T>(bench), spec.width, spec.width, diagonal);
  };
  work.sample = timed_apart(
      bench, work.batch,
      [&bench, spec, diagonal](int) {
        fill_block(bench, values<T>(bench), spec.rows, spec.width, diagonal);
      },
      [&bench, spec](int) {
        bench.kernels<CholeskyKernels<T>>().solve_triangle(values<T>(bench), spec.rows,
                                                           beside<T>(bench), spec.width, spec.rows,
                                                           spec.width, bench.stream());
      });
}

template <class T>
void make_product(Bench& bench, const CholeskySpec& spec, BenchCase& work) {
  work.flops = 2. * spec.width * static_cast<double>(spec.rows * spec.columns);
  work.batch = batch_for(work.flops / fast_flops_per_s, sample_s);
  const auto next = std::make_shared<long>(0);
  // Lines from column to column are odd in number, as the mini-app's.
  const long ld = sizes_of(bench).rows + CholeskyColumns<T>::line;
  work.prepare = [&bench] {
    renew_numbers<T>(bench, static_cast<double>(sizes_of(bench).region_bytes()) / sizeof(T));
  };
  work.sample = [&bench, spec, next, ld, batch = work.batch] {
    auto& kernels = bench.kernels<CholeskyKernels<T>>();
    T* const l = beside<T>(bench);
    T* const w = l + as_count(ld) * as_count(spec.width);
    const long across = sizes_of(bench).columns / spec.columns;
    return bench.timed([&] {
      for (int n = 0; n < batch; ++n, *next = (*next + 1) % across)
        kernels.subtract_product(values<T>(bench) + *next * spec.columns * ld, ld, l, ld, w,
                                 spec.columns, spec.rows, spec.columns, spec.width, bench.stream());
    });
  };
}

/// Samples of a library's work with as many threads as the mini-app's ranks have.
std::function<double()> with_own_threads(Bench& bench, std::function<double()> sample) {
  return [threads = cores_of_its_own(bench.session()), sample = std::move(sample)] {
    const int before = blas_threads();
    if (before > 0) use_blas_threads(threads);
    const double seconds = sample();
    if (before > 0) use_blas_threads(before);
    return seconds;
  };
}

bool has_blas(Bench& bench) {
  try {
    agree_on_errors(bench.session().world(), [&] {
      bench.kernels<CholeskyKernels<float>>().prepare(bench.stream());
      bench.kernels<CholeskyKernels<double>>().prepare(bench.stream());
    });
  } catch (const std::runtime_error&) {
    return false;
  }
  return true;
}

}  // namespace

std::string CholeskySpec::name() const {
  constexpr const char* names[] = {"update", "scale", "broadcast", "overhead",
                                   "factor", "solve", "product"};
  std::string name = fmt::format("cholesky/{}", names[static_cast<int>(operation)]);
  if (!precision.empty()) name += "/" + precision;
  if (rows > 0) name += fmt::format("/rows:{}", rows);
  if (columns > 0) name += fmt::format("/columns:{}", columns);
  if (width > 0) name += fmt::format("/block:{}", width);
  if (processes > 1) name += fmt::format("/of:{}", processes);
  return name;
}

double CholeskySpec::updated_columns() const {
  return static_cast<double>(DealtOut{1, processes, 0}.count(rows));
}

double CholeskySpec::updated_values() const {
  const double count = updated_columns();  // columns 0, P, 2 P, ...
  return count * static_cast<double>(rows) - processes * count * (count - 1) / 2;
}

CholeskySizes cholesky_sizes(const CalibrationLimits& limits, std::size_t room, bool on_host) {
  const std::size_t most = std::min(room / 2, limits.most_case_bytes);
  for (const long rows : {16384L, 4096L, 1024L, 256L}) {
    if (on_host && rows > 4096) continue;
    const CholeskySizes sizes{rows, rows / 2, static_cast<int>(rows / 16), most};
    if (sizes.beside_bytes() + sizes.region_bytes() <= most) return sizes;
  }
  return {};
}

std::vector<CholeskySpec> cholesky_specs(const CholeskySizes& sizes, bool quick, bool has_blas,
                                         bool has_pairs) {
  std::vector<CholeskySpec> specs;
  if (sizes.rows == 0) return specs;
  const auto add = [&specs](Operation operation, const std::string& precision, long rows,
                            long columns = 0, int width = 0, int processes = 1) {
    specs.push_back({operation, precision, rows, columns, width, processes});
  };
  for (const std::string precision : {"f32", "f64"}) {
    // What tells a call, a column and a value apart, in the nearest cache.
    for (const auto& [rows, processes] : {std::pair(8L, 1), std::pair(32L, 1), std::pair(64L, 1),
                                          std::pair(192L, 16), std::pair(384L, 64)})
      add(Operation::update, precision, rows, 0, 0, processes);
    for (const long rows : quick ? std::vector{128L, 512L, 1024L, 1536L, 2048L, 3072L, 4096L}
                                 : std::vector{128L, 256L, 384L, 512L, 768L, 1024L, 1536L, 2048L,
                                               3072L, 4096L, 6144L, 8192L, 12288L}) {
      if (update_bytes({Operation::update, precision, rows, 0, 0, 1}) <= room_for_columns(sizes))
        add(Operation::update, precision, rows);
    }
    for (const long rows : {sizes.rows / 16, sizes.rows / 2, 4 * sizes.rows})
      add(Operation::scale, precision, rows);
    if (!has_blas) continue;
    for (const int width :
         quick ? std::vector{16, 64, 128, 512} : std::vector{8, 16, 32, 64, 128, 256, 512}) {
      if (width > sizes.widest) continue;
      add(Operation::factor, precision, 0, 0, width);
      add(Operation::solve, precision, sizes.rows / 2, 0, width);
      for (const long rows : {sizes.rows / 8, sizes.rows})
        for (const long columns : {sizes.columns / 64, sizes.columns / 8})
          add(Operation::product, precision, rows, columns, width);
    }
  }
  if (has_pairs)
    for (const long doubles : {64L, 512L, 4096L, 32768L, 262144L})
      add(Operation::broadcast, "", doubles);
  if (has_pairs) add(Operation::overhead, "", 64);
  return specs;
}

CholeskyCases plan_cholesky(Plan& plan) {
  Bench& bench = plan.bench();
  const CholeskySizes& sizes = sizes_of(bench);
  const bool has_pairs =
      bench.device().is_host() && !shared_memory_pairs(bench.node_of_rank()).pairs.empty();
  const std::vector<CholeskySpec> specs =
      cholesky_specs(sizes, bench.limits().quick, has_blas(bench), has_pairs);
  if (specs.empty()) return {};
  double most = static_cast<double>(sizes.region_bytes());
  for (const CholeskySpec& spec : specs)
    if (spec.operation == Operation::update) most = std::max(most, update_bytes(spec));
  if (has_pairs) most = std::max(most, update_bytes(updated_between(sizes)));
  bench.reserve_arena(sizes.beside_bytes() + static_cast<std::size_t>(most));
  plan.group("Cholesky's operations", 0.07);
  return plan.add_all(specs);
}

BenchCase make_case(Bench& bench, const CholeskySpec& spec) {
  BenchCase work;
  work.name = spec.name();
  if (spec.precision.empty()) {
    make_pair_case(bench, spec, work);
    return work;
  }
  with_precision(spec.precision, [&](auto zero) {
    using T = decltype(zero);
    switch (spec.operation) {
      case Operation::update:
        return make_update<T>(bench, spec, work);
      case Operation::scale:
        return make_scale<T>(bench, spec, work);
      case Operation::factor:
        return make_factor<T>(bench, spec, work);
      case Operation::solve:
        return make_solve<T>(bench, spec, work);
      case Operation::product:
        return make_product<T>(bench, spec, work);
      case Operation::broadcast:
      case Operation::overhead:
        return;
    }
  });
  if (spec.width > 0) work.sample = with_own_threads(bench, std::move(work.sample));
  return work;
}

}  // namespace bellwether
