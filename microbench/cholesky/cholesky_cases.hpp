// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "kernels/cholesky/cholesky.hpp"
#include "microbench/cholesky/cholesky.hpp"

/// What the cases of one rank and those of a pair of ranks share: columns in the bench's arena.
namespace bellwether::cholesky_cases {

inline std::size_t as_count(long values) { return static_cast<std::size_t>(values); }

/// What an update's columns take, each a whole number of lines.
inline double update_bytes(const CholeskySpec& spec) {
  const double value = spec.precision == "f32" ? sizeof(float) : sizeof(double);
  return value * spec.updated_values() + 128 * spec.updated_columns();
}
/// What there is for them.
inline double room_for_columns(const CholeskySizes& sizes) {
  return static_cast<double>(sizes.most_bytes - sizes.beside_bytes());
}

/// Columns in the arena, and where they begin.
template <class T>
struct Columns {
  CholeskyColumns<T> columns;
  Buffer<long> starts;

  Columns(Bench& bench, long rows, int processes, T* values) {
    columns.dealt = {1, processes, 0};
    columns.size = rows;
    columns.count = columns.dealt.count(rows);
    columns.values = values;
    std::vector<long> where;
    long from = 0;
    for (long c = 0; c < columns.count; ++c) {
      where.push_back(from - columns.first_row(c));
      from += columns.rows_end() - columns.first_row(c);
    }
    starts = uploaded(bench.device(), where, bench.stream());
    columns.starts = starts.data();
  }
};

/// Those of the bench, found when first asked for.
inline const CholeskySizes& sizes_of(Bench& bench) {
  return bench.kept<CholeskySizes>([&bench] {
    return std::make_unique<CholeskySizes>(
        cholesky_sizes(bench.limits(), bench.room(), bench.device().is_host()));
  });
}

/// The two parts of the arena (CholeskySizes).
template <class T>
T* beside(Bench& bench) {
  return reinterpret_cast<T*>(bench.arena());
}
template <class T>
T* values(Bench& bench) {
  return reinterpret_cast<T*>(bench.arena() + sizes_of(bench).beside_bytes());
}

/// What updates columns and `count` values of the columns, numbers again (Bench::renew_numbers):
/// for prepare().
template <class T>
void renew_numbers(Bench& bench, double count) {
  bench.renew_numbers<T>(sizes_of(bench).beside_bytes() / sizeof(T) +
                         static_cast<std::size_t>(count));
}

/// Columns that both ranks of a pair update between messages, f64: 1 MB, so that what MPI has is
/// out of the nearest caches, as in a factorization.
CholeskySpec updated_between(const CholeskySizes& sizes);

/// Makes a case of Operation::broadcast or overhead, on pairs of ranks; its name is set already.
void make_pair_case(Bench& bench, const CholeskySpec& spec, BenchCase& work);

}  // namespace bellwether::cholesky_cases
