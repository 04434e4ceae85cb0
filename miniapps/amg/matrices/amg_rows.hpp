// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace bellwether {

/// A square sparse matrix, divided among the ranks of a run in ranges of rows that follow one
/// another in the order of the ranks: what BoomerAMG is given, row by row. Stencils make their rows
/// when asked, matrices from files hold this rank's.
class AmgRows {
 public:
  virtual ~AmgRows() = default;

  /// Rows, and columns, of the whole matrix: at least 1.
  [[nodiscard]] virtual long long rows() const = 0;
  /// This rank's rows: begin() up to and without end(), equal where it has none. The columns that
  /// are a rank's own are the same range.
  [[nodiscard]] virtual long long begin() const = 0;
  [[nodiscard]] virtual long long end() const = 0;
  /// Entries of one of this rank's rows, numbered from 0 as its columns are; what `columns` and
  /// `values` held is replaced. Every column once, in any order, the diagonal among them and not 0.
  /// Returns how many there are. The same at every call.
  virtual int row(long long i, std::vector<long long>& columns,
                  std::vector<double>& values) const = 0;
};

}  // namespace bellwether
