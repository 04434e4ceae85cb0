// SPDX-License-Identifier: MIT
#include "miniapps/hpl/back_substitution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "miniapps/hpl/row_exchange.hpp"

namespace bellwether {
namespace {

/// What is left of y on this process' rows: each process column subtracts what its own columns of U
/// have to do with x. Both stand in device memory; what other processes need of them, and no more,
/// goes through the host.
class BackSubstitution {
 public:
  BackSubstitution(const HplGrid& grid, const LocalMatrix& matrix, PhaseClock& clock)
      : grid_(grid),
        matrix_(matrix),
        clock_(clock),
        columns_(matrix.part().columns.count(matrix.size())),
        y_(matrix.device(), static_cast<std::size_t>(std::max(1L, matrix.row_count()))),
        x_(matrix.device(), static_cast<std::size_t>(std::max(1L, columns_))) {}

  std::vector<double> run() {
    clock_.time("compute.solve", [&] { begin(); });
    for (long panel = matrix_.panels() - 1; panel >= 0; --panel) {
      if (has_rows(panel)) sum_along_row(panel);
      subtract_rest();
      if (!has_columns(panel)) continue;
      if (has_rows(panel)) solve(panel);
      if (grid_.rows() > 1) pass_down(panel);
      if (panel == 0) continue;
      // What the next panel up waits for at once; the rest when that has its sum.
      subtract(panel, matrix_.rows_before(panel - 1), matrix_.rows_before(panel));
      rest_of_ = panel;
    }
    return all_of_x();
  }

 private:
  [[nodiscard]] bool has_rows(long panel) const { return panel % grid_.rows() == grid_.row(); }
  [[nodiscard]] bool has_columns(long panel) const {
    return panel % grid_.columns() == grid_.column();
  }

  /// y is the matrix' last column, of which one process column has a part; the others have 0.
  void begin() {
    if (columns_ < matrix_.column_count()) {
      matrix_.kernels().copy_rows({y_.on_device(), 1}, {matrix_.at(0, columns_), matrix_.ld()},
                                  matrix_.row_count(), 1, matrix_.stream());
      return;
    }
    std::fill_n(y_.on_host(), matrix_.row_count(), 0.);
    y_.to_device(matrix_.device(), 0, matrix_.row_count(), matrix_.stream());
  }

  /// To where x of the panel will be, on the process that has its diagonal block.
  void sum_along_row(long panel) {
    const int width = matrix_.width(panel);
    const long row = matrix_.rows_before(panel), column = matrix_.columns_before(panel);
    if (grid_.columns() == 1) {
      matrix_.device().copy(x_.on_device() + column, y_.on_device() + row,
                            static_cast<std::size_t>(width) * sizeof(double), matrix_.stream());
      return;
    }
    clock_.time("compute.solve",
                [&] { y_.to_host(matrix_.device(), row, width, matrix_.stream()); });
    clock_.time("network.solve", [&] {
      MPI_Reduce(y_.on_host() + row, x_.on_host() + column, width, MPI_DOUBLE, MPI_SUM,
                 static_cast<int>(panel % grid_.columns()), grid_.along_row());
    });
    if (has_columns(panel)) x_.to_device(matrix_.device(), column, width, matrix_.stream());
  }

  void solve(long panel) {
    const long column = matrix_.columns_before(panel);
    clock_.time("compute.solve", [&] {
      matrix_.kernels().solve_upper(x_.on_device() + column,
                                    matrix_.at(matrix_.rows_before(panel), column), matrix_.ld(),
                                    matrix_.width(panel), matrix_.stream());
    });
  }

  /// x of the panel to all processes of its column.
  void pass_down(long panel) {
    const int width = matrix_.width(panel);
    const long column = matrix_.columns_before(panel);
    if (has_rows(panel))
      clock_.time("compute.solve",
                  [&] { x_.to_host(matrix_.device(), column, width, matrix_.stream()); });
    clock_.time("network.solve", [&] {
      MPI_Bcast(x_.on_host() + column, width, MPI_DOUBLE, static_cast<int>(panel % grid_.rows()),
                grid_.along_column());
    });
    if (!has_rows(panel)) x_.to_device(matrix_.device(), column, width, matrix_.stream());
  }

  /// From the process' rows first to end what its columns of the panel have to do with x.
  void subtract(long panel, long first, long end) {
    const long column = matrix_.columns_before(panel);
    clock_.time("compute.solve", [&] {
      matrix_.kernels().subtract_from(y_.on_device() + first, matrix_.at(first, column),
                                      matrix_.ld(), x_.on_device() + column, end - first,
                                      matrix_.width(panel), matrix_.stream());
    });
  }
  void subtract_rest() {
    if (rest_of_ > 0) subtract(rest_of_, 0, matrix_.rows_before(rest_of_ - 1));
    rest_of_ = 0;
  }

  /// From those that have parts of it.
  std::vector<double> all_of_x() {
    clock_.time("compute.solve",
                [&] { x_.to_host(matrix_.device(), 0, columns_, matrix_.stream()); });
    std::vector<double> all(static_cast<std::size_t>(matrix_.size()));
    for (long column = 0; column < columns_; ++column)
      all[static_cast<std::size_t>(matrix_.part().columns.global(column))] = x_.on_host()[column];
    if (grid_.columns() > 1)
      clock_.time("network.solve", [&] {
        MPI_Allreduce(MPI_IN_PLACE, all.data(), static_cast<int>(all.size()), MPI_DOUBLE, MPI_SUM,
                      grid_.along_row());
      });
    return all;
  }

  const HplGrid& grid_;
  const LocalMatrix& matrix_;
  PhaseClock& clock_;
  long columns_;        ///< of the process, without the right-hand side
  StagedValues y_, x_;  ///< by row, and by column, of the process
  long rest_of_ = 0;    ///< the panel whose x is not yet taken off all rows
};

void copy_and_wait(const LocalMatrix& matrix, double* to, const double* from, long count) {
  if (count > 0)
    matrix.device().copy_and_wait(to, from, static_cast<std::size_t>(count) * sizeof(double),
                                  matrix.stream());
}

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
