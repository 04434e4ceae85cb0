// SPDX-License-Identifier: MIT
#include "miniapps/hpl/hpl_update.hpp"

#include <algorithm>

namespace bellwether {
namespace {

/// Of the process that has most: the processes of a column go from strip to strip together, also
/// where one has fewer rows.
long strip_columns(long size, int block, const ProcessGrid& grid, bool on_device) {
  return update_strip_columns(busiest_local_length(size, block, grid.rows),
                              busiest_local_length(size + 1, block, grid.columns), block,
                              on_device);
}

}  // namespace

std::size_t HplUpdate::most_bytes(long size, int block, const ProcessGrid& grid, bool on_device) {
  const long strip = strip_columns(size, block, grid, on_device);
  const long values = block * odd_lines(strip);
  // With several rows of processes two strips out and two in, and U of all columns.
  const long of_u = block * odd_lines(busiest_local_length(size + 1, block, grid.columns));
  return static_cast<std::size_t>(grid.rows == 1 ? values : 5 * values + of_u) * sizeof(double);
}

HplUpdate::HplUpdate(const HplGrid& grid, const LocalMatrix& matrix, const HplVariant& variant,
                     NodePath path)
    : matrix_(matrix),
      strip_(strip_columns(matrix.size(), matrix.block(), {grid.rows(), grid.columns()},
                           !matrix.device().is_host())),
      swaps_(grid, matrix),
      rows_(grid, matrix, swaps_, variant, path, strip_,
            [this](UpperRows u, UpperRows w, long columns) { triangle(u, w, columns); }) {}

void HplUpdate::begin(const FactoredPanel& panel, const PanelPivot* pivots) {
  panel_ = panel;
  if (panel.number == 0) second_ = 0;
  swaps_.begin(panel.number, panel.arrived);
  rows_.begin(panel.number, panel.width, pivots, panel.lists);
}

/// It stays where it is while the first part has more than the smaller share: the rows of columns
/// that were multiplied first travel beside the last panel's product with the second part.
long HplUpdate::second_part(long first, long end) {
  constexpr double first_share = 0.6;  // which the next panel's time goes beside, too
  if (!swaps_.is_beside()) return end;
  const auto columns = static_cast<double>(end - first);
  const long block = matrix_.block();
  if (static_cast<double>(second_ - first) < (1 - first_share) * columns) {
    const auto share = static_cast<long>(first_share * columns);
    second_ = std::min(end, first + (share + block - 1) / block * block);
  }
  return second_;
}

void HplUpdate::update(long first, long end, PhaseClock& clock, StreamTimer& timer,
                       const std::function<bool()>& go_on) {
  if (first >= end) return;
  clock_ = &clock;
  timer_ = &timer;
  const UpperRows upper = rows_.start(first, end, clock, timer);
  swaps_.run(end, clock, timer, [&] {
    for (long column = first; column < end; column += strip_) {
      rows_.exchange(upper.values + (column - first), column, std::min(strip_, end - column));
      (void)go_on();
    }
  });
  // One product, for which a library packs L once; in pieces where others wait for this process.
  constexpr long piece = 1024;
  const long below = matrix_.rows_before(panel_.number + 1);
  for (long column = first; column < end;) {
    const long columns = go_on() ? std::min(piece, end - column) : end - column;
    timer.time(clock, "compute.gemm", matrix_.stream(), [&] {
      matrix_.kernels().subtract_product(
          matrix_.at(below, column), matrix_.ld(), panel_.l + panel_.width, panel_.ldl,
          upper.values + (column - first), upper.ld, matrix_.row_count() - below, columns,
          panel_.width, matrix_.stream());
    });
    column += columns;
  }
  swaps_.note_product(end);
}

/// U = L11^-1 W.
void HplUpdate::triangle(UpperRows u, UpperRows w, long columns) {
  swaps_.time("compute.trsm", *clock_, *timer_, [&] {
    HplKernels& kernels = matrix_.kernels();
    Stream& stream = swaps_.stream();
    if (panel_.use_inverse) {
      kernels.multiply_triangle(u.values, u.ld, panel_.inverse, panel_.width, w.values, w.ld,
                                columns, stream);
      return;
    }
    kernels.copy_rows({u.values, u.ld}, {w.values, w.ld}, panel_.width, columns, stream);
    kernels.solve_triangle(u.values, u.ld, panel_.l, panel_.ldl, panel_.width, columns, stream);
  });
}

}  // namespace bellwether
