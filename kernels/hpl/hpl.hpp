// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "kernels/hpl/hpl_device_panel.hpp"
#include "kernels/hpl/hpl_matrix.hpp"
#include "kernels/launch/device.hpp"

namespace bellwether {

/// Rows of `columns` doubles in device memory. `ld`: doubles from one row to the next.
struct HplRows {
  double* values = nullptr;
  long ld = 0;
  /// Which rows, in device memory; null: the first ones. One below 0 in a target's is left out.
  const int* list = nullptr;
};

/// The part of a matrix of some rows and columns that a process has.
struct HplPart {
  DealtOut rows, columns;
  long row_count = 0, column_count = 0;
};

/// What LU by panels does to a process' part of the matrix, apart from the panels themselves, which
/// the host factors (hpl_panel.hpp), or the device (hpl_device_panel.hpp). The part is row-major:
/// `a` its first element, `ld` doubles from row to row. A panel is column-major: `l`, `ldl` doubles
/// from column to column. Both, and all else, lie in device memory, doubles throughout. Counts may
/// be 0.
class HplKernels {
 public:
  virtual ~HplKernels() = default;

  /// Loads the library of the products and what it keeps for each stream, which takes time and
  /// memory. Throws std::runtime_error with its name if that cannot be.
  virtual void prepare(Stream& stream) = 0;
  /// Which it is, for the record: "OpenBLAS 0.3.21, SkylakeX", "…/libcublas.so.13 (13.1.0)". After
  /// prepare().
  [[nodiscard]] virtual std::string library() const = 0;
  /// For panels of at most so many rows and columns on this stream, factored in device memory; null
  /// where the host alone factors. This, the device and the stream outlive it. Throws
  /// std::runtime_error where the library that is asked for cannot be loaded.
  [[nodiscard]] virtual std::unique_ptr<HplDevicePanel> make_device_panel(
      Device& /*device*/, DevicePanelBy /*by*/, long /*rows*/, int /*width*/, Stream& /*stream*/) {
    return nullptr;
  }

  /// a(i, j) = hpl_element of row and column.
  virtual void fill(double* a, long ld, const HplPart& part, Stream& stream) = 0;
  /// l(i, j) = a(i, j): rows x columns, row-major to column-major.
  virtual void take_panel(double* l, long ldl, const double* a, long ld, long rows, long columns,
                          Stream& stream) = 0;
  /// The reverse: a(i, j) = l(i, j).
  virtual void put_panel(double* a, long ld, const double* l, long ldl, long rows, long columns,
                         Stream& stream) = 0;
  /// Row n of `to` = row n of `from`, n < count; no row of `to` is one of `from`.
  virtual void copy_rows(const HplRows& to, const HplRows& from, long count, long columns,
                         Stream& stream) = 0;
  /// u = x w, x the column-major lower triangle (above it 0) of `size`, without a gap between its
  /// columns; w and u row-major size x columns, apart.
  virtual void multiply_triangle(double* u, long ldu, const double* x, long size, const double* w,
                                 long ldw, long columns, Stream& stream) = 0;
  /// u = L^-1 u with the unit lower triangle at l (size x size).
  virtual void solve_triangle(double* u, long ldu, const double* l, long ldl, long size,
                              long columns, Stream& stream) = 0;
  /// c -= l u: c row-major rows x columns, l column-major rows x inner, u row-major inner x
  /// columns.
  virtual void subtract_product(double* c, long ldc, const double* l, long ldl, const double* u,
                                long ldu, long rows, long columns, long inner, Stream& stream) = 0;

  /// y -= A x, A row-major rows x columns.
  virtual void subtract_from(double* y, const double* a, long ld, const double* x, long rows,
                             long columns, Stream& stream) = 0;
  /// x = U^-1 x with the upper triangle of the row-major a (size x size).
  virtual void solve_upper(double* x, const double* a, long ld, long size, Stream& stream) = 0;

  /// Of the matrix as fill() makes it, nothing of it stored: product[i] = sum a(i, j) x[j],
  /// sizes[i] = sum |a(i, j)| over the part's columns; x by local column.
  virtual void row_sums(double* product, double* sizes, const double* x, const HplPart& part,
                        Stream& stream) = 0;
};

}  // namespace bellwether
