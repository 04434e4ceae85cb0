// SPDX-License-Identifier: MIT
#include "miniapps/hpl/lu_factorization.hpp"

#include <algorithm>

namespace bellwether {
namespace {

/// An inverse with larger elements errs more than solving does.
constexpr double largest_in_inverse = 1e3;

/// What a panel's message begins with.
enum PanelHead { no_pivot_at, largest_in_inverse_at, panel_head = 8 };

long whole_lines(long values) { return (values + 7) / 8 * 8; }

/// Values of a message whose panel has so many rows and columns.
std::size_t message_values(long rows, int width) {
  return static_cast<std::size_t>(panel_head + whole_lines(width) +
                                  whole_lines(static_cast<long>(width) * width) +
                                  odd_lines(rows) * width);
}

/// The most rows that a panel has on a process.
long most_rows(long size, int block, int processes) {
  return std::min<long>(block, size) + DealtOut{block, processes, 0}.count(size);
}

}  // namespace

std::size_t LuFactorization::most_bytes(long size, int block, const ProcessGrid& grid) {
  return 2 * sizeof(double) *
         message_values(most_rows(size, block, grid.rows),
                        static_cast<int>(std::min<long>(block, size)));
}

LuFactorization::LuFactorization(const HplGrid& grid, LocalMatrix& matrix,
                                 const HplVariant& variant, NodePath path)
    : grid_(grid),
      matrix_(matrix),
      look_ahead_(variant.look_ahead),
      broadcast_(
          grid.along_row(), matrix.copier(), variant.bcast,
          message_values(most_rows(matrix.size(), matrix.block(), grid.rows()), matrix.width(0)),
          path),
      pivot_exchange_(grid.along_column(), matrix.width(0), path),
      panel_(matrix.width(0), variant.threads),
      update_(grid, matrix, variant, path),
      diagonal_(static_cast<std::size_t>(matrix.width(0)) * matrix.width(0)) {
  if (matrix.device().is_host()) return;
  for (Buffer<double>& values : device_panels_)
    values = Buffer<double>(
        matrix.device(), most_bytes(matrix.size(), matrix.block(), {grid.rows(), grid.columns()}) /
                             (2 * sizeof(double)));
  copies_ = matrix.device().make_stream(false);
  taken_ = matrix.device().make_event(false);
  copied_in_ = matrix.device().make_event(false);
}

/// Of this process: the diagonal block's, which all have, and those below.
long LuFactorization::panel_rows(long panel) const {
  return matrix_.width(panel) + matrix_.row_count() - matrix_.rows_before(panel + 1);
}

LuFactorization::Message LuFactorization::message(double* values, long panel) const {
  const int width = matrix_.width(panel);
  const long rows = panel_rows(panel);
  Message at{};
  at.head = values;
  at.pivots = reinterpret_cast<PanelPivot*>(values + panel_head);
  at.inverse = values + panel_head + whole_lines(width);
  at.l = at.inverse + whole_lines(static_cast<long>(width) * width);
  at.ldl = odd_lines(rows);
  at.values = message_values(rows, width);
  return at;
}

LuFactorization::Product LuFactorization::first_product() {
  constexpr long enough_rows = 2048;
  const bool on_host = matrix_.device().is_host();
  const Message at = message(on_host ? broadcast_.values(0) : device_panels_[0].data(), 0);
  const int width = matrix_.width(0);
  const long below = matrix_.rows_before(1), columns = matrix_.column_count();
  const long rows = std::min(enough_rows, matrix_.row_count() - below);
  const double seconds = seconds_on(matrix_.device(), matrix_.stream(), [&] {
    matrix_.kernels().subtract_product(matrix_.at(below, 0), matrix_.ld(), at.l, at.ldl,
                                       matrix_.at(0, 0), matrix_.ld(), rows, columns, width,
                                       matrix_.stream());
  });
  return {static_cast<double>(rows), static_cast<double>(columns), static_cast<double>(width),
          seconds};
}

void LuFactorization::run(PhaseClock& clock, StreamTimer& timer,
                          const std::function<void(long)>& after_panel) {
  const long panels = matrix_.panels();
  no_pivot_ = -1;
  all_pivots_.clear();
  if (owns(0)) {
    broadcast_.make_room(0, clock);
    take_panel(0, clock, timer);
    factor_panel(0, clock);
  } else {
    broadcast_.start(0, 0, message(broadcast_.values(0), 0).values, clock);
  }
  for (long panel = 0; panel < panels; ++panel) {
    use_panel(panel, clock, timer);
    const long next = panel + 1;
    const long first = matrix_.columns_before(next), end = matrix_.column_count();
    if (next < panels && owns(next)) {
      const long behind = look_ahead_ ? first + matrix_.width(next) : end;
      update(first, behind, clock, timer);
      broadcast_.make_room(next, clock);
      take_panel(next, clock, timer);
      // A GPU works on the rest while the host factors the panel.
      const bool at_once = !matrix_.device().is_host();
      if (at_once) update(behind, end, clock, timer);
      factor_panel(next, clock);
      if (!at_once) update(behind, end, clock, timer);
    } else {
      if (next < panels)
        broadcast_.start(next, static_cast<int>(next % grid_.columns()),
                         message(broadcast_.values(next), next).values, clock);
      update(first, end, clock, timer);
    }
    after_panel(std::min(next * matrix_.block(), matrix_.size()));
  }
  broadcast_.finish_all(clock);
}

void LuFactorization::update(long first, long end, PhaseClock& clock, StreamTimer& timer) {
  update_.update(first, end, clock, timer, [&] {
    if (!broadcast_.wants_progress()) return false;
    broadcast_.progress(clock);
    return broadcast_.wants_progress();
  });
}

/// The panel's columns to where it is composed, by when copies_ is done.
void LuFactorization::take_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  const Message at = message(broadcast_.values(panel), panel);
  Device& device = matrix_.device();
  Stream& stream = matrix_.stream();
  const int width = matrix_.width(panel);
  const bool has_diagonal = panel % grid_.rows() == grid_.row();
  const long column = matrix_.columns_before(panel);
  const long below = matrix_.rows_before(panel + 1);
  const auto take = [&](double* l) {
    if (has_diagonal)
      matrix_.kernels().take_panel(l, at.ldl, matrix_.at(matrix_.rows_before(panel), column),
                                   matrix_.ld(), width, width, stream);
    matrix_.kernels().take_panel(l + width, at.ldl, matrix_.at(below, column), matrix_.ld(),
                                 matrix_.row_count() - below, width, stream);
  };
  if (device.is_host()) {
    clock.time("compute.panel", [&] { take(at.l); });
    return;
  }
  const Message there = message(device_panels_[panel % 2].data(), panel);
  timer.time(clock, "compute.panel", stream, [&] { take(there.l); });
  device.record(*taken_, stream);
  device.wait(*copies_, *taken_);
  timer.time(clock, "copy.to_host", *copies_, [&] {
    device.copy(at.l, there.l, static_cast<std::size_t>(at.ldl * width) * sizeof(double), *copies_);
  });
}

/// The diagonal block, from the process that has it.
void LuFactorization::share_diagonal_block(const Message& at, long panel) {
  const int width = matrix_.width(panel);
  const int owner = static_cast<int>(panel % grid_.rows());
  const auto each_column = [&](auto&& copy) {
    for (int j = 0; j < width; ++j) copy(at.l + j * at.ldl, diagonal_.data() + j * width);
  };
  if (owner == grid_.row())
    each_column([&](double* l, double* block) { std::copy_n(l, width, block); });
  MPI_Bcast(diagonal_.data(), width * width, MPI_DOUBLE, owner, grid_.along_column());
  if (owner != grid_.row())
    each_column([&](double* l, double* block) { std::copy_n(block, width, l); });
}

/// Factors what take_panel() brought, and sends it.
void LuFactorization::factor_panel(long panel, PhaseClock& clock) {
  const Message at = message(broadcast_.values(panel), panel);
  const int width = matrix_.width(panel);
  const bool alone = grid_.rows() == 1;
  if (copies_ != nullptr) matrix_.device().fence(*copies_);
  if (!alone) clock.time("network.pivot", [&] { share_diagonal_block(at, panel); });
  clock.enter("compute.panel");
  const double begin = MPI_Wtime();
  pivot_exchange_.begin(panel * matrix_.block(), matrix_.part().rows,
                        matrix_.rows_before(panel + 1));
  at.head[no_pivot_at] = panel_.factor(at.l, at.ldl, panel_rows(panel), width, at.pivots,
                                       alone ? nullptr : &pivot_exchange_);
  at.head[largest_in_inverse_at] = panel_.invert(at.inverse, at.l, at.ldl, width);
  clock.add("compute.panel", MPI_Wtime() - begin - pivot_exchange_.seconds());
  if (!alone) clock.add("network.pivot", pivot_exchange_.seconds());
  broadcast_.start(panel, grid_.column(), at.values, clock);
}

/// The panel is there, is brought to the device, and its update may begin.
void LuFactorization::use_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  broadcast_.finish(panel, clock);
  const Message at = message(broadcast_.values(panel), panel);
  const int width = matrix_.width(panel);
  Device& device = matrix_.device();
  Stream& stream = matrix_.stream();
  Message used = at;
  if (!device.is_host()) {
    used = message(device_panels_[panel % 2].data(), panel);
    // What used that memory before is done: begin() has waited for it since.
    timer.time(clock, "copy.to_device", *copies_, [&] {
      device.copy(used.inverse, at.inverse,
                  static_cast<std::size_t>(at.head + at.values - at.inverse) * sizeof(double),
                  *copies_);
    });
    device.record(*copied_in_, *copies_);
    device.wait(stream, *copied_in_);
  }
  note_pivots(at, panel);
  clock.time("swap", [&] {
    update_.begin({panel, width, used.inverse, at.head[largest_in_inverse_at] <= largest_in_inverse,
                   used.l, used.ldl},
                  at.pivots);
  });
  // U11, for the back substitution.
  if (owns(panel) && panel % grid_.rows() == grid_.row())
    timer.time(clock, "compute.panel", stream, [&] {
      matrix_.kernels().put_panel(
          matrix_.at(matrix_.rows_before(panel), matrix_.columns_before(panel)), matrix_.ld(),
          used.l, used.ldl, width, width, stream);
    });
}

void LuFactorization::note_pivots(const Message& at, long panel) {
  const int width = matrix_.width(panel);
  const long first = panel * matrix_.block();
  if (no_pivot_ < 0 && at.head[no_pivot_at] >= 0)
    no_pivot_ = first + static_cast<long>(at.head[no_pivot_at]);
  for (int t = 0; t < width; ++t) {
    const PanelPivot& pivot = at.pivots[t];
    const DealtOut rows{matrix_.block(), grid_.rows(), pivot.process};
    all_pivots_.push_back(pivot.row < width
                              ? first + pivot.row
                              : rows.global(rows.count(first + width) + pivot.row - width));
  }
}

}  // namespace bellwether
