// SPDX-License-Identifier: MIT
#include "miniapps/cholesky/column_factorization.hpp"

#include <algorithm>

#include "models/cholesky/start_up_parameters.hpp"

namespace bellwether {
namespace {

constexpr const char* scale_phase = "compute.scale";
constexpr const char* update_phase = "compute.update";

std::size_t as_size(long count) { return static_cast<std::size_t>(count); }

/// A number's bytes times how many there are of them.
template <class T>
std::size_t bytes_of(long values) {
  return as_size(values) * sizeof(T);
}

}  // namespace

template <class T>
typename ColumnFactorization<T>::Message ColumnFactorization<T>::message(long size, long first,
                                                                         long width) {
  constexpr long line = CholeskyColumns<T>::line;
  Message at;
  at.row = CholeskyColumns<T>::line_of(first);
  at.rows = CholeskyColumns<T>::line_of(size + line - 1) - at.row;
  at.ld = width == 1 || at.rows / line % 2 == 1 ? at.rows : at.rows + line;
  at.width = width;
  return at;
}

template <class T>
double ColumnFactorization<T>::host_bytes(long size, int block, int processes) {
  if (processes == 1) return 0;
  return 2. * sizeof(T) * static_cast<double>(message(size, 0, block).values());
}
template <class T>
double ColumnFactorization<T>::device_bytes(long size, int block, int processes, bool is_host) {
  const double panels = is_host ? 0 : host_bytes(size, block, processes);
  const double rows = static_cast<double>(DealtOut{block, processes, 0}.count(size)) * block;
  return panels + (block == 1 || processes == 1 ? 0 : rows * sizeof(T));
}

template <class T>
ColumnFactorization<T>::ColumnFactorization(MPI_Comm comm, const ColumnMatrix<T>& matrix,
                                            bool look_ahead, NodePath path)
    : matrix_(matrix),
      look_ahead_(look_ahead),
      is_host_(matrix.device().is_host()),
      broadcast_(comm, matrix.device(), nearest_first,
                 matrix.processes() == 1 ? 1 : message(matrix.size(), 0, matrix.width(0)).doubles(),
                 path) {
  Device& device = matrix.device();
  const long width = matrix.width(0);
  if (matrix.block() > 1 && matrix.processes() > 1)
    rows_ = Buffer<T>(device, as_size(std::max(matrix.columns().count, 1L) * width));
  if (is_host_) return;
  if (matrix.processes() > 1)
    for (Buffer<T>& values : device_panels_)
      values = Buffer<T>(device, message(matrix.size(), 0, width).values());
  panel_stream_ = device.make_stream(true);
  if (matrix.block() > 1) matrix.kernels().prepare(*panel_stream_);
  updated_ = device.make_event(false);
  ready_ = device.make_event(false);
  for (std::unique_ptr<Event>& event : used_) event = device.make_event(false);
}

template <class T>
void ColumnFactorization<T>::run(PhaseClock& clock, StreamTimer& timer,
                                 const std::function<void(long)>& after_panel) {
  const long panels = matrix_.panels(), all = matrix_.columns().count;
  Device& device = matrix_.device();
  if (!is_host_)
    for (const std::unique_ptr<Event>& event : used_) device.record(*event, matrix_.stream());
  if (matrix_.owns(0)) {
    begin_panel(0, clock, timer);
    finish_panel(0, clock);
  } else {
    await(0, clock);
  }
  for (long panel = 0; panel < panels; ++panel) {
    use_panel(panel, clock, timer);
    const long next = panel + 1, first = matrix_.columns_before(next);
    if (next < panels && matrix_.owns(next)) {
      const long behind = look_ahead_ ? first + matrix_.width(next) : all;
      update(first, behind, clock, timer);
      begin_panel(next, clock, timer);
      // A GPU works on the rest while the host waits for the panel and sends it.
      if (!is_host_) update(behind, all, clock, timer);
      finish_panel(next, clock);
      if (is_host_) update(behind, all, clock, timer);
    } else {
      if (is_host_ && next < panels) await(next, clock);
      update(first, all, clock, timer);
      if (!is_host_ && next < panels) await(next, clock);
    }
    if (!is_host_) {
      device.record(*used_[as_size(panel % 2)], matrix_.stream());
      if (!look_ahead_) device.fence(matrix_.stream());
      timer.collect(clock);
    }
    after_panel(matrix_.first_of(next));
  }
  broadcast_.finish_all(clock);
}

/// Its columns are as all before it left them, and it is factored in place: on a GPU beside what is
/// launched later on the other stream.
template <class T>
void ColumnFactorization<T>::begin_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  if (matrix_.processes() > 1) broadcast_.make_room(panel, clock);
  Device& device = matrix_.device();
  CholeskyKernels<T>& kernels = matrix_.kernels();
  if (!is_host_) {
    device.record(*updated_, matrix_.stream());
    device.wait(*panel_stream_, *updated_);
  }
  Stream& stream = is_host_ ? matrix_.stream() : *panel_stream_;
  const Message at = message(panel);
  const long column = matrix_.columns_before(panel), first = matrix_.first_of(panel);
  const long ld = matrix_.ld(column), rows_end = at.row + at.rows;
  timer.time(clock, scale_phase, stream, [&] {
    if (matrix_.block() == 1) return kernels.scale(matrix_.at(0, column), first, rows_end, stream);
    T* const diagonal = matrix_.at(first, column);
    kernels.factor_block(diagonal, ld, at.width, stream);
    kernels.solve_triangle(diagonal + at.width, ld, diagonal, ld, matrix_.size() - first - at.width,
                           at.width, stream);
  });
  if (!is_host_) device.record(*ready_, stream);
  if (matrix_.processes() == 1) return;
  timer.time(clock, is_host_ ? scale_phase : "copy.to_host", stream, [&] {
    if (is_host_)
      for (long c = 0; c < at.width; ++c)
        device.copy_shared(sent(panel) + c * at.ld, matrix_.at(at.row, column) + c * ld,
                           bytes_of<T>(at.rows), stream);
    else
      device.copy_rows(sent(panel), bytes_of<T>(at.ld), matrix_.at(at.row, column), bytes_of<T>(ld),
                       bytes_of<T>(at.rows), as_size(at.width), stream);
  });
}

/// Sends it.
template <class T>
void ColumnFactorization<T>::finish_panel(long panel, PhaseClock& clock) {
  if (matrix_.processes() == 1) return;
  matrix_.device().fence(is_host_ ? matrix_.stream() : *panel_stream_);
  broadcast_.start(panel, matrix_.owner(panel), message(panel).doubles(), clock);
}

/// Of another process. A GPU has taken what the host's memory for it held before.
template <class T>
void ColumnFactorization<T>::await(long panel, PhaseClock& clock) {
  if (!is_host_) matrix_.device().fence(*panel_stream_);
  broadcast_.start(panel, matrix_.owner(panel), message(panel).doubles(), clock);
}

/// The panel is there, and its update may begin.
template <class T>
void ColumnFactorization<T>::use_panel(long panel, PhaseClock& clock, StreamTimer& timer) {
  const Message at = message(panel);
  Device& device = matrix_.device();
  if (matrix_.processes() > 1) {
    broadcast_.finish(panel, clock);
    if (!look_ahead_) broadcast_.pass_on_to_all(panel, clock);
  }
  if (matrix_.owns(panel)) {
    const long column = matrix_.columns_before(panel);
    panel_ = {matrix_.at(at.row, column), matrix_.ld(column), at.row, at.width};
  } else if (is_host_) {
    panel_ = {sent(panel), at.ld, at.row, at.width};
  } else {
    T* const there = device_panels_[as_size(panel % 2)].data();
    device.wait(*panel_stream_, *used_[as_size(panel % 2)]);
    timer.time(clock, "copy.to_device", *panel_stream_,
               [&] { device.copy(there, sent(panel), at.values() * sizeof(T), *panel_stream_); });
    device.record(*ready_, *panel_stream_);
    panel_ = {there, at.ld, at.row, at.width};
  }
  if (!is_host_) device.wait(matrix_.stream(), *ready_);
}

template <class T>
bool ColumnFactorization<T>::others_wait(PhaseClock& clock) {
  if (!broadcast_.wants_progress()) return false;
  broadcast_.progress(clock);
  return broadcast_.wants_progress();
}

template <class T>
void ColumnFactorization<T>::update(long first, long end, PhaseClock& clock, StreamTimer& timer) {
  if (first >= end) return;
  if (matrix_.block() == 1)
    update_by_column(first, end, clock, timer);
  else
    update_by_block(first, end, clock, timer);
}

/// At once, or in pieces where others wait for this process.
template <class T>
void ColumnFactorization<T>::update_by_column(long first, long end, PhaseClock& clock,
                                              StreamTimer& timer) {
  const CholeskyColumns<T>& columns = matrix_.columns();
  for (long column = first; column < end;) {
    const long rows = columns.rows_end() - columns.first_row(column);
    const long piece =
        others_wait(clock) ? std::max(1L, cholesky_piece_values / rows) : end - column;
    const long last = std::min(end, column + piece);
    timer.time(clock, update_phase, matrix_.stream(), [&] {
      matrix_.kernels().subtract_column(columns, column, last, panel_.l, panel_.row,
                                        matrix_.stream());
    });
    column = last;
  }
}

/// Group by group: the rows that all of its columns have in one product, those above, where each
/// block begins a step lower than the one before, by themselves or in that product too, where what
/// is written above the diagonal is nobody's.
template <class T>
void ColumnFactorization<T>::update_by_block(long first, long end, PhaseClock& clock,
                                             StreamTimer& timer) {
  const CholeskyColumns<T>& columns = matrix_.columns();
  const DealtOut& dealt = columns.dealt;
  CholeskyKernels<T>& kernels = matrix_.kernels();
  Stream& stream = matrix_.stream();
  const T* w = panel_.l + (dealt.global(first) - panel_.row);
  long ldw = panel_.ld;
  if (matrix_.processes() > 1) {
    w = rows_.data();
    ldw = end - first;
    timer.time(clock, update_phase, stream, [&] {
      kernels.take_rows(rows_.data(), ldw, columns, first, end - first, panel_.l, panel_.ld,
                        panel_.row, panel_.width, stream);
    });
  }
  const auto subtract = [&](long row, long row_end, long column, long column_end) {
    kernels.subtract_product(matrix_.at(row, column), matrix_.ld(column),
                             panel_.l + (row - panel_.row), panel_.ld, w + (column - first), ldw,
                             row_end - row, column_end - column, panel_.width, stream);
  };
  const bool whole = cholesky_whole_products(matrix_.processes(), !is_host_);
  for (long column = first; column < end;) {
    (void)others_wait(clock);
    const long group_end = std::min(end, (column / columns.group + 1) * columns.group);
    const long last = whole ? column : (group_end - 1) / dealt.block * dealt.block;
    const long all_from = dealt.global(last);
    timer.time(clock, update_phase, stream, [&] {
      for (long one = column; one < last; one += dealt.block)
        subtract(dealt.global(one), all_from, one, one + dealt.block);
      subtract(all_from, columns.size, column, group_end);
    });
    column = group_end;
  }
}

template <class T>
typename ColumnFactorization<T>::Update ColumnFactorization<T>::update_by(long own) const {
  const CholeskyColumns<T>& columns = matrix_.columns();
  Update one;
  const long first = std::min((own + 1) * matrix_.block(), columns.count);
  for (long column = first; column < columns.count; ++column)
    one.values += static_cast<double>(columns.size - columns.dealt.global(column));
  one.flops = 2 * static_cast<double>(matrix_.block()) * one.values;
  return one;
}

template <class T>
typename ColumnFactorization<T>::Update ColumnFactorization<T>::time_update_by(long own) {
  const CholeskyColumns<T>& columns = matrix_.columns();
  Update one = update_by(own);
  if (!(one.values > 0)) return one;
  const long column = own * matrix_.block(), first = column + matrix_.block();
  const long row = columns.line_of(columns.dealt.global(column));
  panel_ = {matrix_.at(row, column), matrix_.ld(column), row, matrix_.block()};
  Heartbeat heartbeat;
  PhaseClock clock(heartbeat);
  StreamTimer timer(matrix_.device());
  one.seconds = seconds_on(matrix_.device(), matrix_.stream(),
                           [&] { update(first, columns.count, clock, timer); });
  return one;
}

template class ColumnFactorization<float>;
template class ColumnFactorization<double>;

}  // namespace bellwether
