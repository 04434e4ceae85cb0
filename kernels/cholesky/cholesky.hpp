// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "kernels/hpl/hpl_matrix.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {

/// The columns of a symmetric matrix' lower triangle that a process has, in device memory: blocks
/// of columns dealt out in turn. So many columns that follow one another there, a **group**, are a
/// column-major rectangle: from the cache line of the first one's diagonal down. Groups follow one
/// another without a gap, so that a group of one column takes half of the square, and a sweep over
/// columns is one over memory.
template <class T>
struct CholeskyColumns {
  static constexpr long line = static_cast<long>(cache_line_bytes / sizeof(T));

  T* values = nullptr;
  /// For each own column where row 0 would stand; row i is values[starts[column] + i].
  const long* starts = nullptr;
  DealtOut dealt;  ///< which column of the matrix an own one is
  long size = 0;   ///< rows of the matrix
  long count = 0;  ///< own columns
  long group = 1;  ///< own columns of a group: a multiple of the block, 1 for blocks of 1

  /// Which column an own one is where blocks are of 1: without a division.
  [[nodiscard]] BELLWETHER_HOST_DEVICE long single(long column) const {
    return column * dealt.processes + dealt.mine;
  }
  [[nodiscard]] static BELLWETHER_HOST_DEVICE long line_of(long row) { return row / line * line; }
  /// The first row that is stored of an own column, and the one behind the last: whole lines, of
  /// which those behind the matrix are 0.
  [[nodiscard]] BELLWETHER_HOST_DEVICE long first_row(long column) const {
    return line_of(dealt.global(column / group * group));
  }
  [[nodiscard]] BELLWETHER_HOST_DEVICE long rows_end() const { return line_of(size + line - 1); }
};

/// What a column does to each value of the later ones: flops, and values of the matrix read and
/// written.
inline constexpr int cholesky_update_flops = 2, cholesky_update_values = 2;

/// Element (row, column) of the matrix that is factored: symmetric, between -0.5 and 0.5 from a
/// hash of the two, and `diagonal` on the diagonal. Its eigenvalues are those of a random matrix,
/// from -0.58 sqrt(n) to 0.58 sqrt(n), around `diagonal`.
BELLWETHER_HOST_DEVICE double cholesky_element(long row, long column, double diagonal) {
  if (row == column) return diagonal;
  const auto high = static_cast<std::uint64_t>(row > column ? row : column);
  const auto low = static_cast<std::uint64_t>(row > column ? column : row);
  return hpl_element(high, low);
}

/// What a Cholesky factorization by columns does to a process' columns. T is float or double.
/// Everything lies in device memory; counts may be 0.
template <class T>
class CholeskyKernels {
 public:
  virtual ~CholeskyKernels() = default;

  /// The elements of the matrix; 0 above the diagonal and behind the last row.
  virtual void fill(const CholeskyColumns<T>& columns, double diagonal, Stream& stream) = 0;

  // One column at a time.

  /// Divides rows `row` to `end` of a column by the root of what stands in row `row`, the diagonal,
  /// which becomes the root; the rows of its line before it become 0. `column`: row 0.
  virtual void scale(T* column, long row, long end, Stream& stream) = 0;
  /// a(i, k) -= l(i) l(k) for own columns `first` to `end`, of which none is in a group with
  /// others, and all their rows; k is the own column's in the matrix. `l`: from row `l_row` on,
  /// where a line begins; a line begins there too. Each value of the columns is read and written
  /// once; l stays in the cache.
  virtual void subtract_column(const CholeskyColumns<T>& columns, long first, long end, const T* l,
                               long l_row, Stream& stream) = 0;

  // Several columns at a time, by a library.

  /// Loads it and what it keeps for each stream, which takes time and memory. Throws
  /// std::runtime_error with its name if that cannot be.
  virtual void prepare(Stream& stream) = 0;
  /// Which it is, for the record: "OpenBLAS 0.3.21, SkylakeX", "…/libcublas.so.13 (13.1.0)". After
  /// prepare().
  [[nodiscard]] virtual std::string library() const = 0;
  /// Host threads that it takes; at least 1. Nothing on a GPU.
  virtual void use_threads(int threads) = 0;
  /// L of A = L L^T in the lower triangle at `a` (n x n); what stands above it is not L's. From the
  /// first column whose diagonal is not positive on there are values that are not finite.
  virtual void factor_block(T* a, long ld, long n, Stream& stream) = 0;
  /// b = b L^-T: b column-major rows x width, L the lower triangle at `l` (width x width).
  virtual void solve_triangle(T* b, long ldb, const T* l, long ldl, long rows, long width,
                              Stream& stream) = 0;
  /// w(c, q) = l(k, q) for own columns first + c of `count`, k the own column's in the matrix; l
  /// from row `l_row` on, `width` columns.
  virtual void take_rows(T* w, long ldw, const CholeskyColumns<T>& columns, long first, long count,
                         const T* l, long ldl, long l_row, long width, Stream& stream) = 0;
  /// c -= l w^T: c rows x columns, l rows x inner, w columns x inner, all column-major.
  virtual void subtract_product(T* c, long ldc, const T* l, long ldl, const T* w, long ldw,
                                long rows, long columns, long inner, Stream& stream) = 0;
};

/// L of A = L L^T in the lower triangle of a column-major matrix in host memory, n x n with `ld`
/// values from column to column, by halves (the host's BLAS); 0 above the diagonal. From the first
/// column whose diagonal is not positive on there are values that are not finite.
template <class T>
void factor_diagonal_block(T* a, long ld, long n);

}  // namespace bellwether
