// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/cholesky/cholesky_body.hpp"
#include "kernels/dense/host_blas.hpp"
#include "kernels/launch/cpu/lanes.hpp"
#include "kernels/launch/kokkos/kokkos_stream.hpp"

namespace bellwether {
namespace {

template <class Function>
void each(Stream& stream, long first, long end, const Function& function) {
  if (first < end) Kokkos::parallel_for(launch::Items(kokkos_exec(stream), first, end), function);
}

/// Columns that the host's cores update at once where l is too long for a core's first cache: each
/// register of l is then loaded once for all of them, and lines are asked for so far ahead.
constexpr int columns_at_once = 4;
constexpr std::size_t long_bytes = 24 << 10;
constexpr int ahead_bytes = 1024;

/// Rows of `columns` own columns, whole lines of them; a[n] is where those of column n begin.
template <int columns, class T>
void subtract_rows(T* const* a, const T* factors, const T* l, long rows) {
  constexpr long size = launch::lane_count<T>;
  constexpr auto ahead = static_cast<long>(ahead_bytes / sizeof(T));
  for (long i = 0; i < rows; i += size) {
    const launch::Lanes<T> from = launch::load_all_lanes(l + i);
#pragma GCC unroll 4
    for (int n = 0; n < columns; ++n) {
      T* const at = a[n] + i;
      if constexpr (columns > 1) __builtin_prefetch(at + ahead, 1, 3);
      launch::store_all_lanes(at, updated(launch::load_all_lanes(at), from, factors[n]));
    }
  }
}

/// On the host's cores some columns are a work item: first the rows that the last of them has not.
template <class T>
void subtract(std::true_type /*on_host*/, const CholeskyColumns<T>& columns, long first, long end,
              const T* l, long l_row, Stream& stream) {
  const long items = (end - first + columns_at_once - 1) / columns_at_once;
  each(stream, 0, items, [=](std::int64_t item) {
    const long begin = first + item * columns_at_once;
    const int count = static_cast<int>(std::min<long>(columns_at_once, end - begin));
    const long last_row = columns.line_of(columns.single(begin + count - 1)),
               rows_end = columns.rows_end();
    const bool at_once = count == columns_at_once &&
                         static_cast<std::size_t>(rows_end - last_row) * sizeof(T) > long_bytes;
    T* from[columns_at_once];
    T factors[columns_at_once];
    for (int n = 0; n < count; ++n) {
      const long k = columns.single(begin + n), row = columns.line_of(k);
      T* const a = columns.values + columns.starts[begin + n];
      factors[n] = l[k - l_row];
      T* const top = a + row;
      subtract_rows<1>(&top, &factors[n], l + (row - l_row), (at_once ? last_row : rows_end) - row);
      from[n] = a + last_row;
    }
    if (at_once)
      subtract_rows<columns_at_once>(from, factors, l + (last_row - l_row), rows_end - last_row);
  });
}
/// On a device a value is; columns of fewer rows than the first leave the items of the others idle.
template <class T>
void subtract(std::false_type /*on_host*/, const CholeskyColumns<T>& columns, long first, long end,
              const T* l, long l_row, Stream& stream) {
  const long rows = columns.rows_end() - columns.first_row(first);
  each(
      stream, 0, (end - first) * rows, KOKKOS_LAMBDA(std::int64_t item) {
        const long column = first + item / rows, i = columns.rows_end() - 1 - item % rows;
        const long k = columns.single(column);
        if (i < columns.line_of(k)) return;
        T* const a = columns.values + columns.starts[column] + i;
        *a = updated(*a, l[i - l_row], l[k - l_row]);
      });
}

template <class T>
void divide(std::true_type /*on_host*/, T* column, long row, long end, Stream& stream) {
  each(stream, 0, 1, [=](std::int64_t) {
    const T root = square_root(column[row]);
    for (long i = CholeskyColumns<T>::line_of(row); i < row; ++i) column[i] = T(0);
    column[row] = root;
    for (long i = row + 1; i < end; ++i) column[i] = quotient(column[i], root);
  });
}
/// Each item takes the root of the diagonal, which is replaced when all are done.
template <class T>
void divide(std::false_type /*on_host*/, T* column, long row, long end, Stream& stream) {
  each(
      stream, CholeskyColumns<T>::line_of(row), end, KOKKOS_LAMBDA(std::int64_t i) {
        if (i != row) column[i] = i < row ? T(0) : quotient(column[i], square_root(column[row]));
      });
  each(
      stream, row, row + 1, KOKKOS_LAMBDA(std::int64_t i) { column[i] = square_root(column[i]); });
}

template <class T>
class KokkosCholesky final : public CholeskyKernels<T> {
 public:
  void fill(const CholeskyColumns<T>& columns, double diagonal, Stream& stream) override {
    each(
        stream, 0, columns.count, KOKKOS_LAMBDA(std::int64_t column) {
          const long k = columns.dealt.global(column);
          T* const a = columns.values + columns.starts[column];
          for (long i = columns.first_row(column); i < columns.rows_end(); ++i)
            a[i] = stored_element(columns, i, k, diagonal);
        });
  }
  void scale(T* column, long row, long end, Stream& stream) override {
    divide(std::bool_constant<launch::on_host>{}, column, row, end, stream);
  }
  void subtract_column(const CholeskyColumns<T>& columns, long first, long end, const T* l,
                       long l_row, Stream& stream) override {
    if (first < end)
      subtract(std::bool_constant<launch::on_host>{}, columns, first, end, l, l_row, stream);
  }

  void prepare(Stream& /*stream*/) override { library_ = usable_blas(launch::on_host); }
  [[nodiscard]] std::string library() const override { return library_; }
  void use_threads(int threads) override { use_blas_threads(threads); }
  void factor_block(T* a, long ld, long n, Stream& /*stream*/) override {
    factor_diagonal_block(a, ld, n);
  }
  void solve_triangle(T* b, long ldb, const T* l, long ldl, long rows, long width,
                      Stream& /*stream*/) override {
    bellwether::solve_triangle(b, ldb, l, ldl, rows, width, Diagonal::stored);
  }
  void take_rows(T* w, long ldw, const CholeskyColumns<T>& columns, long first, long count,
                 const T* l, long ldl, long l_row, long width, Stream& stream) override {
    each(
        stream, 0, width, KOKKOS_LAMBDA(std::int64_t q) {
          const long block = columns.dealt.block;
          for (long c = 0; c < count;) {
            const long k = columns.dealt.global(first + c);
            const long left = block - (first + c) % block,
                       end = left < count - c ? c + left : count;
            for (long i = 0; i < end - c; ++i) w[q * ldw + c + i] = l[q * ldl + k + i - l_row];
            c = end;
          }
        });
  }
  void subtract_product(T* c, long ldc, const T* l, long ldl, const T* w, long ldw, long rows,
                        long columns, long inner, Stream& /*stream*/) override {
    bellwether::subtract_product(c, ldc, l, ldl, w, ldw, rows, columns, inner);
  }

 private:
  std::string library_;
};

/// By the host's BLAS.
template <class T>
struct HostFactor {
  static constexpr long base_columns = 16;  ///< that are factored one by one
  void factor_base(T* a, long ld, long n) const {
    for (long j = 0; j < n; ++j) {
      T* const column = a + j * ld;
      const T root = std::sqrt(column[j]);
      column[j] = root;
      for (long i = j + 1; i < n; ++i) column[i] /= root;
      for (long k = j + 1; k < n; ++k)
        for (long i = k; i < n; ++i) a[k * ld + i] -= column[i] * column[k];
    }
  }
  void solve_triangle(T* b, long ldb, const T* l, long ldl, long rows, long width) const {
    bellwether::solve_triangle(b, ldb, l, ldl, rows, width, Diagonal::stored);
  }
  void subtract_product(T* c, long ldc, const T* l, long ldl, const T* w, long ldw, long rows,
                        long columns, long inner) const {
    bellwether::subtract_product(c, ldc, l, ldl, w, ldw, rows, columns, inner);
  }
};

}  // namespace

template <class T>
void factor_diagonal_block(T* a, long ld, long n) {
  factor_lower(a, ld, n, HostFactor<T>{});
  for (long j = 1; j < n; ++j) std::fill_n(a + j * ld, j, T(0));
}
template void factor_diagonal_block(float* a, long ld, long n);
template void factor_diagonal_block(double* a, long ld, long n);

template <>
std::unique_ptr<CholeskyKernels<float>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosCholesky<float>>();
}
template <>
std::unique_ptr<CholeskyKernels<double>> make_kokkos_kernels(Device&) {
  return std::make_unique<KokkosCholesky<double>>();
}

}  // namespace bellwether
