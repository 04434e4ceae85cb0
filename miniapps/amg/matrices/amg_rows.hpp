// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

namespace bellwether {

/// Entries of rows that follow one another.
struct AmgStretch {
  std::vector<int> counts;         ///< of each row
  std::vector<long long> columns;  ///< of all rows, one row's after another's
  std::vector<double> values;
};

/// A square sparse matrix, divided among the ranks in ranges of rows: what BoomerAMG is given.
/// Stencils make their rows when asked, matrices from files hold this rank's.
class AmgRows {
 public:
  virtual ~AmgRows() = default;

  /// Rows, and columns, of the whole matrix: at least 1.
  [[nodiscard]] virtual long long rows() const = 0;
  /// This rank's rows: begin() up to and without end(), equal where it has none. The columns that
  /// are a rank's own are the same range.
  [[nodiscard]] virtual long long begin() const = 0;
  [[nodiscard]] virtual long long end() const = 0;
  /// Entries of this rank's rows `first` up to and without `end`, in place of what `all` held:
  /// every column once, in any order, the diagonal among them; the same at each call.
  virtual void stretch(long long first, long long end, AmgStretch& all) const = 0;
};

/// Calls body(first row, AmgStretch) for stretches of this rank's rows, one after another: as many
/// rows as a GPU copies at once without loss, and as few as the host has the memory for.
template <class Body>
void for_each_stretch(const AmgRows& rows, Body&& body) {
  constexpr long long most_rows = 1 << 16;
  AmgStretch all;
  for (long long first = rows.begin(); first < rows.end(); first += most_rows) {
    rows.stretch(first, std::min(rows.end(), first + most_rows), all);
    body(first, all);
  }
}

}  // namespace bellwether
