// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/hpl/spinning_team.hpp"

namespace bellwether {

/// Which row became a column's pivot: of the panel's first rows, which all processes have, or of
/// those of one process.
struct PanelPivot {
  std::int32_t process = 0;  ///< of the process column; 0 for one of the panel's first rows
  std::int32_t row = 0;      ///< in that process' panel
};

/// How the processes of a column agree on a pivot.
class PivotChoice {
 public:
  virtual ~PivotChoice() = default;
  /// This one.
  [[nodiscard]] virtual int process() const = 0;
  /// Collective over the processes: of what they bring the pivot with the largest `size`, among
  /// equals the one that stands first in the matrix. `values`: its `width` values, this process'
  /// own when called and the chosen row's after.
  virtual PanelPivot choose(double size, int row, double* values, int width) = 0;
};

/// LU with row pivoting of a panel of `width` columns whose rows are spread over processes:
/// recursive by halves (Toledo 1997), eight columns at the base in one sweep each that scales,
/// updates and looks for the pivot. Threads take parts of the rows; what comes out has the same
/// bits with any number of them.
class HplPanel {
 public:
  /// The largest size in some rows of a column, the first of several. In a cache line of its own,
  /// as each thread writes one.
  struct alignas(64) Largest {
    double size;
    long row;
  };

  /// Columns of the widest panel, at least 1; threads with the caller's, of which a panel takes as
  /// many as it has rows for. Throws std::system_error where the system starts no more.
  explicit HplPanel(int most_width, int threads = 1);

  /// Factors in place: a column-major panel of `rows` rows, the first `width` of which are the
  /// panel's diagonal block and the same on every process; `ld` doubles from column to column, at
  /// least `rows` rounded up to a cache line. Below the diagonal come the multipliers, from it U;
  /// rows are exchanged over the panel's whole width. `choice` null: one process has all rows.
  /// Returns the first column without a pivot (all 0, or not finite), or -1.
  int factor(double* panel, long ld, long rows, int width, PanelPivot* pivots, PivotChoice* choice);

  /// x = L^-1 of a unit lower triangle (width x width, column-major with `ld`), 0 above the
  /// diagonal, without a gap between its columns. Returns its largest size of an element, by which
  /// a product with it may err more than solving would.
  double invert(double* x, const double* l, long ld, int width);

 private:
  void factor_columns(double* panel, long ld, long rows, int first, int width);
  void factor_base(double* panel, long ld, long rows, int first, int width);
  void exchange_rows(double* panel, long ld, int column, double size, int row);
  template <class Work>
  void each_part(long first, long rows, const Work& work);

  std::vector<double> packed_, row_, product_;
  std::vector<Largest> found_;  ///< by thread
  PanelPivot* pivots_ = nullptr;
  PivotChoice* choice_ = nullptr;
  int panel_width_ = 0;
  int no_pivot_ = -1;
  SpinningTeam team_;
};

}  // namespace bellwether
