// SPDX-License-Identifier: MIT
#include "miniapps/hpl/back_substitution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bellwether {
namespace {

void copy_and_wait(const LocalMatrix& matrix, double* to, const double* from, long count) {
  if (count > 0)
    matrix.device().copy(to, from, static_cast<std::size_t>(count) * sizeof(double),
                         matrix.stream());
  matrix.device().fence(matrix.stream());
}

/// What is left of y on this process' rows: each process column subtracts what its own columns of U
/// have to do with x.
class BackSubstitution {
 public:
  BackSubstitution(const HplGrid& grid, const LocalMatrix& matrix, PhaseClock& clock)
      : grid_(grid),
        matrix_(matrix),
        clock_(clock),
        y_(matrix.device(), static_cast<std::size_t>(std::max(1L, matrix.row_count()))),
        x_of_panel_(matrix.device(), static_cast<std::size_t>(matrix.block())),
        on_host_(static_cast<std::size_t>(matrix.block())),
        sum_(static_cast<std::size_t>(matrix.block())),
        x_(static_cast<std::size_t>(matrix.size())) {}

  std::vector<double> run() {
    clock_.time("compute.solve", [&] { begin(); });
    for (long panel = matrix_.panels() - 1; panel >= 0; --panel) {
      if (has_rows(panel)) sum_along_row(panel);
      subtract_rest();
      if (!has_columns(panel)) continue;
      if (has_rows(panel)) solve(panel);
      pass_down(panel);
      if (panel == 0) continue;
      // What the next panel up waits for at once; the rest when that has its sum.
      subtract(panel, matrix_.rows_before(panel - 1), matrix_.rows_before(panel));
      rest_of_ = panel;
    }
    if (grid_.columns() == 1) return std::move(x_);
    clock_.time("network.solve", [&] {
      MPI_Allreduce(MPI_IN_PLACE, x_.data(), static_cast<int>(x_.size()), MPI_DOUBLE, MPI_SUM,
                    grid_.along_row());
    });
    return std::move(x_);
  }

 private:
  [[nodiscard]] bool has_rows(long panel) const { return panel % grid_.rows() == grid_.row(); }
  [[nodiscard]] bool has_columns(long panel) const {
    return panel % grid_.columns() == grid_.column();
  }

  /// y is the matrix' last column, of which one process column has a part; the others have 0.
  void begin() {
    const long columns = matrix_.part().columns.count(matrix_.size());
    std::vector<double> y(y_.size());
    copy_and_wait(matrix_, y_.data(), y.data(), matrix_.row_count());
    if (columns == matrix_.column_count()) return;
    matrix_.kernels().copy_rows({y_.data(), 1}, {matrix_.at(0, columns), matrix_.ld()},
                                matrix_.row_count(), 1, matrix_.stream());
  }

  void sum_along_row(long panel) {
    const int width = matrix_.width(panel);
    clock_.time("compute.solve", [&] {
      copy_and_wait(matrix_, on_host_.data(), y_.data() + matrix_.rows_before(panel), width);
    });
    if (grid_.columns() == 1) {
      sum_ = on_host_;
      return;
    }
    clock_.time("network.solve", [&] {
      MPI_Reduce(on_host_.data(), sum_.data(), width, MPI_DOUBLE, MPI_SUM,
                 static_cast<int>(panel % grid_.columns()), grid_.along_row());
    });
  }

  void solve(long panel) {
    clock_.time("compute.solve", [&] {
      const int width = matrix_.width(panel);
      copy_and_wait(matrix_, x_of_panel_.data(), sum_.data(), width);
      matrix_.kernels().solve_upper(
          x_of_panel_.data(), matrix_.at(matrix_.rows_before(panel), matrix_.columns_before(panel)),
          matrix_.ld(), width, matrix_.stream());
      copy_and_wait(matrix_, on_host_.data(), x_of_panel_.data(), width);
    });
  }

  /// x of the panel to all processes of its column.
  void pass_down(long panel) {
    const int width = matrix_.width(panel);
    if (grid_.rows() > 1) {
      clock_.time("network.solve", [&] {
        MPI_Bcast(on_host_.data(), width, MPI_DOUBLE, static_cast<int>(panel % grid_.rows()),
                  grid_.along_column());
      });
      copy_and_wait(matrix_, x_of_panel_.data(), on_host_.data(), width);
    }
    std::copy_n(on_host_.begin(), width, x_.begin() + panel * matrix_.block());
  }

  /// From the process' rows first to end what its columns of the panel have to do with x.
  void subtract(long panel, long first, long end) {
    clock_.time("compute.solve", [&] {
      matrix_.kernels().subtract_from(
          y_.data() + first, matrix_.at(first, matrix_.columns_before(panel)), matrix_.ld(),
          x_of_panel_.data(), end - first, matrix_.width(panel), matrix_.stream());
    });
  }
  void subtract_rest() {
    if (rest_of_ > 0) subtract(rest_of_, 0, matrix_.rows_before(rest_of_ - 1));
    rest_of_ = 0;
  }

  const HplGrid& grid_;
  const LocalMatrix& matrix_;
  PhaseClock& clock_;
  Buffer<double> y_, x_of_panel_;
  std::vector<double> on_host_, sum_, x_;
  long rest_of_ = 0;  ///< the panel whose x, still in x_of_panel_, is not yet taken off all rows
};

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values)
    largest = std::isfinite(value) ? std::max(largest, std::abs(value))
                                   : std::numeric_limits<double>::infinity();
  return largest;
}

}  // namespace

std::vector<double> back_substitution(const HplGrid& grid, const LocalMatrix& matrix,
                                      PhaseClock& clock) {
  return BackSubstitution(grid, matrix, clock).run();
}

double scaled_residual(const HplGrid& grid, const LocalMatrix& matrix,
                       const std::vector<double>& x) {
  HplPart part = matrix.part();
  part.column_count = part.columns.count(matrix.size());  // without the right-hand side
  std::vector<double> own_x;
  for (long j = 0; j < part.column_count; ++j) own_x.push_back(x[part.columns.global(j)]);
  const auto rows = static_cast<std::size_t>(part.row_count);
  const Buffer<double> there(matrix.device(), std::max<std::size_t>(1, own_x.size() + 2 * rows));
  copy_and_wait(matrix, there.data(), own_x.data(), part.column_count);
  double* const sums_there = there.data() + own_x.size();
  matrix.kernels().row_sums(sums_there, sums_there + rows, there.data(), part, matrix.stream());
  std::vector<double> sums(2 * rows);
  copy_and_wait(matrix, sums.data(), sums_there, 2 * part.row_count);
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(2 * rows), MPI_DOUBLE, MPI_SUM,
                grid.along_row());
  std::vector<double> errors(rows), right_hand_side(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    right_hand_side[i] = hpl_element(static_cast<std::uint64_t>(part.rows.global(i)),
                                     static_cast<std::uint64_t>(matrix.size()));
    errors[i] = sums[i] - right_hand_side[i];
  }
  double norms[] = {largest_of(errors), largest_of({sums.begin() + rows, sums.end()}),
                    largest_of(right_hand_side)};
  MPI_Allreduce(MPI_IN_PLACE, norms, 3, MPI_DOUBLE, MPI_MAX, grid.along_column());
  const auto [error, of_a, of_b] = norms;
  constexpr double unit = std::numeric_limits<double>::epsilon() / 2;
  return error / (unit * (of_a * largest_of(x) + of_b) * static_cast<double>(matrix.size()));
}

}  // namespace bellwether
