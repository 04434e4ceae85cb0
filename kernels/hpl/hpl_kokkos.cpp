// SPDX-License-Identifier: MIT
#include <cblas.h>

#include <algorithm>
#include <cstring>

#include "kernels/dense/host_blas.hpp"
#include "kernels/hpl/hpl.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"

namespace bellwether {
namespace {

/// Rows, and columns, that a transposition moves at once: a cache line of each.
constexpr long line = 8;
/// Rows that a transposition takes through all columns before the next, so that it writes runs of
/// 1 KiB: one line of each column in turn would be on a page of its own (kernels/measurements.csv).
constexpr long rows_in_turn = 16 * line;

/// CBLAS takes int.
int narrow(long value) { return static_cast<int>(value); }

/// to(j, i) = from(i, j) of a cache line in both.
BELLWETHER_HOST_DEVICE void transpose_line(double* to, long ld_to, const double* from,
                                           long ld_from) {
  for (long j = 0; j < line; ++j) {
    double values[line];
    for (long i = 0; i < line; ++i) values[i] = from[i * ld_from + j];
    for (long i = 0; i < line; ++i) to[j * ld_to + i] = values[i];
  }
}

/// The same of any extent.
BELLWETHER_HOST_DEVICE void transpose_rows(double* to, long ld_to, const double* from, long ld_from,
                                           long rows, long columns) {
  const long whole_rows = rows / line * line, whole_columns = columns / line * line;
  for (long j = 0; j < whole_columns; j += line)
    for (long i = 0; i < whole_rows; i += line)
      transpose_line(to + j * ld_to + i, ld_to, from + i * ld_from + j, ld_from);
  for (long j = 0; j < columns; ++j)
    for (long i = j < whole_columns ? whole_rows : 0; i < rows; ++i)
      to[j * ld_to + i] = from[i * ld_from + j];
}

template <class Function>
void each(Stream& stream, long count, const Function& function) {
  if (count > 0) Kokkos::parallel_for(launch::Items(kokkos_exec(stream), 0, count), function);
}
BELLWETHER_HOST_DEVICE long least(long a, long b) { return a < b ? a : b; }

/// to(j, i) = from(i, j), `from` rows x columns, by as many threads as there are.
void transpose(double* to, long ld_to, const double* from, long ld_from, long rows, long columns,
               Stream& stream) {
  each(
      stream, (rows + rows_in_turn - 1) / rows_in_turn, KOKKOS_LAMBDA(std::int64_t part) {
        const long i = part * rows_in_turn;
        transpose_rows(to + i, ld_to, from + i * ld_from, ld_from, least(rows_in_turn, rows - i),
                       columns);
      });
}

class KokkosHpl final : public HplKernels {
 public:
  void prepare(Stream& /*stream*/) override { library_ = usable_blas(launch::on_host); }
  [[nodiscard]] std::string library() const override { return library_; }

  void fill(double* a, long ld, const HplPart& part, Stream& stream) override {
    each(
        stream, part.row_count, KOKKOS_LAMBDA(std::int64_t i) {
          const auto row = static_cast<std::uint64_t>(part.rows.global(i));
          for (long first = 0; first < part.column_count; first += part.columns.block) {
            const auto column = static_cast<std::uint64_t>(part.columns.global(first));
            const long end = least(part.columns.block, part.column_count - first);
            double* const to = a + i * ld + first;
            for (long j = 0; j < end; ++j)
              to[j] = hpl_element(row, column + static_cast<std::uint64_t>(j));
          }
        });
  }
  void take_panel(double* l, long ldl, const double* a, long ld, long rows, long columns,
                  Stream& stream) override {
    transpose(l, ldl, a, ld, rows, columns, stream);
  }
  void put_panel(double* a, long ld, const double* l, long ldl, long rows, long columns,
                 Stream& stream) override {
    transpose(a, ld, l, ldl, columns, rows, stream);
  }
  void copy_rows(const HplRows& to, const HplRows& from, long count, long columns,
                 Stream& stream) override {
    each(
        stream, count, KOKKOS_LAMBDA(std::int64_t n) {
          const long into = to.list != nullptr ? to.list[n] : n;
          if (into < 0) return;
          const long out = from.list != nullptr ? from.list[n] : n;
          std::memcpy(to.values + into * to.ld, from.values + out * from.ld,
                      static_cast<std::size_t>(columns) * sizeof(double));
        });
  }

  void multiply_triangle(double* u, long ldu, const double* x, long size, const double* w, long ldw,
                         long columns, Stream&) override {
    if (columns == 0) return;
    // Strips of rows: what is 0 to the right of each is left out.
    constexpr long most_strips = 4, least_rows = 16;
    const long strips = std::max(1L, std::min(most_strips, size / least_rows));
    const long height = ((size + strips - 1) / strips + line - 1) / line * line;
    for (long first = 0; first < size; first += height) {
      const long rows = std::min(height, size - first);
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, narrow(rows), narrow(columns),
                  narrow(first + rows), 1, x + first, narrow(size), w, narrow(ldw), 0,
                  u + first * ldu, narrow(ldu));
    }
  }
  void solve_triangle(double* u, long ldu, const double* l, long ldl, long size, long columns,
                      Stream&) override {
    bellwether::solve_triangle(u, ldu, l, ldl, columns, size, Diagonal::ones);
  }
  void subtract_product(double* c, long ldc, const double* l, long ldl, const double* u, long ldu,
                        long rows, long columns, long inner, Stream&) override {
    // What is row-major is column-major and transposed.
    bellwether::subtract_product(c, ldc, u, ldu, l, ldl, columns, rows, inner);
  }

  void subtract_from(double* y, const double* a, long ld, const double* x, long rows, long columns,
                     Stream&) override {
    if (rows == 0 || columns == 0) return;
    cblas_dgemv(CblasRowMajor, CblasNoTrans, narrow(rows), narrow(columns), -1, a, narrow(ld), x, 1,
                1, y, 1);
  }
  void solve_upper(double* x, const double* a, long ld, long size, Stream&) override {
    if (size == 0) return;
    cblas_dtrsv(CblasRowMajor, CblasUpper, CblasNoTrans, CblasNonUnit, narrow(size), a, narrow(ld),
                x, 1);
  }

  void row_sums(double* product, double* sizes, const double* x, const HplPart& part,
                Stream& stream) override {
    each(
        stream, part.row_count, KOKKOS_LAMBDA(std::int64_t i) {
          const auto row = static_cast<std::uint64_t>(part.rows.global(i));
          double sum = 0, size = 0;
          for (long first = 0; first < part.column_count; first += part.columns.block) {
            const auto column = static_cast<std::uint64_t>(part.columns.global(first));
            const long end = least(part.columns.block, part.column_count - first);
#pragma omp simd reduction(+ : sum, size)
            for (long j = 0; j < end; ++j) {
              const double element = hpl_element(row, column + static_cast<std::uint64_t>(j));
              sum += element * x[first + j];
              size += absolute(element);
            }
          }
          product[i] = sum;
          sizes[i] = size;
        });
  }

 private:
  std::string library_;
};

}  // namespace

template <>
std::unique_ptr<HplKernels> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosHpl>();
}

}  // namespace bellwether
